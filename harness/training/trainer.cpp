// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/training/trainer.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <mutex>

#include "harness/training/order.hpp"

namespace ninefold {

void EagerStep::run(Board& board, const Window& window) {
  Phases& phases = *board.phases;
  board.weights.clear_gradients();
  for (const Micro& micro : window.micros) {
    const DeviceBatch batch = [&] {
      PhaseScope scope(phases, Phase::transfer);
      return board.transfer->next(*board.feed, phases);
    }();
    board.sync->before_forward(micro.closes_window);
    const Tensor loss = board.compute->run(batch, {micro, *board.precision, *board.sync, phases});
    board.log_loss(loss, micro, window);
  }
  {
    PhaseScope scope(phases, Phase::communication);
    board.sync->finish(board.weights);
  }
  PhaseScope scope(phases, Phase::optimizer);
  const auto state = board.precision->collect(board.weights);
  board.update->apply(board.weights, state);
  board.precision->after_update(board.weights, state);
}

namespace {

/// Weights, buffers and default generators at one moment, to be put back in place.
class Snapshot {
 public:
  explicit Snapshot(const Weights& weights) {
    for (const auto* tensors : {&weights.model, &weights.master, &weights.buffers})
      for (const auto& tensor : *tensors) saved_.emplace_back(tensor, tensor.detach().clone());
    generators_.push_back(at::globalContext().defaultGenerator(at::kCPU));
    if (!weights.model.empty() && weights.model[0].is_cuda())
      generators_.push_back(at::globalContext().defaultGenerator(weights.model[0].device()));
    for (auto& generator : generators_) {
      std::lock_guard lock(generator.mutex());
      states_.push_back(generator.get_state());
    }
  }
  void restore() {
    at::NoGradGuard no_grad;
    for (auto& [tensor, value] : saved_) tensor.copy_(value);
    for (size_t i = 0; i < generators_.size(); ++i) {
      std::lock_guard lock(generators_[i].mutex());
      generators_[i].set_state(states_[i]);
    }
  }

 private:
  std::vector<std::pair<Tensor, Tensor>> saved_;
  std::vector<at::Generator> generators_;
  std::vector<Tensor> states_;
};

}  // namespace

Trainer::Trainer(Board& board) : board_(board), windows_(cut_epoch(board.recipe)) {}

void Trainer::begin_epoch(const std::vector<Window>& windows) {
  order_ = epoch_order(board_.recipe, epoch_);
  board_.trace.begin_epoch(windows.size());
  board_.window_index = 0;
  board_.feed->begin_epoch(epoch_, order_, windows);
}

void Trainer::run_window(const Window& window) {
  board_.step->run(board_, window);
  ++board_.window_index;
  board_.phases->end_window();
}

void Trainer::pause() {
  for (Plug* plug : board_.plugs()) plug->pause();
}

Trainer::Done Trainer::run_until(int64_t image) {
  if (next_ == 0) begin_epoch(windows_);
  Done done;
  while (next_ < windows_.size() && windows_[next_].begin < image) {
    const Window& window = windows_[next_++];
    run_window(window);
    done.images += window.end - window.begin;
    ++done.steps;
  }
  if (next_ == windows_.size()) {
    done.epoch_end = true;
    {
      PhaseScope scope(*board_.phases, Phase::loss);
      done.mean_loss = board_.loss_log->end_epoch();
    }
    done.first_loss = board_.trace.first_mean();
    done.last_loss = board_.trace.last_mean();
    next_ = 0;
    ++epoch_;
  }
  pause();
  return done;
}

Trainer::WarmUp Trainer::warm_up(int64_t steps) {
  Snapshot start(board_.weights);
  const auto most = std::min<int64_t>(std::max<int64_t>(steps, 1), static_cast<int64_t>(windows_.size()));
  std::vector<Window> windows(windows_.begin(), windows_.begin() + most);
  if (static_cast<size_t>(most) < windows_.size()) windows.push_back(windows_.back());  // perhaps a ragged shape
  begin_epoch(windows);

  WarmUp warm;
  double seconds = 0;
  int64_t images = 0;
  for (const Window& window : windows) {
    const auto begin = std::chrono::steady_clock::now();
    run_window(window);
    ++warm.steps;
    // The first half pays for first-use costs; the last window may be short.
    if (warm.steps > most / 2 && warm.steps <= most) {
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      images += window.end - window.begin;
    }
  }
  board_.loss_log->end_epoch();
  pause();
  warm.seconds_per_image = images > 0 ? seconds / static_cast<double>(images) : 0;

  board_.weights.clear_gradients();
  for (Plug* plug : board_.plugs()) plug->reset();
  start.restore();
  return warm;
}

}  // namespace ninefold
