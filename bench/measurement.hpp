// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// Runs a plan: launches, memory pass and budget of each group, into one Report that is kept current all the time.
// Must know no torch and no technique by name.
#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "bench/options.hpp"
#include "bench/plan.hpp"
#include "bench/progress.hpp"
#include "harness/measure/launch.hpp"
#include "harness/record.hpp"

namespace ninefold {

/// What a measurement needs to know beside the plan.
struct Surroundings {
  int cores = 1;
  std::vector<std::string> child_argv;  ///< the program that trains, with its hidden flag
  std::string data_folder;              ///< of IDX files; empty = synthetic
  std::string log_folder;               ///< for the children's output; made when first needed
  std::function<void(const Report&)> save = [](const Report&) {};  ///< called after every launch
};

/// The bounds of a run, from the options.
struct LaunchCount {
  int least = 6;  ///< a distribution-free 95 % interval needs 6
  int most = 20;
};
LaunchCount launch_count(const Options& options);

/// The report before anything was measured: every case of the plan, pending or skipped.
std::vector<CaseRecord> case_records(const Plan& plan);

class Measurement {
 public:
  Measurement(const Options& options, const Plan& plan, Surroundings surroundings, Report& report, Progress& progress);

  /// Measures all groups. Throws Interrupted; the report then holds what was measured, complete = false.
  void run();
  /// Judges what there is and hands the report to surroundings.save.
  void save();

 private:
  /// The cases of a group that still take part, by place in report_.cases and plan.
  struct Active {
    const Case* plan;
    size_t record;
  };
  void run_group(const Group& group, int groups_left);
  Member member(const Active& active, int launch, bool memory_pass) const;
  std::vector<int64_t> affordable_images(const std::vector<std::optional<protocol::Ready>>& ready,
                                         const std::vector<Active>& active, double start_seconds, double share) const;
  double run_launch(std::vector<Active>& active, int launch, double share);
  void measure_memory(const std::vector<Active>& active);
  bool more_launches_help(const std::vector<Active>& active) const;
  void collect(const Launch& launch, std::vector<Active>& active);
  double elapsed() const;

  const Options& options_;
  const Plan& plan_;
  Surroundings surroundings_;
  Report& report_;
  Progress& progress_;
  LaunchCount count_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::string now_running_;       // for the progress line
  double seconds_left_ = 0;       // likewise
  int64_t slice_ = 0;             // images, fixed by a group's first launch
};

}  // namespace ninefold
