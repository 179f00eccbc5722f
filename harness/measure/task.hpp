// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// What a child is asked to train, and its JSON form, the `task` of the protocol's hello (see README.md). No torch.
#pragma once
#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "harness/schedule.hpp"

namespace ninefold {

struct Task {
  std::string case_id;  ///< "loss_item/item": which variant's plugs
  std::string model = "mlp";
  std::string device = "cpu";        ///< "cpu" or "cuda:0"
  std::string dataset = "synthetic";  ///< "synthetic", or a folder of IDX files
  int64_t synthetic_images = 60000;
  Recipe recipe;
  int threads = 1;
  int warm_up_steps = 20;
  bool memory_pass = false;  ///< count memory; times then mean nothing
};

void to_json(nlohmann::json&, const Task&);
/// Throws nlohmann::json::exception when a field is missing or of the wrong type.
void from_json(const nlohmann::json&, Task&);

}  // namespace ninefold
