// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// What a technique folder exports: names, edited values and factories for sockets of the board. Plain data, so that the
// plan, --list and --dry-run need no torch; the sockets themselves are declared in harness/training/board.hpp.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/machine.hpp"
#include "harness/schedule.hpp"

namespace ninefold {

struct SetUp;  // harness/training/board.hpp, as are the nine sockets:
class Compute;
class Precision;
class GradientSync;
class Update;
class Assembler;
class Feed;
class Transfer;
class LossLog;
class Step;

/// What a variant puts into one socket. `make` replaces the quiet default: two makes for one socket clash. Each entry of
/// `wraps` gets what is there already and may decorate it; wraps of several variants stack in the order combined.
template <class Socket>
struct Put {
  std::function<std::unique_ptr<Socket>(SetUp&)> make;
  std::vector<std::function<std::unique_ptr<Socket>(std::unique_ptr<Socket>, SetUp&)>> wraps;
};

struct Plugs {
  Put<Compute> compute;
  Put<Precision> precision;
  Put<GradientSync> sync;
  Put<Update> update;
  Put<Assembler> assembler;
  Put<Feed> feed;
  Put<Transfer> transfer;
  Put<LossLog> loss_log;
  Put<Step> step;
};

/// Edits of the recipe. The same field set by two combined variants is a clash.
struct Values {
  std::optional<int64_t> batch, micros;
  std::optional<double> lr, clip_norm;
  std::optional<Weighting> weighting;
  std::optional<int> ranks;
};

struct Variant {
  std::string name;     ///< [a-z0-9_]+, with /key=value appended where a key exists: "bf16", "256/lr=linear"
  std::string summary;  ///< one line for --list
  Values values;
  Plugs plugs;
  std::vector<std::string> with;                   ///< other variants, "grad_accum/accumulate_4"; if missing: skipped
  std::map<std::string, std::string> environment;  ///< of the child, set before its libraries load
  std::function<void(SetUp&)> process;             ///< once in the child, before the model: TF32, denormals, oneDNN
  /// Why it can't run here, or nothing. Called at plan time: must run no torch code.
  std::function<std::optional<std::string>(const Machine&, const Recipe&, std::string_view model)> refuse;
  std::string changes_maths;               ///< how, in a few words; empty = learning must equal the baseline's
  std::vector<std::string> needs, breaks;  ///< words (one_backward, capturable, loss_kept): needs meets breaks = refused
};

struct Technique {
  std::string name;               ///< the folder's name
  std::string tip;                ///< the claim, one line
  std::string model;              ///< default model if not the suite's; empty = suite's
  std::vector<Variant> variants;  ///< first = baseline
};

/// Joins variants, each with its full name ("amp/bf16"), for one board. Throws std::invalid_argument with one line that
/// holds both names when two set the same socket, value or environment variable, or one needs what another breaks.
Variant combine(const std::vector<std::pair<std::string, const Variant*>>& parts);

/// All techniques built into this program, in the order of their folder names; CMake writes the definition.
const std::vector<Technique>& techniques();

}  // namespace ninefold
