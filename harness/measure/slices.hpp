// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// How an epoch is cut into slices that the children of a launch train in turn. Plain arithmetic.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ninefold {

/// Images of a slice: a whole number of every variant's optimizer windows (where their least common multiple fits twice
/// into the epoch; else of the baseline's, windows[0]), nearest to 100 ms of the baseline, and at least two slices an
/// epoch where its windows allow that. seconds_per_image: of the baseline.
int64_t slice_images(const std::vector<int64_t>& windows, double seconds_per_image, int64_t epoch_images);

/// Cumulative image counts at which the slices of an epoch end; the last is epoch_images. A rest smaller than half a
/// slice joins the slice before it.
std::vector<int64_t> slice_targets(int64_t epoch_images, int64_t slice);

/// Who runs when in a slice: forward in even slices, backward in odd ones, so that each pair of slices is balanced; the
/// first place rotates from launch to launch. A permutation of 0..children-1.
std::vector<size_t> slice_order(size_t children, size_t slice_index, size_t launch);

}  // namespace ninefold
