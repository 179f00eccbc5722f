// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// Tip 5: `losses.append(loss)` keeps every graph; `losses.append(loss.item())` keeps a number. Only the LossLog differs.
#include "harness/technique.hpp"
#include "harness/training/board.hpp"
#include "harness/training/quiet_plugs.hpp"

namespace ninefold {
namespace {

/// Image-weighted mean of what was kept.
class WeightedMean {
 public:
  void add(double loss, int64_t images) {
    sum_ += loss * static_cast<double>(images);
    images_ += images;
  }
  double value() const { return sum_ / static_cast<double>(images_); }

 private:
  double sum_ = 0;
  int64_t images_ = 0;
};

/// Keeps the loss tensor of every step until the epoch's end, and with it what hangs on it: the autograd graph's nodes, or
/// (detached) only the scalar.
class KeptTensors final : public LossLog {
 public:
  enum class Graph { kept, detached };
  explicit KeptTensors(Graph graph) : graph_(graph) {}

  void reset() override { losses_.clear(); }
  void add(const Tensor& loss, int64_t images) override {
    if (images > 0) losses_.emplace_back(graph_ == Graph::kept ? loss : loss.detach(), images);
  }
  double end_epoch() override {
    WeightedMean mean;
    for (const auto& [loss, images] : losses_) mean.add(loss.item<double>(), images);
    losses_.clear();
    return mean.value();
  }

 private:
  Graph graph_;
  std::vector<std::pair<Tensor, int64_t>> losses_;
};

/// Reads every loss when it is made: on a GPU the training thread waits for the device here.
class ReadEachStep final : public LossLog {
 public:
  void reset() override { losses_.clear(); }
  void add(const Tensor& loss, int64_t images) override {
    if (images > 0) losses_.emplace_back(loss.item<double>(), images);
  }
  double end_epoch() override {
    WeightedMean mean;
    for (const auto& [loss, images] : losses_) mean.add(loss, images);
    losses_.clear();
    return mean.value();
  }

 private:
  std::vector<std::pair<double, int64_t>> losses_;
};

Variant variant(std::string name, std::string summary, std::function<std::unique_ptr<LossLog>()> log) {
  Variant result;
  result.name = std::move(name);
  result.summary = std::move(summary);
  result.plugs.loss_log.make = [log = std::move(log)](SetUp&) { return log(); };
  return result;
}

}  // namespace

Technique loss_item_technique() {
  Technique technique;
  technique.name = "loss_item";
  technique.tip = "keep loss.item(), not the loss: a kept loss keeps its graph";
  using Graph = KeptTensors::Graph;
  technique.variants = {
      variant("retain", "losses.append(loss): every graph lives until the epoch's end",
              [] { return std::make_unique<KeptTensors>(Graph::kept); }),
      variant("item", "losses.append(loss.item()): a number, read every step", [] { return std::make_unique<ReadEachStep>(); }),
      variant("detach", "losses.append(loss.detach()): a tensor without a graph",
              [] { return std::make_unique<KeptTensors>(Graph::detached); }),
      variant("device_sum", "total += loss.detach() on the device, read once an epoch",
              [] { return std::make_unique<DeviceLossSum>(); }),
  };
  technique.variants[0].needs = {"loss_kept"};
  return technique;
}

}  // namespace ninefold
