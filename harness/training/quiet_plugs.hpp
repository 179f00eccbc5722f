// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// The quiet board: what each socket holds when no technique plugs it. Cheap and boring on purpose, so that only the
// technique shows. One class a socket; the Step is trainer.hpp's EagerStep.
#pragma once
#include <memory>

#include "harness/training/board.hpp"

namespace ninefold {

/// One device: forward, loss and one backward.
class SingleDevice final : public Compute {
 public:
  explicit SingleDevice(SetUp& set_up);
  Tensor run(const DeviceBatch& batch, const MicroContext& context) override;

 private:
  std::shared_ptr<Model> model_;
  at::Device device_;
};

/// Everything in 32 bit: the model's weights are the masters.
class F32 final : public Precision {
 public:
  Weights convert(Model& model) override;
  State collect(Weights&) override { return {}; }
};

/// One process: the gradients are already the mean.
class NoSync final : public GradientSync {};

/// Gradients of defined parameters, clipped to the recipe's global norm, and the tensors that go with them. What fused
/// updates share; the norm is torch.nn.utils.clip_grad_norm_'s: g *= min(1, clip / (norm + 1e-6)).
struct Gradients {
  std::vector<Tensor> parameters, gradients;
  std::vector<size_t> places;  ///< of the parameters in weights.master
  Gradients(const Weights& weights, double clip_norm);
};

/// torch.optim.SGD with momentum (no damping, no Nesterov, no weight decay) in one fused kernel.
class FusedSgd final : public Update {
 public:
  explicit FusedSgd(SetUp& set_up);
  void reset() override;
  void apply(Weights& weights, const Precision::State& state) override;

 private:
  Recipe recipe_;
  std::vector<Tensor> momentum_;
};

/// torch.optim.Adam with its defaults (betas 0.9 and 0.999, eps 1e-8) in one fused kernel.
class FusedAdam final : public Update {
 public:
  explicit FusedAdam(SetUp& set_up);
  void reset() override;
  void apply(Weights& weights, const Precision::State& state) override;

 private:
  Recipe recipe_;
  std::vector<Tensor> mean_, square_, steps_;
};

/// The whole set normalised on the device before training; a batch is a gather.
class Resident final : public Assembler {
 public:
  explicit Resident(SetUp& set_up);
  void assemble(std::span<const int64_t> images, int64_t epoch, HostBatch& out) const override;

 private:
  Tensor x_, y_;
};

/// Assembles in the training thread, when asked.
class InlineFeed final : public Feed {
 public:
  explicit InlineFeed(SetUp& set_up) : assembler_(*set_up.assembler) {}
  void reset() override { micro_ = window_ = 0; }
  void begin_epoch(int64_t epoch, std::span<const int64_t> order, std::span<const Window> windows) override;
  HostBatch next() override;

 private:
  const Assembler& assembler_;
  std::span<const int64_t> order_;
  std::span<const Window> windows_;
  int64_t epoch_ = 0;
  size_t window_ = 0, micro_ = 0;
};

/// The batch is used where it was assembled.
class DirectTransfer final : public Transfer {
 public:
  at::TensorOptions host_options() const override { return {}; }
  DeviceBatch next(Feed& feed, Phases& phases) override;

 private:
  HostBatch held_;
};

/// Adds on the device, reads once at the epoch's end.
class DeviceLossSum final : public LossLog {
 public:
  void reset() override;
  void add(const Tensor& loss, int64_t images) override;
  double end_epoch() override;

 private:
  Tensor sum_;  // f64 scalar on the loss's device
  int64_t images_ = 0;
};

}  // namespace ninefold
