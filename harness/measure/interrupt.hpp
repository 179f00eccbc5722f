// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// Ctrl-C and its kin, turned into an exception at the next wait. Every wait of the parent watches interrupt_fd().
#pragma once
#include <stdexcept>
#include <string>

namespace ninefold {

/// The user or the system asked to stop. what() names the signal: "interrupted by SIGINT".
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Catches SIGINT, SIGTERM and SIGHUP and ignores SIGPIPE from now on. Once, in main of the parent.
void watch_interrupts();

/// Becomes readable when a signal came; -1 before watch_interrupts().
int interrupt_fd();

/// Throws Interrupted if a signal came.
void throw_if_interrupted();

}  // namespace ninefold
