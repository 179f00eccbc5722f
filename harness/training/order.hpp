// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// Which images an epoch visits, in which order.
#pragma once
#include <cstdint>
#include <vector>

#include "harness/schedule.hpp"

namespace ninefold {

/// This rank's rows of the training set for an epoch: entries rank, rank + ranks, ... of the first recipe.images entries of
/// torch.randperm(recipe.set_images), drawn from a CPU generator seeded with recipe.seed + epoch. Never empty: a rank
/// without an image gets one, which its schedule gives the weight 0.
std::vector<int64_t> epoch_order(const Recipe& recipe, int64_t epoch);

}  // namespace ninefold
