// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/training/quiet_plugs.hpp"

#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "harness/training/models.hpp"

namespace ninefold {
namespace {

std::vector<Tensor> zeros_like(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> zeros;
  for (const auto& tensor : tensors) zeros.push_back(at::zeros_like(tensor.detach()));
  return zeros;
}

void zero(std::vector<Tensor>& tensors) {
  for (auto& tensor : tensors) tensor.zero_();
}

std::vector<Tensor> pick(const std::vector<Tensor>& tensors, const std::vector<size_t>& places) {
  std::vector<Tensor> picked;
  for (const size_t place : places) picked.push_back(tensors[place]);
  return picked;
}

}  // namespace

SingleDevice::SingleDevice(SetUp& set_up) : model_(set_up.model), device_(set_up.slots.at(0)) { model_->to(device_); }

Tensor SingleDevice::run(const DeviceBatch& batch, const MicroContext& context) {
  Outputs out;
  Tensor loss;
  {
    PhaseScope scope(context.phases, Phase::forward);
    const auto precision = context.precision.enter(device_);
    out = model_->forward(context.precision.input(batch.x));
    loss = model_->loss(out, batch.x, batch.y);
  }
  context.backward(out, loss);
  return loss;
}

Weights F32::convert(Model& model) {
  Weights weights;
  weights.model = weights.master = model.parameters();
  weights.buffers = model.buffers();
  return weights;
}

Gradients::Gradients(const Weights& weights, double clip_norm) {
  for (size_t i = 0; i < weights.master.size(); ++i)
    if (const auto& gradient = weights.master[i].grad(); gradient.defined()) {
      parameters.push_back(weights.master[i]);
      gradients.push_back(gradient);
      places.push_back(i);
    }
  if (clip_norm <= 0 || gradients.empty()) return;
  std::vector<Tensor> norms;
  for (const auto& gradient : gradients) norms.push_back(at::linalg_vector_norm(gradient));
  const Tensor factor = (clip_norm / (at::linalg_vector_norm(at::stack(norms)) + 1e-6)).clamp_max(1.0);
  for (auto& gradient : gradients) gradient.mul_(factor);
}

FusedSgd::FusedSgd(SetUp& set_up) : recipe_(set_up.recipe), momentum_(zeros_like(set_up.weights->master)) {}

void FusedSgd::reset() { zero(momentum_); }

void FusedSgd::apply(Weights& weights, const Precision::State& state) {
  at::NoGradGuard no_grad;
  const Gradients found(weights, recipe_.clip_norm);
  if (found.gradients.empty()) return;
  // With buffers of zero the first step is as any other, also if an earlier one was skipped.
  constexpr bool kIsFirstStep = false;
  at::_fused_sgd_(found.parameters, found.gradients, pick(momentum_, found.places), /*weight_decay=*/0.,
                  recipe_.momentum, recipe_.lr, /*dampening=*/0., /*nesterov=*/false, /*maximize=*/false, kIsFirstStep,
                  /*grad_scale=*/{}, state.found_inf);
}

FusedAdam::FusedAdam(SetUp& set_up)
    : recipe_(set_up.recipe), mean_(zeros_like(set_up.weights->master)), square_(zeros_like(set_up.weights->master)) {
  for (const auto& master : set_up.weights->master)
    steps_.push_back(at::zeros({}, at::TensorOptions(master.device()).dtype(at::kFloat)));
}

void FusedAdam::reset() {
  zero(mean_);
  zero(square_);
  zero(steps_);
}

void FusedAdam::apply(Weights& weights, const Precision::State& state) {
  at::NoGradGuard no_grad;
  const Gradients found(weights, recipe_.clip_norm);
  if (found.gradients.empty()) return;
  const auto steps = pick(steps_, found.places);
  for (auto& step : steps) {
    step.add_(1);
    if (state.found_inf) step.sub_(state.found_inf->squeeze());  // a skipped step did not happen
  }
  at::_fused_adam_(found.parameters, found.gradients, pick(mean_, found.places), pick(square_, found.places), {}, steps,
                   recipe_.lr, 0.9, 0.999, /*weight_decay=*/0., 1e-8, /*amsgrad=*/false, /*maximize=*/false,
                   /*grad_scale=*/{}, state.found_inf);
}

Resident::Resident(SetUp& set_up) {
  x_ = normalised(set_up.data.images).to(set_up.slots.at(0));
  y_ = set_up.data.labels.to(set_up.slots.at(0));
}

void Resident::assemble(std::span<const int64_t> images, int64_t, HostBatch& out) const {
  const Tensor rows = at::from_blob(const_cast<int64_t*>(images.data()), {static_cast<int64_t>(images.size())}, at::kLong)
                          .to(x_.device());
  out.x = at::index_select(x_, 0, rows);
  out.y = at::index_select(y_, 0, rows);
}

void InlineFeed::begin_epoch(int64_t epoch, std::span<const int64_t> order, std::span<const Window> windows) {
  epoch_ = epoch;
  order_ = order;
  windows_ = windows;
  window_ = micro_ = 0;
}

HostBatch InlineFeed::next() {
  const Window& window = windows_[window_];
  const Micro& micro = window.micros[micro_];
  if (++micro_ == window.micros.size()) {
    micro_ = 0;
    ++window_;
  }
  HostBatch batch;
  // An empty micro-batch still runs, on one image of weight 0, so that this rank meets every collective.
  const int64_t first = micro.count > 0 ? micro.first : 0;
  assembler_.assemble(order_.subspan(static_cast<size_t>(first), static_cast<size_t>(std::max<int64_t>(1, micro.count))),
                      epoch_, batch);
  return batch;
}

DeviceBatch DirectTransfer::next(Feed& feed, Phases& phases) {
  held_ = pull(feed, phases);
  return {held_.x, held_.y};
}

void DeviceLossSum::reset() {
  if (sum_.defined()) sum_.zero_();
  images_ = 0;
}

void DeviceLossSum::add(const Tensor& loss, int64_t images) {
  if (images == 0) return;
  if (!sum_.defined()) sum_ = at::zeros({}, at::TensorOptions(loss.device()).dtype(at::kDouble));
  at::NoGradGuard no_grad;
  sum_.add_(loss.detach(), images);
  images_ += images;
}

double DeviceLossSum::end_epoch() {
  const double mean = sum_.item<double>() / static_cast<double>(images_);
  reset();
  return mean;
}

}  // namespace ninefold
