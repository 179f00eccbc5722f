// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "bench/outcome.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace ninefold {
namespace {

/// Others' share of the cores, averaged over a report's slices, from which on a reader should know.
constexpr double kBusyShare = 0.10;

bool counts(const LaunchRecord& launch) { return launch.status == Status::ok || launch.status == Status::diverged; }

const LaunchRecord* find_launch(const CaseRecord& item, int index) {
  for (const auto& launch : item.launches)
    if (launch.index == index) return &launch;
  return nullptr;
}

const CaseRecord* find_case(const Report& report, const std::string& id) {
  for (const auto& item : report.cases)
    if (item.id == id) return &item;
  return nullptr;
}

void settle_status(CaseRecord& item) {
  if (item.status == Status::skipped) return;
  item.status = Status::pending;
  item.reason.clear();
  for (const Status worst : {Status::failed, Status::interrupted, Status::diverged, Status::ok})
    for (const auto& launch : item.launches)
      if (item.status == Status::pending && launch.status == worst) {
        item.status = worst;
        item.reason = launch.reason;
      }
  // A launch that the user cut short takes nothing from those that ended.
  if (item.status == Status::interrupted &&
      std::any_of(item.launches.begin(), item.launches.end(), counts)) {
    item.status = Status::ok;
    item.reason.clear();
  }
  if (item.status == Status::diverged && item.changes_maths.empty()) {
    item.status = Status::failed;
    item.reason = "claims the baseline's maths, but " + item.reason;
  }
}

RowInput row_of(const CaseRecord& item, const CaseRecord& baseline) {
  RowInput row{item.id, item.technique, {}, !item.partial, item.status == Status::diverged};
  for (const auto& launch : item.launches) {
    const auto* beside = find_launch(baseline, launch.index);
    if (!beside || !counts(launch) || !counts(*beside)) continue;
    const auto ratio = paired_ratio(*beside, launch);
    if (!ratio) continue;
    PairedLaunch pair{*ratio, {}};
    if (launch.test_accuracy && beside->test_accuracy)
      pair.accuracy_difference = *launch.test_accuracy - *beside->test_accuracy;
    row.launches.push_back(pair);
  }
  return row;
}

double mean_other_share(const Report& report) {
  double sum = 0;
  size_t slices = 0;
  for (const auto& item : report.cases)
    for (const auto& launch : item.launches)
      for (const auto& slice : launch.slices) {
        sum += slice.other_cpu_share;
        ++slices;
      }
  return slices == 0 ? 0 : sum / static_cast<double>(slices);
}

void set_warning(Report& report, const std::string& topic, const std::string& text) {
  std::erase_if(report.warnings, [&](const std::string& warning) { return warning.starts_with(topic); });
  if (!text.empty()) report.warnings.push_back(topic + text);
}

}  // namespace

void check_learning(LaunchRecord& launch) {
  if (launch.status != Status::ok) return;
  const auto diverge = [&](const std::string& why) {
    launch.status = Status::diverged;
    launch.reason = why;
  };
  for (const auto& epoch : launch.epochs)
    if (!epoch.mean_loss && (epoch.first_loss || launch.parameters_changed))
      return diverge("the training loss became infinite or NaN");
  // A foreign child need not tell; what it tells must be right.
  if (!launch.parameters_changed) return;
  if (!launch.probe_loss_after) return diverge("the loss on the probe set became infinite or NaN");
  if (!*launch.parameters_changed) {
    launch.status = Status::failed;
    launch.reason = "no parameter changed: nothing was trained";
  } else if (*launch.probe_loss_after >= launch.probe_loss_before.value_or(INFINITY)) {
    diverge(fmt::format("the loss on the probe set did not fall ({:.4f} before, {:.4f} after)",
                        launch.probe_loss_before.value_or(NAN), *launch.probe_loss_after));
  }
}

std::optional<double> paired_ratio(const LaunchRecord& baseline, const LaunchRecord& variant) {
  double seconds[2] = {};
  int64_t images[2] = {};
  for (const auto& slice : variant.slices) {
    const auto beside = std::find_if(baseline.slices.begin(), baseline.slices.end(),
                                     [&](const SliceRecord& other) { return other.index == slice.index; });
    if (beside == baseline.slices.end()) continue;
    seconds[0] += beside->seconds;
    images[0] += beside->images;
    seconds[1] += slice.seconds;
    images[1] += slice.images;
  }
  if (images[0] == 0 || images[1] == 0 || !(seconds[0] > 0) || !(seconds[1] > 0)) return std::nullopt;
  return (seconds[0] / static_cast<double>(images[0])) / (seconds[1] / static_cast<double>(images[1]));
}

void judge(Report& report) {
  for (auto& item : report.cases) {
    settle_status(item);
    item.evidence.reset();
  }
  std::vector<RowInput> rows;
  for (const auto& item : report.cases) {
    const auto* baseline = find_case(report, item.baseline);
    if (item.is_baseline() || !baseline || (item.status != Status::ok && item.status != Status::diverged)) continue;
    rows.push_back(row_of(item, *baseline));
  }
  const auto evidence = judge(rows, report.evidence);
  for (const auto& row : evidence)
    for (auto& item : report.cases)
      if (item.id == row.id) item.evidence = row;

  const double busy = mean_other_share(report);
  set_warning(report, "busy machine: ",
              busy < kBusyShare ? ""
                                : fmt::format("other processes used {:.0f} % of the cores during the slices; intervals "
                                              "are wider for it, and a quiet machine would tell more",
                                              100 * busy));
  const auto partial = std::find_if(report.cases.begin(), report.cases.end(), [](const CaseRecord& item) {
    return item.partial && item.status != Status::skipped;
  });
  set_warning(report, "partial epoch: ",
              partial == report.cases.end()
                  ? ""
                  : fmt::format("{} images of {} were trained per epoch, so learning is unproven",
                                partial->recipe.images, partial->recipe.set_images));
}

int exit_code(const Report& report) {
  const auto any = [&](auto... statuses) {
    return std::any_of(report.cases.begin(), report.cases.end(),
                       [&](const CaseRecord& item) { return ((item.status == statuses) || ...); });
  };
  if (!report.complete || any(Status::failed, Status::interrupted, Status::pending)) return kIncomplete;
  const bool measured = std::any_of(report.cases.begin(), report.cases.end(), [](const CaseRecord& item) {
    return item.status == Status::ok || item.status == Status::diverged;
  });
  return measured ? kFine : kRefused;
}

}  // namespace ninefold
