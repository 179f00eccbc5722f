// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// One line on stderr that says what runs and how long it will take; redrawn on a terminal, a line a launch elsewhere.
#pragma once
#include <chrono>
#include <string>

namespace ninefold {

class Progress {
 public:
  /// enabled: false prints nothing.
  explicit Progress(bool enabled = true);
  ~Progress();

  /// What is being done, e.g. "loss_item launch 2 of 6", and the estimate for all that is left, if there is one yet.
  void step(const std::string& what, double fraction_of_step, double seconds_left);
  /// A line that stays.
  void note(const std::string& line);

 private:
  void clear();
  bool enabled_, terminal_;
  std::string last_what_;
  std::chrono::steady_clock::time_point last_drawn_{};
};

/// "0:07", "12:30", "1:02:00".
std::string clock_text(double seconds);

}  // namespace ninefold
