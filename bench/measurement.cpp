// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "bench/measurement.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include <fmt/format.h>

#include "bench/outcome.hpp"
#include "harness/measure/environment.hpp"
#include "harness/measure/interrupt.hpp"
#include "harness/measure/slices.hpp"

namespace ninefold {
namespace {

/// An interval narrower than this on both sides of its middle needs no more launches.
constexpr double kWideInterval = 0.02;
/// A variant that the budget cuts still trains so many optimizer windows per launch.
constexpr int64_t kLeastWindows = 20;
constexpr int kWarmUpSteps = 20;

/// What every measured child gets unless the user chose. Idle OpenMP threads then spin for about 1,000 rounds (some
/// microseconds) instead of milliseconds, so that they do not slow whoever runs next; the figures are in README.md.
std::map<std::string, std::string> child_environment(const std::map<std::string, std::string>& of_variant) {
  auto environment = of_variant;
  if (!std::getenv("OMP_WAIT_POLICY") && !std::getenv("GOMP_SPINCOUNT")) environment.try_emplace("GOMP_SPINCOUNT", "1000");
  return environment;
}

std::string file_name(std::string id) {
  std::replace(id.begin(), id.end(), '/', '.');
  return id;
}

}  // namespace

LaunchCount launch_count(const Options& options) {
  if (options.launches) return {*options.launches, *options.launches};
  if (options.quick) return {3, 3};
  return {};
}

std::vector<CaseRecord> case_records(const Plan& plan) {
  std::vector<CaseRecord> records;
  for (const auto& group : plan.groups)
    for (const auto& item : group.cases) {
      CaseRecord record;
      record.id = item.id;
      record.technique = item.technique;
      record.variant = item.variant_name;
      record.baseline = group.cases.front().id;
      record.summary = item.variant.summary;
      record.model = item.model;
      record.device = item.device;
      record.recipe = item.recipe;
      record.threads = item.threads;
      record.partial = item.recipe.images < item.recipe.set_images;
      record.changes_maths = item.variant.changes_maths;
      if (item.skip) {
        record.status = Status::skipped;
        record.reason = *item.skip;
      }
      records.push_back(std::move(record));
    }
  return records;
}

Measurement::Measurement(const Options& options, const Plan& plan, Surroundings surroundings, Report& report,
                         Progress& progress)
    : options_(options),
      plan_(plan),
      surroundings_(std::move(surroundings)),
      report_(report),
      progress_(progress),
      count_(launch_count(options)) {}

double Measurement::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void Measurement::save() {
  report_.elapsed_seconds = elapsed();
  judge(report_);
  surroundings_.save(report_);
}

Member Measurement::member(const Active& active, int launch, bool memory_pass) const {
  const auto& record = report_.cases[active.record];
  Member member;
  member.task.case_id = record.id;
  member.task.model = record.model;
  member.task.device = record.device;
  member.task.dataset = surroundings_.data_folder.empty() ? "synthetic" : surroundings_.data_folder;
  member.task.synthetic_images = record.recipe.set_images;
  member.task.recipe = record.recipe;
  member.task.recipe.seed = report_.seed + static_cast<uint64_t>(launch);
  member.task.threads = record.threads;
  member.task.warm_up_steps = kWarmUpSteps;
  member.task.memory_pass = memory_pass;
  member.command = {surroundings_.child_argv, child_environment(active.plan->variant.environment)};
  member.log_file = fmt::format("{}/{}.{}.log", surroundings_.log_folder, file_name(record.id),
                                memory_pass ? "memory" : fmt::format("launch{}", launch));
  return member;
}

/// Images per launch for each member, so that all launches of the group fit into its share of the budget: the slow ones
/// are cut first, all to the same time, the baseline never below a variant.
std::vector<int64_t> Measurement::affordable_images(const std::vector<std::optional<protocol::Ready>>& ready,
                                                    const std::vector<Active>& active, double start_seconds,
                                                    double share) const {
  std::vector<int64_t> images;
  std::vector<double> seconds;  // of a launch, by member
  for (size_t i = 0; i < active.size(); ++i) {
    images.push_back(report_.cases[active[i].record].recipe.images);
    seconds.push_back(ready[i] ? ready[i]->seconds_per_image * static_cast<double>(images[i] * options_.epochs) : 0);
  }
  // One launch more stands for the memory pass.
  double left = share / (count_.least + 1) - start_seconds;
  std::vector<size_t> by_cost(active.size());
  std::iota(by_cost.begin(), by_cost.end(), 0);
  std::sort(by_cost.begin(), by_cost.end(), [&](size_t a, size_t b) { return seconds[a] < seconds[b]; });
  for (size_t place = 0; place < by_cost.size(); ++place) {
    const size_t i = by_cost[place];
    const double fair = std::max(0.0, left / static_cast<double>(by_cost.size() - place));
    if (ready[i] && seconds[i] > fair) {
      const int64_t window = ready[i]->window_images;
      const auto windows = static_cast<int64_t>(fair / (seconds[i] / static_cast<double>(images[i])) / static_cast<double>(window));
      images[i] = std::min(images[i], std::max(kLeastWindows, windows) * window);
      seconds[i] = fair;
    }
    left -= seconds[i];
  }
  for (auto& count : images) count = std::min(count, images[0]);
  return images;
}

void Measurement::collect(const Launch& launch, std::vector<Active>& active) {
  for (size_t i = 0; i < active.size(); ++i) {
    auto record = launch.records()[i];
    check_learning(record);
    report_.cases[active[i].record].launches.push_back(std::move(record));
    if (const auto& ready = launch.ready()[i]; ready && report_.software.empty()) report_.software = ready->software;
  }
  // What failed once is not tried again; its reason stands in the report.
  for (size_t i = active.size(); i-- > 0;)
    if (launch.records()[i].status == Status::failed) active.erase(active.begin() + static_cast<std::ptrdiff_t>(i));
}

/// Returns the wall seconds that the launch took.
double Measurement::run_launch(std::vector<Active>& active, int index, double share) {
  const double begin = elapsed();
  const bool first = slice_ == 0;
  const auto settings = [&] {
    LaunchSettings result;
    result.index = index;
    result.epochs = options_.epochs;
    // Alone, so that the first launch's guess of the speed is good; together later.
    result.cores = first ? 1 : surroundings_.cores;
    result.timeout = std::chrono::duration<double>(options_.timeout_seconds);
    result.data_digest = report_.dataset.digest;
    result.on_slice = [this](double done) { progress_.step(now_running_, done, seconds_left_); };
    return result;
  }();
  const auto members = [&] {
    std::vector<Member> result;
    for (const auto& one : active) result.push_back(member(one, index, false));
    return result;
  };
  auto launch = std::make_unique<Launch>(settings, members());
  try {
    launch->start();
    if (first) {
      const auto images = affordable_images(launch->ready(), active, elapsed() - begin, share);
      bool cut = false;
      for (size_t i = 0; i < active.size(); ++i) {
        auto& record = report_.cases[active[i].record];
        if (!launch->ready()[i] || images[i] >= record.recipe.images) continue;
        record.recipe.images = images[i];
        record.partial = cut = true;
      }
      if (cut) {  // start again with what can be paid
        launch = std::make_unique<Launch>(settings, members());
        launch->start();
      }
      std::vector<int64_t> windows;
      for (const auto& ready : launch->ready()) windows.push_back(ready ? ready->window_images : 1);
      const auto& baseline = launch->ready()[0];
      const int64_t epoch = report_.cases[active[0].record].recipe.images;
      slice_ = slice_images(windows, baseline ? baseline->seconds_per_image : 1e-5, epoch);
      if (report_.slice_images == 0) report_.slice_images = slice_;
    }
    launch->train(slice_);
    launch->finish();
  } catch (const Interrupted&) {
    collect(*launch, active);
    throw;
  }
  collect(*launch, active);
  return elapsed() - begin;
}

bool Measurement::more_launches_help(const std::vector<Active>& active) const {
  return std::any_of(active.begin(), active.end(), [&](const Active& one) {
    const auto& evidence = report_.cases[one.record].evidence;
    return evidence && evidence->low && evidence->high &&
           std::log(*evidence->high / *evidence->low) / 2 > std::log1p(kWideInterval);
  });
}

void Measurement::measure_memory(const std::vector<Active>& active) {
  for (const auto& one : active) {
    progress_.step(fmt::format("{}: memory of {}", one.plan->technique, one.plan->variant_name), 0, seconds_left_);
    LaunchSettings settings;
    settings.timeout = std::chrono::duration<double>(options_.timeout_seconds);
    settings.data_digest = report_.dataset.digest;
    Launch launch(settings, {member(one, 0, true)});
    launch.start();
    launch.train(slice_);
    const auto peaks = launch.memory();
    launch.finish();
    auto& record = report_.cases[one.record];
    record.memory = peaks[0];
    if (launch.records()[0].status == Status::failed) {
      auto failed = launch.records()[0];
      failed.reason = "in the memory pass: " + failed.reason;
      record.launches.push_back(std::move(failed));
    }
  }
}

void Measurement::run_group(const Group& group, int groups_left) {
  std::vector<Active> active;
  for (const auto& item : group.cases)
    for (size_t i = 0; i < report_.cases.size(); ++i)
      if (report_.cases[i].id == item.id && !item.skip) active.push_back({&item, i});
  if (active.empty()) return;

  slice_ = 0;
  const double begin = elapsed();
  const double share = std::max(0.0, options_.budget_seconds - begin) / groups_left;
  double longest = 0;
  for (int index = 0; index < count_.most && !active.empty(); ++index) {
    const double used = elapsed() - begin;
    if (index >= count_.least) {
      const bool affordable = used + 2 * longest < share;  // this one, and the memory pass
      if (!affordable || !more_launches_help(active)) break;
    }
    const int planned = std::max(count_.least, index + 1);
    seconds_left_ = longest * (planned - index + 1) + (groups_left - 1) * longest * (count_.least + 1);
    now_running_ = fmt::format("{}: launch {} of {}{}", group.technique, index + 1, planned,
                               index >= count_.least ? ", more for narrower intervals" : "");
    progress_.step(now_running_, 0, seconds_left_);
    longest = std::max(longest, run_launch(active, index, share));
    save();
  }
  measure_memory(active);
  save();
}

void Measurement::run() {
  int groups_left = static_cast<int>(plan_.groups.size());
  for (const auto& group : plan_.groups) run_group(group, groups_left--);
  report_.complete = true;
  save();
}

}  // namespace ninefold
