// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// One child process: started by exec with the protocol's two descriptors, talked to line by line with a bound on every
// wait, and never left behind. Must know no torch and no meaning of a message.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace ninefold {

/// The child ended, fell silent or broke the pipe. what() is one line: what happened, how it ended, its last words.
class ChildError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ChildCommand {
  std::vector<std::string> argv;                   ///< argv[0] is a path, or a name to be found in PATH
  std::map<std::string, std::string> environment;  ///< added to ours
};

class ChildProcess {
 public:
  using Seconds = std::chrono::duration<double>;

  /// Starts the program in a process group of its own; it dies with us. Throws ChildError when it can't be started.
  explicit ChildProcess(const ChildCommand& command);
  /// Ends the whole process group, if it still runs, and reaps the child.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void send(const std::string& line);
  /// The next line from the child. Throws ChildError when none comes in time or the child ends, Interrupted on Ctrl-C;
  /// in both cases the child is ended first.
  std::string receive(Seconds timeout);
  /// Waits for the child to end by itself; ends it if it does not.
  void wait(Seconds timeout);
  /// Waits until the child's CPU clock stands still, so that its idle threads do not slow whoever runs next.
  /// Bounded; returns the seconds waited.
  double wait_quiet(Seconds bound) const;

  pid_t pid() const { return pid_; }
  /// What the child wrote to stdout and stderr: the first 16 KiB and the last 48 KiB.
  std::string log() const;

 private:
  bool read_some(int timeout_ms);
  void drain_log();
  void end_group();
  std::string ending();

  pid_t pid_ = -1;
  int questions_ = -1, answers_ = -1, log_fd_ = -1;
  int status_ = 0;
  bool reaped_ = false;
  std::string received_, log_head_, log_tail_;
  bool log_cut_ = false;
};

}  // namespace ninefold
