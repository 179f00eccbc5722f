// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/measure/child/child.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <new>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <torch/version.h>

#include "harness/cuda/cuda_part.hpp"
#include "harness/data/dataset.hpp"
#include "harness/measure/child/memory.hpp"
#include "harness/measure/environment.hpp"
#include "harness/measure/protocol.hpp"
#include "harness/technique.hpp"
#include "harness/training/assemble.hpp"
#include "harness/training/evaluate.hpp"
#include "harness/training/models.hpp"
#include "harness/training/phase_clock.hpp"
#include "harness/training/trainer.hpp"

namespace ninefold {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Seconds since the kernel started this process, to 10 ms.
double process_age() {
  std::ifstream stat("/proc/self/stat");
  const std::string text((std::istreambuf_iterator<char>(stat)), {});
  long long ticks = 0;
  std::sscanf(text.c_str() + text.rfind(')'), ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %lld",
              &ticks);
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) -
         static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

const Variant& find_variant(const std::string& case_id) {
  for (const auto& technique : techniques())
    for (const auto& variant : technique.variants)
      if (technique.name + "/" + variant.name == case_id) return variant;
  throw std::invalid_argument("this program has no variant " + case_id);
}

/// The variant joined with those that it uses by name.
Variant whole_variant(const std::string& case_id) {
  const Variant& own = find_variant(case_id);
  std::vector<std::pair<std::string, const Variant*>> parts = {{case_id, &own}};
  for (const auto& other : own.with) parts.emplace_back(other, &find_variant(other));
  return combine(parts);
}

Facts software_facts(const CudaPart* cuda) {
  Facts facts = {{"torch", TORCH_VERSION},
                 {"cpu_capability", at::get_cpu_capability()},
                 {"blas", at::hasMKL() ? "MKL" : "other"},
                 {"onednn", at::globalContext().userEnabledMkldnn() && at::hasMKLDNN() ? "on" : "off"},
                 {"intra_op_threads", std::to_string(at::get_num_threads())},
                 {"interop_threads", std::to_string(at::get_num_interop_threads())},
                 {"flush_denormals", "off"},
                 {"deterministic", at::globalContext().deterministicAlgorithms() ? "on" : "off"}};
  if (cuda) facts["cuda"] = cuda->versions();
  return facts;
}

/// A child between hello and bye.
class Trainee {
 public:
  explicit Trainee(const Task& task)
      : task_(task),
        device_(task.device),
        cuda_(device_.is_cuda() ? &load_cuda_part() : nullptr),
        variant_(whole_variant(task.case_id)) {
    if (task.memory_pass) count_tensor_memory();
    at::set_num_threads(task.threads);
    at::get_num_threads();  // makes the setting this thread's own before others inherit a later one
    const DataPlace place{task.dataset == "synthetic" ? "synthetic" : "custom", task.dataset == "synthetic" ? "" : task.dataset, ""};
    data_ = load_data(place, task.synthetic_images);
    if (data_.train.count != task.recipe.set_images)
      throw DataError(fmt::format("{}: expected {} training images, found {}", task.dataset, task.recipe.set_images,
                                  data_.train.count));
    machine_ = probe_machine();
    training_ = training_set(data_.train);
    if (task.memory_pass)
      phases_ = watch_ = std::make_shared<MemoryWatch>();
    else
      phases_ = clock_ = std::make_shared<PhaseClock>();
    board_ = build_board(variant_, {.recipe = task_.recipe,
                                    .machine = machine_,
                                    .model_name = task_.model,
                                    .slots = {device_},
                                    .threads = task_.threads,
                                    .data = training_,
                                    .phases = phases_});
    trainer_.emplace(*board_);
  }

  protocol::Ready warm_up() {
    protocol::Ready ready;
    ready.start_seconds = process_age();
    const auto warm = trainer_->warm_up(task_.warm_up_steps);
    probe_before_ = probe_loss(*board_, task_.model, training_);
    start_ = snapshot(board_->weights);
    ready.epoch_images = task_.recipe.images;
    ready.window_images = window_images(task_.recipe);
    ready.warm_up_steps = warm.steps;
    ready.seconds_per_image = warm.seconds_per_image;
    ready.data_digest = data_.digest;
    ready.software = software_facts(cuda_);
    if (cuda_) cuda_->reset_peak(device_.index());
    if (watch_) watch_->begin();
    return ready;
  }

  protocol::Ran run(int64_t until) {
    if (clock_) clock_->restart();
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    const double cpu = cpu_seconds();
    const auto begin = Clock::now();
    const auto done = trainer_->run_until(until);
    if (cuda_) cuda_->synchronize(device_.index());
    protocol::Ran ran;
    ran.seconds = since(begin);
    ran.cpu_seconds = cpu_seconds() - cpu;
    getrusage(RUSAGE_SELF, &after);
    ran.images = done.images;
    ran.steps = done.steps;
    ran.minor_faults = after.ru_minflt - before.ru_minflt;
    ran.involuntary_switches = after.ru_nivcsw - before.ru_nivcsw;
    if (clock_) {
      ran.phases = clock_->seconds();
      double inside = 0;
      for (const auto& [phase, seconds] : ran.phases) inside += seconds;
      ran.phases["other"] = ran.seconds - inside;
    }
    ran.epoch_end = done.epoch_end;
    if (done.epoch_end) {
      ran.mean_loss = done.mean_loss;
      ran.first_loss = done.first_loss;
      ran.last_loss = done.last_loss;
    }
    return ran;
  }

  protocol::Evaluated evaluate() const {
    const auto test = training_set(data_.test);
    protocol::Evaluated result;
    result.accuracy = test_accuracy(*board_, task_.model, test);
    result.images = data_.test.count;
    result.probe_loss_before = probe_before_;
    result.probe_loss_after = probe_loss(*board_, task_.model, training_);
    result.parameters_changed = differs(start_, board_->weights);
    for (const Plug* plug : board_->plugs())
      plug->report([&](const std::string& key, double value) { result.numbers[key] = value; });
    return result;
  }

  MemoryRecord memory() const {
    if (!watch_) throw std::invalid_argument("memory was asked for, but the task is no memory pass");
    auto peaks = watch_->peaks();
    if (cuda_) peaks.device_peak = cuda_->allocated_peak(device_.index());
    return peaks;
  }

 private:
  Task task_;
  at::Device device_;
  const CudaPart* cuda_;
  Variant variant_;
  Machine machine_;
  Dataset data_;
  TrainingSet training_;
  std::shared_ptr<Phases> phases_;
  std::shared_ptr<PhaseClock> clock_;   // in a timed child
  std::shared_ptr<MemoryWatch> watch_;  // in a memory pass
  std::unique_ptr<Board> board_;
  std::optional<Trainer> trainer_;
  double probe_before_ = 0;
  std::vector<Tensor> start_;  // the weights at step 0
};

class Pipe {
 public:
  Pipe() : in_(fdopen(protocol::kChildReads, "r")), out_(fdopen(protocol::kChildWrites, "w")) {
    if (!in_ || !out_) throw std::runtime_error("descriptors 3 and 4 are not open: this is a child of bench_all, not for people");
  }
  /// False at the end of input.
  bool read(std::string& line) {
    line.clear();
    for (int c; (c = std::getc(in_)) != EOF && c != '\n';) line += static_cast<char>(c);
    return !line.empty();
  }
  void write(const std::string& line) {
    std::fprintf(out_, "%s\n", line.c_str());
    std::fflush(out_);
  }

 private:
  std::FILE *in_, *out_;
};

/// The message of an exception as one line: c10's carry a back-trace.
std::string one_line(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  std::string text = torch_error ? torch_error->what_without_backtrace() : error.what();
  return text.substr(0, text.find('\n'));
}

bool is_out_of_memory(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) || dynamic_cast<const c10::OutOfMemoryError*>(&error) ||
         std::string_view(error.what()).find("not enough memory") != std::string_view::npos;
}

void serve(Pipe& pipe) {
  std::optional<Trainee> trainee;
  for (std::string line; pipe.read(line);) {
    const auto question = protocol::parse_question(line);
    if (question.name == "hello") {
      trainee.emplace(question.task);
      pipe.write(protocol::answer(trainee->warm_up()));
    } else if (question.name == "bye") {
      pipe.write(protocol::answer_bye());
      return;
    } else if (!trainee) {
      throw protocol::ProtocolError("the first question must be \"hello\", found \"" + question.name + "\"");
    } else if (question.name == "run") {
      pipe.write(protocol::answer(trainee->run(question.until)));
    } else if (question.name == "evaluate") {
      pipe.write(protocol::answer(trainee->evaluate()));
    } else if (question.name == "memory") {
      pipe.write(protocol::answer(trainee->memory()));
    } else {
      throw protocol::ProtocolError("unknown question \"" + question.name + "\"");
    }
  }
}

}  // namespace

int child_main() {
  // If memory runs out, the kernel shall end a child, never the parent that would report it.
  std::ofstream("/proc/self/oom_score_adj") << "500";
  Pipe pipe;
  try {
    serve(pipe);
    return 0;
  } catch (const std::exception& error) {
    const auto kind = is_out_of_memory(error) ? protocol::Failure::Kind::out_of_memory : protocol::Failure::Kind::failed;
    pipe.write(protocol::answer(protocol::Failure{kind, one_line(error)}));
    return 1;
  }
}

}  // namespace ninefold
