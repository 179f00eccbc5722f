// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/measure/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "harness/measure/interrupt.hpp"
#include "harness/measure/protocol.hpp"

extern char** environ;

namespace ninefold {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kLogHead = 16 << 10, kLogTail = 48 << 10;

struct Pipe {
  int read_end = -1, write_end = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw ChildError(fmt::format("can't make a pipe: {}", std::strerror(errno)));
    read_end = ends[0];
    write_end = ends[1];
  }
  ~Pipe() {
    if (read_end >= 0) close(read_end);
    if (write_end >= 0) close(write_end);
  }
  static int take(int& end) { return std::exchange(end, -1); }
};

std::vector<std::string> joined_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) entries.push_back(text);
  }
  for (const auto& [name, value] : added) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Between fork and exec: only calls that are safe there. Says by errno over `report` why exec failed.
[[noreturn]] void become(char* const* argv, char* const* environment, int questions, int answers, int log, int report,
                         pid_t parent) {
  // Out of the way of the fixed numbers first: dup2 onto a descriptor that is still needed would close it.
  questions = fcntl(questions, F_DUPFD_CLOEXEC, 10);
  answers = fcntl(answers, F_DUPFD_CLOEXEC, 10);
  log = fcntl(log, F_DUPFD_CLOEXEC, 10);
  report = fcntl(report, F_DUPFD_CLOEXEC, 10);
  const int nothing = open("/dev/null", O_RDONLY);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  setpgid(0, 0);
  signal(SIGPIPE, SIG_DFL);
  dup2(nothing, 0);
  dup2(log, 1);
  dup2(log, 2);
  dup2(questions, protocol::kChildReads);
  dup2(answers, protocol::kChildWrites);
  execvpe(argv[0], argv, environment);
  const int reason = errno;
  [[maybe_unused]] const auto written = write(report, &reason, sizeof reason);
  _exit(127);
}

std::string last_words(const std::string& log) {
  const size_t end = log.find_last_not_of(" \n\r\t");
  if (end == std::string::npos) return "";
  const size_t newline = log.find_last_of('\n', end);
  const size_t begin = newline == std::string::npos ? 0 : newline + 1;
  return fmt::format("; its last words: {:.300}", log.substr(begin, end + 1 - begin));
}

}  // namespace

ChildProcess::ChildProcess(const ChildCommand& command) {
  Pipe questions, answers, log, report;
  auto arguments = command.argv;
  auto variables = joined_environment(command.environment);
  const auto argv = pointers(arguments);
  const auto environment = pointers(variables);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw ChildError(fmt::format("can't start {}: {}", command.argv[0], std::strerror(errno)));
  if (pid_ == 0)
    become(argv.data(), environment.data(), questions.read_end, answers.write_end, log.write_end, report.write_end,
           parent);
  setpgid(pid_, pid_);  // here as well, so that the group exists whoever comes first
  close(Pipe::take(report.write_end));
  int reason = 0;
  if (read(report.read_end, &reason, sizeof reason) == sizeof reason) {
    waitpid(pid_, nullptr, 0);
    throw ChildError(fmt::format("can't start {}: {}", command.argv[0], std::strerror(reason)));
  }
  questions_ = Pipe::take(questions.write_end);
  answers_ = Pipe::take(answers.read_end);
  log_fd_ = Pipe::take(log.read_end);
  for (const int fd : {questions_, answers_, log_fd_}) fcntl(fd, F_SETFL, O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
  end_group();
  for (const int fd : {questions_, answers_, log_fd_})
    if (fd >= 0) close(fd);
}

void ChildProcess::end_group() {
  if (pid_ > 0) kill(-pid_, SIGKILL);
  if (!reaped_ && pid_ > 0) {
    kill(pid_, SIGKILL);
    while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) continue;
    reaped_ = true;
  }
  drain_log();
}

void ChildProcess::send(const std::string& line) {
  const std::string text = line + "\n";
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t n = write(questions_, text.data() + sent, text.size() - sent);
    if (n > 0) {
      sent += static_cast<size_t>(n);
    } else if (errno == EAGAIN) {  // more than the pipe holds: a child that does not read is as good as dead
      pollfd wait{questions_, POLLOUT, 0};
      if (poll(&wait, 1, 10'000) <= 0) {
        end_group();
        throw ChildError("the child does not read its questions" + last_words(log()));
      }
    } else if (errno != EINTR) {
      throw ChildError(ending());
    }
  }
}

bool ChildProcess::read_some(int timeout_ms) {
  pollfd waits[] = {{answers_, POLLIN, 0}, {log_fd_, POLLIN, 0}, {interrupt_fd(), POLLIN, 0}};
  if (poll(waits, 3, timeout_ms) < 0 && errno != EINTR)
    throw ChildError(fmt::format("poll failed: {}", std::strerror(errno)));
  if (waits[1].revents & (POLLIN | POLLHUP)) drain_log();
  try {
    throw_if_interrupted();
  } catch (...) {
    end_group();
    throw;
  }
  if (!(waits[0].revents & (POLLIN | POLLHUP))) return true;
  char buffer[65536];
  const ssize_t n = read(answers_, buffer, sizeof buffer);
  if (n > 0) received_.append(buffer, static_cast<size_t>(n));
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

std::string ChildProcess::receive(Seconds timeout) {
  const auto deadline = Clock::now() + timeout;
  while (true) {
    if (const size_t end = received_.find('\n'); end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    if (received_.size() > protocol::kLongestLine) {
      end_group();
      throw ChildError(fmt::format("the child sent a line of over {} bytes", protocol::kLongestLine));
    }
    const double left = Seconds(deadline - Clock::now()).count();
    if (left <= 0) {
      end_group();
      throw ChildError(fmt::format("no answer within {:g} s (--timeout): ended", timeout.count()) + last_words(log()));
    }
    if (!read_some(static_cast<int>(std::min(left * 1000 + 1, 1000.0)))) throw ChildError(ending());
  }
}

std::string ChildProcess::ending() {
  // The pipe is closed: the child is gone or going. Give it a moment to leave its status.
  for (int i = 0; i < 100 && !reaped_; ++i) {
    if (waitpid(pid_, &status_, WNOHANG) == pid_) reaped_ = true;
    if (!reaped_) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const bool left = reaped_;
  end_group();
  std::string how = "the child closed its pipe";
  if (left && WIFSIGNALED(status_)) {
    const int signal = WTERMSIG(status_);
    how = fmt::format("the child was killed by SIG{} ({})", sigabbrev_np(signal), sigdescr_np(signal));
    if (signal == SIGKILL) how += ", perhaps since memory ran out";
  } else if (left) {
    how = fmt::format("the child ended with exit code {}", WEXITSTATUS(status_));
  }
  return how + last_words(log());
}

void ChildProcess::wait(Seconds timeout) {
  const auto deadline = Clock::now() + timeout;
  while (!reaped_ && Clock::now() < deadline) {
    if (waitpid(pid_, &status_, WNOHANG) == pid_) reaped_ = true;
    if (reaped_) break;
    pollfd waits[] = {{log_fd_, POLLIN, 0}, {interrupt_fd(), POLLIN, 0}};
    poll(waits, 2, 2);
    drain_log();
    throw_if_interrupted();
  }
  end_group();
}

double ChildProcess::wait_quiet(Seconds bound) const {
  clockid_t clock;
  if (clock_getcpuclockid(pid_, &clock) != 0) return 0;
  const auto cpu_seconds = [&] {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  constexpr auto kPause = std::chrono::microseconds(500);
  constexpr double kQuietShare = 0.02;  // a child that only waits uses nothing; 2 % forgives clock granularity
  const auto begin = Clock::now();
  double cpu = cpu_seconds();
  auto then = begin;
  while (Clock::now() - begin < bound) {
    std::this_thread::sleep_for(kPause);
    const auto now = Clock::now();
    const double cpu_now = cpu_seconds();
    const double used = cpu_now - std::exchange(cpu, cpu_now);
    if (used < kQuietShare * Seconds(now - std::exchange(then, now)).count()) break;
  }
  return Seconds(Clock::now() - begin).count();
}

void ChildProcess::drain_log() {
  char buffer[16384];
  ssize_t n;
  while (log_fd_ >= 0 && (n = read(log_fd_, buffer, sizeof buffer)) > 0) {
    std::string text(buffer, static_cast<size_t>(n));
    if (log_head_.size() < kLogHead) {
      const size_t room = std::min(kLogHead - log_head_.size(), text.size());
      log_head_.append(text, 0, room);
      text.erase(0, room);
    }
    log_tail_ += text;
    if (log_tail_.size() > kLogTail) {
      log_tail_.erase(0, log_tail_.size() - kLogTail);
      log_cut_ = true;
    }
  }
  if (log_fd_ >= 0 && n == 0) close(std::exchange(log_fd_, -1));
}

std::string ChildProcess::log() const {
  return log_head_ + (log_cut_ ? "\n[... cut ...]\n" : "") + log_tail_;
}

}  // namespace ninefold
