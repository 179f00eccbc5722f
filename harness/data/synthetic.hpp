// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// Made-up digits for machines without MNIST: the same bytes everywhere, hard enough that a model must learn.
#pragma once
#include "harness/data/dataset.hpp"

namespace ninefold {

enum class Part : uint64_t { train = 0, test = 1 };

/// count images of 28 x 28: strokes of one of 16 hands a digit, rotated, slanted, scaled, shifted, with noise. Image i
/// depends on (part, i) alone, so that a smaller set is the beginning of a larger one. Labels are drawn uniformly.
Digits synthetic_digits(Part part, int64_t count);

}  // namespace ninefold
