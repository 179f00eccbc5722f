// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// What a trained board is worth, measured outside the clock: test accuracy, the loss on a fixed probe set, and whether
// anything changed at all. A fresh f32 model on one device, from the master weights and buffers, in eval mode.
#pragma once
#include <string_view>
#include <vector>

#include "harness/training/board.hpp"

namespace ninefold {

/// Share (0 to 1) of the set's images classified correctly, in batches of 1,000. Leaves the default generator as it was.
double test_accuracy(const Board& board, std::string_view model_name, const TrainingSet& test);

/// Mean loss over the first 1,000 images of the training set (or all, if fewer).
double probe_loss(const Board& board, std::string_view model_name, const TrainingSet& training);

/// Copies of the master weights, to be compared later.
std::vector<Tensor> snapshot(const Weights& weights);
/// Whether any master weight differs from the snapshot.
bool differs(const std::vector<Tensor>& snapshot, const Weights& weights);

}  // namespace ninefold
