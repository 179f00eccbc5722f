// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// A strict reader of the IDX format (MNIST's own), raw or gzip: big-endian magic, counts, then unsigned bytes, and nothing
// behind them.
#pragma once
#include <string>

#include "harness/data/dataset.hpp"

namespace ninefold {

/// Reads FOLDER/STEM-images-idx3-ubyte and FOLDER/STEM-labels-idx1-ubyte, or either with .gz behind it (the raw file first).
/// Memory is bounded by the header's claim, and that by kMostBytes. Throws DataError.
Digits read_idx_pair(const std::string& folder, const std::string& stem);

/// Whether the folder holds all four files of a data set, raw or .gz.
bool holds_idx_files(const std::string& folder);

/// The largest payload of a file that is accepted: 4 GiB.
inline constexpr int64_t kMostBytes = int64_t{4} << 30;

}  // namespace ninefold
