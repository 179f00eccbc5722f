// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/training/evaluate.hpp"

#include <ATen/Context.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/equal.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <mutex>

#include "harness/training/models.hpp"

namespace ninefold {
namespace {

constexpr int64_t kBatch = 1000;

/// A model of its own with the board's master weights and buffers: nothing done to it reaches the board.
std::shared_ptr<Model> f32_copy(const Board& board, std::string_view model_name) {
  auto generator = at::globalContext().defaultGenerator(at::kCPU);
  const auto state = [&] {
    std::lock_guard lock(generator.mutex());
    return generator.get_state();
  }();
  auto model = make_model(model_name);  // draws initial weights, which are then overwritten
  {
    std::lock_guard lock(generator.mutex());
    generator.set_state(state);
  }
  model->to(board.weights.master.at(0).device());
  const auto copy = [](const std::vector<Tensor>& to, const std::vector<Tensor>& from) {
    for (size_t i = 0; i < to.size(); ++i) to[i].copy_(from.at(i));
  };
  copy(model->parameters(), board.weights.master);
  copy(model->buffers(), board.weights.buffers);
  model->eval();
  return model;
}

/// Calls work(outputs, x, y) for the first `most` images in batches.
template <class Work>
void for_batches(const Board& board, std::string_view model_name, const TrainingSet& set, int64_t most, const Work& work) {
  at::NoGradGuard no_grad;
  const auto model = f32_copy(board, model_name);
  const auto device = board.weights.master[0].device();
  for (int64_t first = 0; first < most; first += kBatch) {
    const int64_t last = std::min(most, first + kBatch);
    const Tensor x = normalised(set.images.slice(0, first, last)).to(device);
    const Tensor y = set.labels.slice(0, first, last).to(device);
    work(*model, model->forward(x), x, y);
  }
}

}  // namespace

double test_accuracy(const Board& board, std::string_view model_name, const TrainingSet& test) {
  int64_t right = 0;
  for_batches(board, model_name, test, test.images.size(0), [&](Model&, const Outputs& out, const Tensor&, const Tensor& y) {
    right += out[0].argmax(1).eq(y).sum().item<int64_t>();
  });
  return static_cast<double>(right) / static_cast<double>(test.images.size(0));
}

double probe_loss(const Board& board, std::string_view model_name, const TrainingSet& training) {
  double loss = 0;
  for_batches(board, model_name, training, std::min(kBatch, training.images.size(0)),
              [&](Model& model, const Outputs& out, const Tensor& x, const Tensor& y) {
                loss = model.loss(out, x, y).template item<double>();
              });
  return loss;
}

std::vector<Tensor> snapshot(const Weights& weights) {
  std::vector<Tensor> copies;
  for (const auto& master : weights.master) copies.push_back(master.detach().clone());
  return copies;
}

bool differs(const std::vector<Tensor>& snapshot, const Weights& weights) {
  for (size_t i = 0; i < snapshot.size(); ++i)
    if (!at::equal(snapshot[i], weights.master.at(i).detach())) return true;
  return false;
}

}  // namespace ninefold
