// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// What one run of bench_all holds when it has ended: the only thing that reports/ reads. Plain data that a test can build
// by hand; must know no torch, no process and no output format.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/evidence/verdict.hpp"
#include "harness/schedule.hpp"

namespace ninefold {

/// The machine and the software, each under a stable name: "cpu_model", "cores_allowed", "torch", "blas", ... What must
/// match before two reports may be compared. Values are text; "unknown" where the machine does not tell.
using Facts = std::map<std::string, std::string>;

/// One uninterrupted piece of training in one child, timed by the child itself.
struct SliceRecord {
  int index = 0;       ///< in the launch, over all epochs; equal for all children that took this turn
  int64_t images = 0;  ///< really trained; 0 where an earlier window already covered the target
  int64_t steps = 0;   ///< optimizer windows
  double seconds = 0;  ///< wall time
  double cpu_seconds = 0;  ///< of all threads of the child
  int64_t minor_faults = 0;
  int64_t involuntary_switches = 0;
  double other_cpu_share = 0;  ///< share of the allowed cores used by other processes meanwhile
};

struct EpochRecord {
  double seconds = 0;      ///< sum of the slices
  double cpu_seconds = 0;
  int64_t images = 0;
  int64_t steps = 0;
  std::map<std::string, double> phases;  ///< seconds by phase name, and "other": they add up to `seconds`
  std::optional<double> mean_loss;       ///< from the loss log, image-weighted
  std::optional<double> first_loss, last_loss;  ///< means over the first and last windows, at most 50 each
};

enum class Status { ok, skipped, failed, diverged, interrupted, pending };
std::string to_string(Status);

/// One child process: one variant trained once from one seed.
struct LaunchRecord {
  int index = 0;  ///< launch number from 0; equal for all variants that were interleaved
  uint64_t seed = 0;
  Status status = Status::pending;
  std::string reason;  ///< why not ok, one line
  double start_seconds = 0;       ///< process start until its first training step
  int64_t warm_up_steps = 0;
  std::vector<SliceRecord> slices;
  std::vector<EpochRecord> epochs;
  std::optional<double> probe_loss_before, probe_loss_after;  ///< on a fixed probe set, untimed
  std::optional<bool> parameters_changed;
  std::optional<double> test_accuracy;  ///< 0 to 1
  int64_t test_images = 0;
  std::map<std::string, double> numbers;  ///< what the plugs reported ("skipped_steps")
};

/// Peaks of one fresh process that trained the same images alone with a counting allocator, untimed.
struct MemoryRecord {
  int64_t tensor_start = 0, tensor_peak = 0;      ///< bytes in tensors (allocator), before the first step and at most
  int64_t heap_start = 0, heap_peak = 0;  ///< bytes in the C++ heap, CPU tensors included; looked at after each step
  int64_t resident_start = 0, resident_peak = 0;  ///< bytes of the process in memory (VmRSS, VmHWM)
  std::optional<int64_t> device_peak;             ///< bytes allocated on the GPU
  std::optional<double> heap_kept_per_step;       ///< bytes of heap growth per optimizer step (slope over the epoch)
};

struct CaseRecord {
  std::string id;         ///< "loss_item/item"; with a key "batch_size/256/lr=linear"
  std::string technique, variant, baseline;  ///< baseline = id of the case it is compared with (its own if it is one)
  std::string summary;
  std::string model;
  std::string device;     ///< "cpu", "cuda:0"
  Recipe recipe;
  int threads = 1;
  bool partial = false;   ///< fewer images per epoch than the set holds
  std::string changes_maths;
  Status status = Status::pending;
  std::string reason;
  std::vector<LaunchRecord> launches;
  std::optional<MemoryRecord> memory;
  std::optional<RowEvidence> evidence;  ///< none for a baseline
  bool is_baseline() const { return id == baseline; }
};

struct DatasetRecord {
  std::string kind;    ///< "mnist", "fashion", "synthetic", "custom"
  std::string folder;  ///< where it was read; empty for synthetic
  std::string digest;  ///< sha256 over the digests of the four parts
  bool official = false;  ///< all four parts are the published files
  int64_t train_images = 0, test_images = 0;
  std::string note;  ///< e.g. that there was no real data and synthetic digits are used
};

struct Report {
  std::string version;  ///< of this program
  std::vector<std::string> command_line;
  std::string started;  ///< UTC, ISO 8601
  double elapsed_seconds = 0;
  bool complete = false;  ///< false until everything asked for was measured
  std::string ending;     ///< why not complete: "interrupted by SIGINT"; empty if complete
  bool quick = false;
  int launches_asked = 0;
  int epochs = 1;
  int64_t slice_images = 0;
  uint64_t seed = 0;
  EvidenceSettings evidence;
  Facts environment;  ///< of the machine, from the parent
  Facts software;     ///< from the children's context: torch, BLAS, CPU capability
  Facts variables;    ///< allow-listed environment variables of the children
  DatasetRecord dataset;
  std::vector<CaseRecord> cases;     ///< groups in order, baseline first in each
  std::vector<std::string> warnings;  ///< what a reader must know: noisy machine, partial epochs, synthetic data
};

}  // namespace ninefold
