// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "bench/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

namespace ninefold {

namespace {
constexpr auto kRedraw = std::chrono::milliseconds(200);
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<long>(std::lround(std::max(0.0, seconds)));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

Progress::Progress(bool enabled) : enabled_(enabled), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (enabled_ && terminal_ && !last_what_.empty()) fmt::print(stderr, "\r\033[K");
}

void Progress::step(const std::string& what, double fraction_of_step, double seconds_left) {
  if (!enabled_) return;
  const bool fresh = what != last_what_;
  const auto now = std::chrono::steady_clock::now();
  if (!fresh && (!terminal_ || now - last_drawn_ < kRedraw)) return;
  last_what_ = what;
  last_drawn_ = now;
  const std::string left = seconds_left > 0 ? fmt::format(", about {} left", clock_text(seconds_left)) : "";
  if (terminal_)
    fmt::print(stderr, "\r\033[K{} ({:.0f} %){}", what, 100 * fraction_of_step, left);
  else
    fmt::print(stderr, "{}{}\n", what, left);
  std::fflush(stderr);
}

void Progress::note(const std::string& line) {
  if (!enabled_) return;
  clear();
  fmt::print(stderr, "{}\n", line);
  last_what_.clear();
}

}  // namespace ninefold
