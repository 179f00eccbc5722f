// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/measure/slices.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ninefold {

namespace {
constexpr double kSliceSeconds = 0.1;
}

int64_t slice_images(const std::vector<int64_t>& windows, double seconds_per_image, int64_t epoch_images) {
  int64_t unit = windows.at(0);
  for (const int64_t window : windows) {
    const int64_t joint = std::lcm(unit, window);
    if (joint > epoch_images / 2) {
      unit = windows[0];
      break;
    }
    unit = joint;
  }
  const double unit_seconds = std::max(seconds_per_image, 1e-12) * static_cast<double>(unit);
  const auto most = std::max<int64_t>(1, epoch_images / 2 / unit);
  const double wanted = std::clamp(std::round(kSliceSeconds / unit_seconds), 1.0, static_cast<double>(most));
  return static_cast<int64_t>(wanted) * unit;
}

std::vector<int64_t> slice_targets(int64_t epoch_images, int64_t slice) {
  std::vector<int64_t> targets;
  for (int64_t end = slice; end + slice / 2 < epoch_images; end += slice) targets.push_back(end);
  targets.push_back(epoch_images);
  return targets;
}

std::vector<size_t> slice_order(size_t children, size_t slice_index, size_t launch) {
  std::vector<size_t> order(children);
  for (size_t i = 0; i < children; ++i) order[i] = (i + launch) % children;
  if (slice_index % 2 == 1) std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace ninefold
