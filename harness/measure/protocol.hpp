// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// The messages between bench_all and a child that trains: one JSON object a line, over two inherited file descriptors.
// README.md describes them for people who write a child in another language. Must know no torch and no process.
#pragma once
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "harness/measure/task.hpp"
#include "harness/record.hpp"

namespace ninefold::protocol {

inline constexpr int kVersion = 1;
inline constexpr int kChildReads = 3;   ///< the child's descriptor for questions
inline constexpr int kChildWrites = 4;  ///< and for answers
inline constexpr size_t kLongestLine = 1 << 20;  ///< bytes; a longer line is refused

/// A line that is no answer of this protocol. what() says what was expected and quotes the beginning of what came.
class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The child could not go on and says why.
struct Failure {
  enum class Kind { failed, refused, out_of_memory } kind = Kind::failed;
  std::string reason;  ///< one line
};

/// The child is warmed up and back at step 0.
struct Ready {
  int64_t epoch_images = 0;   ///< that it will train per epoch; must be what the task asked for
  int64_t window_images = 0;  ///< images of one optimizer step
  int64_t warm_up_steps = 0;
  double seconds_per_image = 0;  ///< of the last warm-up steps; a guess to size slices with
  double start_seconds = 0;      ///< process start to first training step
  std::string data_digest;       ///< as Dataset::digest; empty = the child does not tell
  Facts software;                ///< versions and settings that change results
};

/// A slice was trained.
struct Ran {
  int64_t images = 0, steps = 0;
  double seconds = 0, cpu_seconds = 0;
  int64_t minor_faults = 0, involuntary_switches = 0;
  std::map<std::string, double> phases;  ///< seconds; may be empty
  bool epoch_end = false;
  std::optional<double> mean_loss, first_loss, last_loss;  ///< at an epoch's end; null where not finite
};

struct Evaluated {
  std::optional<double> accuracy, probe_loss_before, probe_loss_after;  ///< null where not finite or not known
  int64_t images = 0;
  std::optional<bool> parameters_changed;
  std::map<std::string, double> numbers;
};

/// The five questions, each one line without the newline.
std::string ask_hello(const Task& task);
std::string ask_run(int64_t until);  ///< train until the current epoch has seen this many images, in whole windows
std::string ask_evaluate();
std::string ask_memory();
std::string ask_bye();

/// What a child reads: the question's name ("hello", "run", ...) and its content. Throws ProtocolError.
struct Question {
  std::string name;
  int64_t until = 0;
  Task task;
};
Question parse_question(const std::string& line);

/// The answers, each one line without the newline.
std::string answer(const Ready&);
std::string answer(const Ran&);
std::string answer(const Evaluated&);
std::string answer(const MemoryRecord&);
std::string answer_bye();
std::string answer(const Failure&);

/// The kind of answer that was asked for, or the child's Failure thrown as ChildFailure. Throws ProtocolError for
/// anything else.
class ChildFailure : public std::runtime_error {
 public:
  explicit ChildFailure(const Failure& failure) : std::runtime_error(failure.reason), failure(failure) {}
  Failure failure;
};
Ready parse_ready(const std::string& line);
Ran parse_ran(const std::string& line);
Evaluated parse_evaluated(const std::string& line);
MemoryRecord parse_memory(const std::string& line);
void parse_bye(const std::string& line);

}  // namespace ninefold::protocol
