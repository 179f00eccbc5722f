// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/measure/launch.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "harness/measure/interrupt.hpp"
#include "harness/measure/slices.hpp"

namespace ninefold {
namespace {

/// Idle OpenMP threads spin for 5-7 ms by default; a child that still works after so long is not idle.
constexpr std::chrono::duration<double> kQuietBound{0.05};
constexpr std::chrono::duration<double> kByeBound{10};

void write_log(const std::string& file, const std::string& text) {
  if (file.empty() || text.empty()) return;
  std::error_code ignored;  // a log that can't be written must not end a measurement
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), ignored);
  std::ofstream(file, std::ios::binary) << text;
}

void add_to_epoch(EpochRecord& epoch, const protocol::Ran& ran) {
  epoch.seconds += ran.seconds;
  epoch.cpu_seconds += ran.cpu_seconds;
  epoch.images += ran.images;
  epoch.steps += ran.steps;
  for (const auto& [phase, seconds] : ran.phases) epoch.phases[phase] += seconds;
}

}  // namespace

Launch::Launch(LaunchSettings settings, std::vector<Member> members)
    : settings_(std::move(settings)),
      members_(std::move(members)),
      children_(members_.size()),
      ready_(members_.size()),
      records_(members_.size()),
      epoch_done_(members_.size()) {
  for (size_t i = 0; i < members_.size(); ++i) {
    records_[i].index = settings_.index;
    records_[i].seed = members_[i].task.recipe.seed;
  }
}

Launch::~Launch() {
  for (size_t i = 0; i < members_.size(); ++i)
    if (running(i)) fail(i, Status::interrupted, "interrupted");
}

void Launch::fail(size_t member, Status status, const std::string& reason) {
  records_[member].status = status;
  records_[member].reason = reason;
  if (children_[member].get() == last_to_run_) last_to_run_ = nullptr;
  if (!children_[member]) return;
  write_log(members_[member].log_file, children_[member]->log());
  children_[member].reset();
}

template <class Work>
void Launch::guarded(size_t member, const Work& work) {
  try {
    work();
  } catch (const Interrupted& interrupted) {
    for (size_t i = 0; i < members_.size(); ++i)
      if (running(i)) fail(i, Status::interrupted, interrupted.what());
    throw;
  } catch (const std::exception& error) {  // ChildError, ChildFailure, ProtocolError
    fail(member, Status::failed, error.what());
  }
}

void Launch::start() {
  const auto spawn = [&](size_t i) {
    guarded(i, [&] {
      children_[i] = std::make_unique<ChildProcess>(members_[i].command);
      children_[i]->send(protocol::ask_hello(members_[i].task));
    });
  };
  const auto greet = [&](size_t i) {
    guarded(i, [&] {
      auto ready = protocol::parse_ready(children_[i]->receive(settings_.timeout));
      const int64_t asked = members_[i].task.recipe.images;
      if (ready.epoch_images != asked)
        throw protocol::ProtocolError(
            fmt::format("asked for {} images an epoch, the child would train {}", asked, ready.epoch_images));
      if (!ready.data_digest.empty() && !settings_.data_digest.empty() && ready.data_digest != settings_.data_digest)
        throw protocol::ProtocolError(fmt::format("the data changed: expected digest {:.12}, the child read {:.12}",
                                                  settings_.data_digest, ready.data_digest));
      records_[i].start_seconds = ready.start_seconds;
      records_[i].warm_up_steps = ready.warm_up_steps;
      ready_[i] = std::move(ready);
    });
  };
  // As many at a time as there are cores: more would only slow each other and blur the guess of the speed.
  const auto at_once = static_cast<size_t>(std::max(1, settings_.cores));
  for (size_t i = 0; i < members_.size() + at_once; ++i) {
    if (i >= at_once && running(i - at_once)) greet(i - at_once);
    if (i < members_.size()) spawn(i);
  }
}

void Launch::take_slice(size_t member, int index, int64_t target) {
  auto& child = *children_[member];
  auto& record = records_[member];
  if (last_to_run_) last_to_run_->wait_quiet(kQuietBound);
  other_load_.start();
  child.send(protocol::ask_run(std::min(target, members_[member].task.recipe.images)));
  last_to_run_ = &child;
  const auto ran = protocol::parse_ran(child.receive(settings_.timeout));
  record.slices.push_back({index, ran.images, ran.steps, ran.seconds, ran.cpu_seconds, ran.minor_faults,
                           ran.involuntary_switches, other_load_.stop(ran.cpu_seconds)});
  auto& epoch = record.epochs.back();
  add_to_epoch(epoch, ran);
  if (!ran.epoch_end) return;

  epoch_done_[member] = true;
  epoch.mean_loss = ran.mean_loss;
  epoch.first_loss = ran.first_loss;
  epoch.last_loss = ran.last_loss;
  const int64_t asked = members_[member].task.recipe.images;
  if (epoch.images != asked)
    throw protocol::ProtocolError(fmt::format("asked for {} images an epoch, {} were trained", asked, epoch.images));
}

void Launch::train(int64_t slice_images) {
  int64_t epoch_images = 0;
  for (const auto& member : members_) epoch_images = std::max(epoch_images, member.task.recipe.images);
  const auto targets = slice_targets(epoch_images, slice_images);
  int index = 0;
  for (int epoch = 0; epoch < settings_.epochs; ++epoch) {
    for (size_t i = 0; i < members_.size(); ++i) {
      epoch_done_[i] = false;
      records_[i].epochs.emplace_back();
    }
    for (const int64_t target : targets) {
      for (const size_t i : slice_order(members_.size(), static_cast<size_t>(index), static_cast<size_t>(settings_.index))) {
        if (!running(i) || epoch_done_[i]) continue;
        guarded(i, [&] { take_slice(i, index, target); });
      }
      ++index;
      settings_.on_slice(static_cast<double>(index) / static_cast<double>(targets.size() * static_cast<size_t>(settings_.epochs)));
    }
    for (size_t i = 0; i < members_.size(); ++i)
      if (running(i) && !epoch_done_[i])
        fail(i, Status::failed, fmt::format("the epoch of {} images did not end", members_[i].task.recipe.images));
  }
}

std::vector<std::optional<MemoryRecord>> Launch::memory() {
  std::vector<std::optional<MemoryRecord>> peaks(members_.size());
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!running(i)) continue;
    guarded(i, [&] {
      children_[i]->send(protocol::ask_memory());
      peaks[i] = protocol::parse_memory(children_[i]->receive(settings_.timeout));
    });
  }
  return peaks;
}

void Launch::finish() {
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!running(i)) continue;
    guarded(i, [&] {
      auto& child = *children_[i];
      auto& record = records_[i];
      if (!members_[i].task.memory_pass) {
        child.send(protocol::ask_evaluate());
        const auto evaluated = protocol::parse_evaluated(child.receive(settings_.timeout));
        record.test_accuracy = evaluated.accuracy;
        record.test_images = evaluated.images;
        record.probe_loss_before = evaluated.probe_loss_before;
        record.probe_loss_after = evaluated.probe_loss_after;
        record.parameters_changed = evaluated.parameters_changed;
        record.numbers = evaluated.numbers;
      }
      child.send(protocol::ask_bye());
      protocol::parse_bye(child.receive(settings_.timeout));
      child.wait(kByeBound);
      write_log(members_[i].log_file, child.log());
      record.status = Status::ok;
      children_[i].reset();
    });
  }
  last_to_run_ = nullptr;
}

}  // namespace ninefold
