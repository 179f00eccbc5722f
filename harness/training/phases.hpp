// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// The phases of a training step, and where their scopes go. Must know no torch; what listens (time, NVTX, memory) is
// chosen by whoever makes the board.
#pragma once
#include <array>
#include <cstddef>

namespace ninefold {

enum class Phase { data, transfer, forward, backward, communication, optimizer, loss };
constexpr std::array<const char*, 7> kPhaseNames = {"data",          "transfer",  "forward", "backward",
                                                    "communication", "optimizer", "loss"};
constexpr const char* name(Phase phase) { return kPhaseNames[static_cast<size_t>(phase)]; }

/// Gets every scope of the loop. lane 0 = the training thread, whose phases add up to the step; 1, 2, ... = device slots,
/// each used by one thread at a time. Scopes of a lane nest.
class Phases {
 public:
  virtual ~Phases() = default;
  virtual void open(Phase, int /*lane*/) {}
  virtual void close(Phase, int /*lane*/) {}
  virtual void end_window() {}  ///< after each optimizer window, on the training thread
};

/// One scope.
class PhaseScope {
 public:
  PhaseScope(Phases& phases, Phase phase, int lane = 0) : phases_(phases), phase_(phase), lane_(lane) {
    phases_.open(phase_, lane_);
  }
  ~PhaseScope() { phases_.close(phase_, lane_); }
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;

 private:
  Phases& phases_;
  Phase phase_;
  int lane_;
};

}  // namespace ninefold
