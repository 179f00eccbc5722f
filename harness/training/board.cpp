// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/training/board.hpp"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

namespace ninefold {

void Weights::clear_gradients() {
  for (auto& parameter : model)
    if (auto& gradient = parameter.mutable_grad(); gradient.defined()) {
      if (clear_by_zero)
        gradient.zero_();
      else
        gradient.reset();
    }
}

HostBatch pull(Feed& feed, Phases& phases) {
  PhaseScope scope(phases, Phase::data);
  return feed.next();
}

Tensor MicroContext::objective(const Tensor& loss) const {
  return precision.scale(micro.weight == 1.0 ? loss : loss * micro.weight);
}

void MicroContext::backward(const Outputs& out, const Tensor& loss) const {
  PhaseScope scope(phases, Phase::backward);
  sync.before_backward(out);
  objective(loss).backward();
  sync.after_backward();
}

void LossTrace::begin_epoch(size_t windows) {
  windows_ = windows;
  const size_t kept = std::min(kMost, std::max<size_t>(1, windows / 2));
  first_.assign(kept, 0);
  last_.assign(kept, 0);
  pending_.clear();
}

double* LossTrace::slot(std::vector<double>& kept, size_t from, size_t window_index) {
  return window_index >= from && window_index < from + kept.size() ? &kept[window_index - from] : nullptr;
}

void LossTrace::add(const Tensor& loss, const Micro& micro, const Window& window, size_t window_index) {
  if (micro.count == 0) return;
  const double share = static_cast<double>(micro.count) / static_cast<double>(window.end - window.begin);
  for (double* place : {slot(first_, 0, window_index), slot(last_, windows_ - last_.size(), window_index)}) {
    if (!place) continue;
    if (loss.is_cpu())
      *place += share * loss.item<double>();
    else
      pending_.emplace_back(place, loss.detach() * share);
  }
}

void LossTrace::read_pending() {
  for (auto& [place, loss] : pending_) *place += loss.item<double>();
  pending_.clear();
}

double LossTrace::mean(const std::vector<double>& kept) {
  if (kept.empty()) return NAN;
  double sum = 0;
  for (const double loss : kept) sum += loss;
  return sum / static_cast<double>(kept.size());
}

double LossTrace::first_mean() {
  read_pending();
  return mean(first_);
}

double LossTrace::last_mean() {
  read_pending();
  return mean(last_);
}

std::vector<Plug*> Board::plugs() const {
  return {step.get(),   loss_log.get(), transfer.get(),  feed.get(),   assembler.get(),
          update.get(), sync.get(),     precision.get(), compute.get()};
}

void Board::log_loss(const Tensor& loss, const Micro& micro, const Window& window) {
  PhaseScope scope(*phases, Phase::loss);
  loss_log->add(loss, micro.count);
  trace.add(loss, micro, window, window_index);
}

}  // namespace ninefold
