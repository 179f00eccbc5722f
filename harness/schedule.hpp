// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// What is trained when: plain arithmetic. Cuts an epoch into optimizer windows, shards them over ranks and weighs
// their micro-batches. Must know no torch, no clock and no process.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ninefold {

/// How a micro-batch's mean loss enters the window's gradient.
enum class Weighting {
  by_images,  ///< by its share of the window's images: a window equals one big batch, the ragged last one too
  one,        ///< every micro-batch counts as a whole batch (what the tip's snippet does): changes the maths
};

enum class Optimizer { sgd, adam };

/// The values of one training run. Techniques edit them; sockets (board.hpp) are the other thing they may change.
struct Recipe {
  int64_t set_images = 60000;  ///< images in the training set: epoch e visits randperm(set_images) from seed + e
  int64_t images = 60000;      ///< images trained per epoch over all ranks, the first of that order; < set_images = partial
  int64_t batch = 64;          ///< images of one backward on one rank
  int64_t micros = 1;          ///< micro-batches (backwards) in one optimizer window
  Optimizer optimizer = Optimizer::sgd;
  double lr = 0.05;
  double momentum = 0.9;   ///< SGD only
  double clip_norm = 0;    ///< global gradient norm limit; 0 = no clipping
  Weighting weighting = Weighting::by_images;
  int rank = 0, ranks = 1;
  uint64_t seed = 1;
};

/// One backward on one rank.
struct Micro {
  int64_t first, count;  ///< entries [first, first + count) of THIS rank's order; count may be 0 on a ragged rank
  double weight;         ///< factor on its mean loss, so that the mean over ranks of the sum is the window's mean loss
  bool closes_window;
};

/// One optimizer step: [begin, end) counts the epoch's images over all ranks.
struct Window {
  std::vector<Micro> micros;
  int64_t begin = 0, end = 0;
};

/// Cuts an epoch of recipe.images. Every rank gets the same number of windows and micro-batches whatever the number of
/// images is, so that no rank waits for a collective that another never starts.
/// Throws std::invalid_argument if images, batch, micros or ranks is below 1 or rank is not in [0, ranks).
std::vector<Window> cut_epoch(const Recipe& recipe);

/// Images of a full window over all ranks: batch x micros x ranks.
int64_t window_images(const Recipe& recipe);

}  // namespace ninefold
