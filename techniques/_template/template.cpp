// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// A technique to copy: scripts/new_technique.sh NAME does. It claims that a larger batch is faster; replace that by yours.
#include "harness/technique.hpp"
#include "harness/training/board.hpp"

namespace ninefold {

Technique template_technique() {
  Variant baseline;
  baseline.name = "baseline";
  baseline.summary = "the suite's own batch size";

  // A variant may edit values ...
  Variant doubled;
  doubled.name = "doubled";
  doubled.summary = "twice the batch, half as many steps";
  doubled.values.batch = 128;
  doubled.changes_maths = "batch 128";
  // ... or put a plug into one of the nine sockets of harness/training/board.hpp:
  //   doubled.plugs.loss_log.make = [](SetUp& set_up) { return std::make_unique<MyLossLog>(set_up); };
  // ... and say where it can't run:
  doubled.refuse = [](const Machine&, const Recipe& recipe, std::string_view) -> std::optional<std::string> {
    if (recipe.set_images >= 128) return std::nullopt;
    return "a batch of 128 needs 128 images, the set holds " + std::to_string(recipe.set_images);
  };

  Technique technique;
  technique.name = "template";
  technique.tip = "a larger batch is faster";
  technique.variants = {baseline, doubled};  // the baseline first
  return technique;
}

}  // namespace ninefold
