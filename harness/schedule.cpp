// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/schedule.hpp"

#include <algorithm>
#include <stdexcept>

namespace ninefold {

int64_t window_images(const Recipe& recipe) { return recipe.batch * recipe.micros * recipe.ranks; }

std::vector<Window> cut_epoch(const Recipe& recipe) {
  if (recipe.images < 1 || recipe.batch < 1 || recipe.micros < 1 || recipe.ranks < 1)
    throw std::invalid_argument("cut_epoch: images, batch, micros and ranks must be 1 or more");
  if (recipe.rank < 0 || recipe.rank >= recipe.ranks)
    throw std::invalid_argument("cut_epoch: rank must be in [0, ranks)");

  // Rank r takes entries r, r + ranks, ... of the epoch's order; this many of them lie before the global position.
  const auto mine_before = [&](int64_t position) {
    return (position + recipe.ranks - 1 - recipe.rank) / recipe.ranks;
  };
  const int64_t step = recipe.batch * recipe.ranks;
  std::vector<Window> windows;
  for (int64_t begin = 0; begin < recipe.images; begin += step * recipe.micros) {
    Window window{{}, begin, std::min(recipe.images, begin + step * recipe.micros)};
    const auto window_size = static_cast<double>(window.end - window.begin);
    for (int64_t from = begin; from < window.end; from += step) {
      const int64_t to = std::min(window.end, from + step);
      const int64_t first = mine_before(from);
      const int64_t count = mine_before(to) - first;
      const double share = static_cast<double>(count * recipe.ranks) / window_size;
      window.micros.push_back(
          {first, count, recipe.weighting == Weighting::one ? 1.0 : share, to == window.end});
    }
    windows.push_back(std::move(window));
  }
  return windows;
}

}  // namespace ninefold
