// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/measure/interrupt.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <system_error>

namespace ninefold {
namespace {

// A signal handler can reach only globals; these are all of them.
volatile sig_atomic_t caught_signal = 0;
int wake_pipe[2] = {-1, -1};

void on_signal(int signal) {
  caught_signal = signal;
  [[maybe_unused]] const auto written = write(wake_pipe[1], "!", 1);
}

}  // namespace

void watch_interrupts() {
  if (pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe for signals");
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
}

int interrupt_fd() { return wake_pipe[0]; }

void throw_if_interrupted() {
  if (caught_signal == 0) return;
  throw Interrupted(std::string("interrupted by SIG") + sigabbrev_np(caught_signal));
}

}  // namespace ninefold
