// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// The Phases of a timed child: self time of each phase on the training thread, and an NVTX range for each scope.
#pragma once
#include <array>
#include <chrono>
#include <map>
#include <string>

#include "harness/training/phases.hpp"

namespace ninefold {

/// Lane 0 is timed; a nested scope's time is its own, not its parent's, so that the phases add up. Every lane gets an NVTX
/// range in the domain "ninefold", named as the phase, and each window one named "step"; without a profiler attached 
/// range costs 2 ns.
class PhaseClock final : public Phases {
 public:
  void open(Phase phase, int lane) override;
  void close(Phase phase, int lane) override;

  /// Starts to count from zero.
  void restart();
  /// Seconds by phase name since restart(); all phases, also those of 0.
  std::map<std::string, double> seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  void charge(Clock::time_point now);

  static constexpr size_t kDeepest = 8;
  std::array<Clock::duration, kPhaseNames.size()> spent_{};
  std::array<Phase, kDeepest> open_{};
  size_t depth_ = 0;
  Clock::time_point since_{};
};

}  // namespace ninefold
