// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// What the user asked for on the command line of bench_all. Must know no torch and no technique by name.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/data/dataset.hpp"
#include "harness/schedule.hpp"

namespace ninefold {

struct Options {
  std::vector<std::string> filters;  ///< as given, with a leading - where it excludes
  bool list = false, dry_run = false, env = false;
  bool quick = false;                ///< 3 launches, mlp, 10,000 images, claims only differences of 10 % or more
  std::optional<std::string> model;  ///< nothing = the technique's default
  std::string device = "auto";       ///< "auto", "cpu", "cuda" or "cuda:i"
  DataRequest data;
  int epochs = 1;
  int64_t batch = 64;
  Optimizer optimizer = Optimizer::sgd;
  int threads = 0;                    ///< 0 = all allowed cores
  std::optional<int> launches;        ///< exactly so many; nothing = 6 to 20 (3 with --quick)
  uint64_t seed = 1;
  std::optional<int64_t> max_images;  ///< per epoch
  double budget_seconds = 900;
  double timeout_seconds = 120;  ///< for any single answer of a child
  std::string out;               ///< report file; empty = none
};

/// Text to print and the exit code to leave with, instead of a run: --help, --version, or a mistake.
struct Ending {
  int exit_code = 0;
  std::string to_stdout, to_stderr;
};

/// Never throws for bad input: a mistake becomes an Ending with exit code 2 and one line that says what, where, expected,
/// found and what to do.
std::variant<Options, Ending> parse_options(int argc, const char* const* argv);

}  // namespace ninefold
