// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/measure/task.hpp"

#include <nlohmann/json.hpp>

namespace ninefold {

NLOHMANN_JSON_SERIALIZE_ENUM(Weighting, {{Weighting::by_images, "by_images"}, {Weighting::one, "one"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Optimizer, {{Optimizer::sgd, "sgd"}, {Optimizer::adam, "adam"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Recipe, set_images, images, batch, micros, optimizer, lr, momentum, clip_norm,
                                   weighting, rank, ranks, seed)

void to_json(nlohmann::json& json, const Task& task) {
  json = {{"case_id", task.case_id},
          {"model", task.model},
          {"device", task.device},
          {"dataset", task.dataset},
          {"synthetic_images", task.synthetic_images},
          {"recipe", task.recipe},
          {"threads", task.threads},
          {"warm_up_steps", task.warm_up_steps},
          {"memory_pass", task.memory_pass}};
}

void from_json(const nlohmann::json& json, Task& task) {
  json.at("case_id").get_to(task.case_id);
  json.at("model").get_to(task.model);
  json.at("device").get_to(task.device);
  json.at("dataset").get_to(task.dataset);
  json.at("synthetic_images").get_to(task.synthetic_images);
  json.at("recipe").get_to(task.recipe);
  json.at("threads").get_to(task.threads);
  json.at("warm_up_steps").get_to(task.warm_up_steps);
  json.at("memory_pass").get_to(task.memory_pass);
}

}  // namespace ninefold
