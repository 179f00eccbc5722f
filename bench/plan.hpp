// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// From options to the list of cases to run: which variants, with which values, and why some can't run here. Decided from
// names, values and the machine alone; must run no torch code, so that --list and --dry-run are instant.
#pragma once
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/options.hpp"
#include "harness/technique.hpp"

namespace ninefold {

/// One variant to be measured.
struct Case {
  std::string id;                        ///< "loss_item/item"
  std::string technique, variant_name;
  Variant variant;                       ///< joined with what `with` names
  std::string model, device;
  Recipe recipe;                         ///< with the variant's values applied
  int threads = 1;
  std::optional<std::string> skip;       ///< why it can't run here
};

/// A technique's cases, baseline first. They are measured together.
struct Group {
  std::string technique, tip;
  std::vector<Case> cases;
};

struct Plan {
  std::vector<Group> groups;
};

/// A plan that can't be made: no case matches, a bad regular expression, an unknown model or device. Exit code 2.
class PlanError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// train_images: of the set that was resolved. Throws PlanError.
Plan make_plan(const Options& options, const std::vector<Technique>& techniques, const Machine& machine, int64_t train_images);

/// For --list: a line a case with its summary, and why it would be skipped.
std::string list_text(const Plan& plan);

/// For --dry-run: what would run, with images, launches and a rough count of child processes.
std::string dry_run_text(const Plan& plan, const Options& options);

}  // namespace ninefold
