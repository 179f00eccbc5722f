// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// The models that can be asked for by name, for those who must know no torch.
#pragma once
#include <algorithm>
#include <array>
#include <string_view>

namespace ninefold {

inline constexpr std::array<std::string_view, 4> kModelNames = {"mlp", "lenet", "cnn", "seq2seq"};

inline bool is_model_name(std::string_view name) {
  return std::find(kModelNames.begin(), kModelNames.end(), name) != kModelNames.end();
}

}  // namespace ninefold
