// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// One launch: every variant of a group in a child process of its own, from the same seed, trained in turn slice by slice.
// Must know no torch, no technique and no statistics; a child may be any program that speaks the protocol.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/child_process.hpp"
#include "harness/measure/environment.hpp"
#include "harness/measure/protocol.hpp"
#include "harness/measure/task.hpp"
#include "harness/record.hpp"

namespace ninefold {

/// A variant to be trained in a launch.
struct Member {
  Task task;
  ChildCommand command;
  std::string log_file;  ///< where the child's output goes, if there is any; empty = dropped
};

struct LaunchSettings {
  int index = 0;
  int epochs = 1;
  int cores = 1;  ///< children started at the same time
  std::chrono::duration<double> timeout{120};  ///< for any one answer
  std::string data_digest;                    ///< that every child must have read, where it tells
  std::function<void(double)> on_slice = [](double) {};  ///< after all took a slice: share of the launch done
};

/// Throws Interrupted out of any call; a failing child only marks its own record and the others go on.
class Launch {
 public:
  /// members[0] is the baseline.
  Launch(LaunchSettings settings, std::vector<Member> members);
  ~Launch();

  /// Starts all children and waits until they are warmed up and back at step 0.
  void start();
  /// By member; nothing for one that failed.
  const std::vector<std::optional<protocol::Ready>>& ready() const { return ready_; }
  /// Trains all epochs in slices of so many images.
  void train(int64_t slice_images);
  /// The peaks of memory since the start of training; for tasks with memory_pass. By member, nothing for a failed one.
  std::vector<std::optional<MemoryRecord>> memory();
  /// Evaluates (untimed) and lets the children end.
  void finish();

  /// By member. Valid at any time, also after Interrupted: what was measured until then.
  const std::vector<LaunchRecord>& records() const { return records_; }

 private:
  template <class Work>
  void guarded(size_t member, const Work& work);
  void take_slice(size_t member, int index, int64_t target);
  void fail(size_t member, Status status, const std::string& reason);
  bool running(size_t member) const { return children_[member] != nullptr; }

  LaunchSettings settings_;
  std::vector<Member> members_;
  std::vector<std::unique_ptr<ChildProcess>> children_;
  std::vector<std::optional<protocol::Ready>> ready_;
  std::vector<LaunchRecord> records_;
  std::vector<bool> epoch_done_;
  OtherLoad other_load_;
  ChildProcess* last_to_run_ = nullptr;
};

}  // namespace ninefold
