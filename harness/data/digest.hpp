// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// sha256 of the parts of a data set, and the published ones. Must know no file.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "harness/data/dataset.hpp"

namespace ninefold {

using Digest = std::array<uint8_t, 32>;

Digest sha256(std::span<const uint8_t> bytes);
std::string hex(const Digest& digest);

/// sha256 of each part as an uncompressed IDX file (header and payload): train images, train labels, test images, labels.
std::array<Digest, 4> part_digests(const Dataset& data);

/// Fills data.digest, and data.kind and data.official if the parts are the published MNIST or Fashion-MNIST; otherwise
/// kind becomes "custom", unless it is "synthetic".
void identify(Dataset& data);

}  // namespace ninefold
