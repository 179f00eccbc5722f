// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// The four models that are measured, and one for tests with BatchNorm and dropout. Layers are built in a fixed order, with
// LibTorch's default initialisation, so that a seed gives the weights that PyTorch in Python gives.
#pragma once
#include <memory>
#include <string_view>

#include "harness/training/board.hpp"

namespace ninefold {

/// mlp (136,074 parameters), lenet (61,706), cnn (1,199,882), seq2seq (164,646; two stages: encoder, decoder), or the
/// test-only norm_net. Draws its weights from the default generator. Throws std::invalid_argument for another name.
std::shared_ptr<Model> make_model(std::string_view name);

/// The files' images and labels as tensors: images (N, 28, 28) u8 without a copy (digits must live on), labels i64.
struct Digits;
TrainingSet training_set(const Digits& digits);

/// ((u8 / 255) - 0.1307) / 0.3081 in f32, in this order of operations: (N, 28, 28) u8 to (N, 1, 28, 28) f32.
Tensor normalised(const Tensor& images);

}  // namespace ninefold
