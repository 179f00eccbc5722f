// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/training/order.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/randperm.h>

namespace ninefold {

std::vector<int64_t> epoch_order(const Recipe& recipe, int64_t epoch) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(recipe.seed + static_cast<uint64_t>(epoch));
  const at::Tensor permutation = at::randperm(recipe.set_images, generator, at::TensorOptions(at::kLong));
  const auto* entries = permutation.const_data_ptr<int64_t>();
  std::vector<int64_t> order;
  for (int64_t i = recipe.rank; i < recipe.images; i += recipe.ranks) order.push_back(entries[i]);
  if (order.empty()) order.push_back(entries[0]);
  return order;
}

}  // namespace ninefold
