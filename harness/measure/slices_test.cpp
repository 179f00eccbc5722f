// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/measure/slices.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ninefold {
namespace {

TEST(SliceImages, IsTheWholeNumberOfWindowsNearestTo100Milliseconds) {
  EXPECT_EQ(slice_images({64}, 1e-5, 60000), 9984);  // 0.64 ms a window: 156.25 -> 156 windows
  EXPECT_EQ(slice_images({64, 256}, 1e-5, 60000), 39 * 256);
}

TEST(SliceImages, LeavesAtLeastTwoSlicesAnEpoch) {
  EXPECT_EQ(slice_images({64}, 1e-9, 1000), 448);  // 500 / 64 = 7 windows
  EXPECT_EQ(slice_images({64}, 1e-9, 64), 64);     // one window is all there is
}

TEST(SliceImages, TakesTheBaselinesWindowWhereTheCommonOneIsTooLong) {
  EXPECT_EQ(slice_images({64, 4096}, 1e-3, 6000), 64 * 2);
  EXPECT_EQ(slice_images({64, 60000}, 1e-5, 60000), 9984);
}

TEST(SliceImages, ASlowBaselineStillTrainsOneWindow) { EXPECT_EQ(slice_images({64}, 10.0, 60000), 64); }

TEST(SliceTargets, CoverTheEpochExactly) {
  EXPECT_EQ(slice_targets(1000, 448), (std::vector<int64_t>{448, 1000}));  // a rest of 104 joins the second
  EXPECT_EQ(slice_targets(1000, 400), (std::vector<int64_t>{400, 1000}));
  EXPECT_EQ(slice_targets(1000, 300), (std::vector<int64_t>{300, 600, 1000}));
  EXPECT_EQ(slice_targets(1000, 500), (std::vector<int64_t>{500, 1000}));
  EXPECT_EQ(slice_targets(10, 500), (std::vector<int64_t>{10}));
}

TEST(SliceOrder, EveryPairOfSlicesIsBalancedAndTheLeadRotates) {
  EXPECT_EQ(slice_order(4, 0, 0), (std::vector<size_t>{0, 1, 2, 3}));
  EXPECT_EQ(slice_order(4, 1, 0), (std::vector<size_t>{3, 2, 1, 0}));
  std::set<size_t> leads;
  for (size_t launch = 0; launch < 4; ++launch) {
    const auto even = slice_order(4, 2, launch), odd = slice_order(4, 3, launch);
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(even[i], odd[3 - i]);
    leads.insert(even[0]);
  }
  EXPECT_EQ(leads.size(), 4u);
}

}  // namespace
}  // namespace ninefold
