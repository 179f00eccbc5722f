// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// bench_all: parses, plans, measures, reports. As a child (hidden flag) it trains one variant and knows nothing else.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "bench/measurement.hpp"
#include "bench/options.hpp"
#include "bench/outcome.hpp"
#include "bench/plan.hpp"
#include "bench/progress.hpp"
#include "harness/data/dataset.hpp"
#include "harness/measure/child/child.hpp"
#include "harness/measure/environment.hpp"
#include "harness/measure/interrupt.hpp"
#include "harness/technique.hpp"
#include "reports/json.hpp"
#include "reports/table.hpp"
#include "reports/write.hpp"

namespace ninefold {
namespace {

constexpr const char* kChildFlag = "--ninefold-child";
constexpr int64_t kSyntheticImages = 60000;

int refuse(const std::string& why) {
  fmt::print(stderr, "bench_all: {}\n", why);
  return kRefused;
}

/// Reads the data set once, so that wrong files are refused before anything starts and its digest is known.
DatasetRecord record_of(const DataPlace& place) {
  const auto data = load_data(place, kSyntheticImages);
  return {data.kind, data.folder, data.digest, data.official, data.train.count, data.test.count, place.note};
}

/// The children's logs: beside the report, or in a temporary folder that is kept only if there is something to see.
class LogFolder {
 public:
  explicit LogFolder(const std::string& report) {
    const auto beside = std::filesystem::path(report).replace_extension(".logs");
    folder_ = report.empty() ? std::filesystem::temp_directory_path() / fmt::format("ninefold-{}.logs", getpid()) : beside;
  }
  std::string path() const { return folder_.string(); }
  bool exists() const { return std::filesystem::exists(folder_); }

 private:
  std::filesystem::path folder_;
};

int print_environment(const Machine& machine) {
  for (const auto& facts : {machine_facts(machine), variable_facts({})})
    for (const auto& [name, value] : facts) fmt::print("{}: {}\n", name, value);
  return kFine;
}

Report empty_report(const Options& options, const Plan& plan, const Machine& machine, const DatasetRecord& dataset,
                    int argc, const char* const* argv) {
  Report report;
  report.version = NINEFOLD_VERSION;
  report.command_line.assign(argv, argv + argc);
  report.started = utc_now();
  report.quick = options.quick;
  report.launches_asked = launch_count(options).least;
  report.epochs = options.epochs;
  report.seed = options.seed;
  if (options.quick) report.evidence.margin = 0.10;
  report.environment = machine_facts(machine);
  report.dataset = dataset;
  report.cases = case_records(plan);
  if (dataset.kind == "synthetic") report.warnings.push_back("synthetic data: made-up digits, not MNIST");
  return report;
}

/// Measures the plan; the report is on disk after every launch. Returns the exit code.
int measure(const Options& options, const Plan& plan, const Machine& machine, const DataPlace& place, Report report) {
  const LogFolder logs(options.out);
  std::string write_error;
  Surroundings surroundings;
  surroundings.cores = machine.cores;
  surroundings.child_argv = {std::filesystem::read_symlink("/proc/self/exe").string(), kChildFlag};
  surroundings.data_folder = place.kind == "synthetic" ? "" : place.folder;
  surroundings.log_folder = logs.path();
  surroundings.save = [&](const Report& current) {
    if (options.out.empty()) return;
    try {
      write_error.clear();
      write_report(options.out, to_json_text(current));
    } catch (const std::exception& error) {
      write_error = error.what();  // the run goes on: its table can still be printed
    }
  };

  watch_interrupts();
  {
    Progress progress;
    Measurement measurement(options, plan, std::move(surroundings), report, progress);
    try {
      measurement.run();
    } catch (const Interrupted& interrupted) {
      report.ending = interrupted.what();
      measurement.save();
    }
  }
  fmt::print("{}", table_text(report, {.colour = isatty(STDOUT_FILENO) != 0, .report_file = options.out}));
  if (logs.exists()) fmt::print(stderr, "output of the child processes: {}\n", logs.path());
  if (!report.ending.empty()) fmt::print(stderr, "bench_all: {}; what was measured until then is reported\n", report.ending);
  if (!write_error.empty()) return refuse(write_error);
  return exit_code(report);
}

int run(int argc, const char* const* argv) {
  const auto parsed = parse_options(argc, argv);
  if (const auto* ending = std::get_if<Ending>(&parsed)) {
    fmt::print("{}", ending->to_stdout);
    fmt::print(stderr, "{}", ending->to_stderr);
    return ending->exit_code;
  }
  const auto& options = std::get<Options>(parsed);
  const Machine machine = probe_machine();
  if (options.env) return print_environment(machine);
  if (options.list) {
    fmt::print("{}", list_text(make_plan(options, techniques(), machine, kSyntheticImages)));
    return kFine;
  }

  const DataPlace place = resolve_data(options.data);
  if (!place.note.empty()) fmt::print(stderr, "bench_all: {}\n", place.note);
  const DatasetRecord dataset = record_of(place);
  const Plan plan = make_plan(options, techniques(), machine, dataset.train_images);
  if (options.dry_run) {
    fmt::print("{}", dry_run_text(plan, options));
    return kFine;
  }
  if (!is_release_build())
    return refuse("this is not a Release build, and its times would mean nothing; build with the preset \"release\"");
  if (!options.out.empty()) check_writable(options.out);
  return measure(options, plan, machine, place, empty_report(options, plan, machine, dataset, argc, argv));
}

}  // namespace
}  // namespace ninefold

int main(int argc, char** argv) {
  using namespace ninefold;
  try {
    if (argc > 1 && std::strcmp(argv[1], kChildFlag) == 0) return child_main();
    return run(argc, argv);
  } catch (const std::exception& error) {  // PlanError, DataError, a report that can't be written: refused
    return refuse(error.what());
  }
}
