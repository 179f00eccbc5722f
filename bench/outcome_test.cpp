// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "bench/outcome.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace ninefold {
namespace {

using testing::HasSubstr;

LaunchRecord launch(int index, std::vector<double> slice_seconds, double accuracy = 0.96) {
  LaunchRecord record;
  record.index = index;
  record.status = Status::ok;
  int slice = 0;
  EpochRecord epoch;
  for (const double seconds : slice_seconds) {
    SliceRecord one;
    one.index = slice++;
    one.images = 100;
    one.seconds = seconds;
    record.slices.push_back(one);
    epoch.seconds += seconds;
    epoch.images += one.images;
  }
  epoch.mean_loss = 0.3;
  record.epochs = {epoch};
  record.parameters_changed = true;
  record.probe_loss_before = 2.3;
  record.probe_loss_after = 0.4;
  record.test_accuracy = accuracy;
  return record;
}

/// A group of a baseline and one variant of the given speed-up over six launches with 0.5 % scatter.
Report report_of(double speed_up) {
  Report report;
  report.complete = true;
  for (const char* name : {"base", "variant"}) {
    CaseRecord item;
    item.technique = "t";
    item.id = std::string("t/") + name;
    item.baseline = "t/base";
    for (int i = 0; i < 6; ++i) {
      const double noise = 1 + 0.005 * (i % 3 - 1);
      const double seconds = item.id == "t/base" ? 0.1 : 0.1 * noise / speed_up;
      item.launches.push_back(launch(i, {seconds, seconds, seconds}));
    }
    report.cases.push_back(item);
  }
  return report;
}

TEST(PairedRatio, IsTakenFromTheSumsOfTheSharedSlices) {
  // 100 images in 0.2 s on average against 0.1 s: twice as fast, whatever single slices did.
  EXPECT_DOUBLE_EQ(paired_ratio(launch(0, {0.3, 0.1}), launch(0, {0.05, 0.15})).value(), 2.0);
  // The variant stopped after one slice: only that one counts.
  EXPECT_DOUBLE_EQ(paired_ratio(launch(0, {0.3, 0.1}), launch(0, {0.1})).value(), 3.0);
  EXPECT_EQ(paired_ratio(launch(0, {0.3}), launch(0, {})), std::nullopt);
}

TEST(PairedRatio, ASliceInWhichALargeBatchTrainedNothingIsNotInfinitelyFast) {
  auto variant = launch(0, {0.2, 0.0});
  variant.slices[0].images = 200;
  variant.slices[1].images = 0;
  EXPECT_DOUBLE_EQ(paired_ratio(launch(0, {0.1, 0.1}), variant).value(), 1.0);
}

TEST(CheckLearning, TakesNothingOnTrust) {
  auto good = launch(0, {0.1});
  check_learning(good);
  EXPECT_EQ(good.status, Status::ok);

  auto still = launch(0, {0.1});
  still.parameters_changed = false;
  check_learning(still);
  EXPECT_EQ(still.status, Status::failed);
  EXPECT_THAT(still.reason, HasSubstr("no parameter changed"));

  auto worse = launch(0, {0.1});
  worse.probe_loss_after = 2.31;
  check_learning(worse);
  EXPECT_EQ(worse.status, Status::diverged);
  EXPECT_THAT(worse.reason, HasSubstr("2.3000 before, 2.3100 after"));

  auto nan = launch(0, {0.1});
  nan.epochs[0].mean_loss.reset();
  check_learning(nan);
  EXPECT_EQ(nan.status, Status::diverged);
  EXPECT_THAT(nan.reason, HasSubstr("NaN"));
}

TEST(Judge, FindsTheSpeedUpAndEqualLearning) {
  auto report = report_of(1.3);
  judge(report);
  const auto& evidence = report.cases[1].evidence.value();
  EXPECT_NEAR(evidence.ratio.value(), 1.3, 0.01);
  EXPECT_EQ(evidence.speed, Speed::faster);
  EXPECT_EQ(evidence.learning, Learning::equal);
  EXPECT_FALSE(report.cases[0].evidence.has_value());
  EXPECT_EQ(exit_code(report), kFine);
}

TEST(Judge, SlowerIsAResultAndExitsWithZero) {
  auto report = report_of(0.5);
  judge(report);
  EXPECT_EQ(report.cases[1].evidence->speed, Speed::slower);
  EXPECT_EQ(exit_code(report), kFine);
}

TEST(Judge, AFailedVariantIsExit3AndHasNoEvidence) {
  auto report = report_of(1.3);
  report.cases[1].launches[4].status = Status::failed;
  report.cases[1].launches[4].reason = "killed";
  judge(report);
  EXPECT_EQ(report.cases[1].status, Status::failed);
  EXPECT_EQ(report.cases[1].reason, "killed");
  EXPECT_FALSE(report.cases[1].evidence.has_value());
  EXPECT_EQ(exit_code(report), kIncomplete);
}

TEST(Judge, DivergingIsAResultOnlyWhereTheMathsWasChanged) {
  for (const bool changes : {false, true}) {
    auto report = report_of(1.0);
    for (auto& one : report.cases[1].launches) {
      one.status = Status::diverged;
      one.reason = "the training loss became infinite or NaN";
    }
    if (changes) report.cases[1].changes_maths = "rate x 64";
    judge(report);
    EXPECT_EQ(report.cases[1].status, changes ? Status::diverged : Status::failed);
    EXPECT_EQ(exit_code(report), changes ? kFine : kIncomplete);
    if (changes) {
      EXPECT_EQ(report.cases[1].evidence->learning, Learning::not_equal);
    }
  }
}

TEST(Judge, WhatAnInterruptedLaunchLeftOutTakesNothingFromTheOthers) {
  auto report = report_of(1.3);
  report.complete = false;
  for (auto& item : report.cases) {
    item.launches.back().status = Status::interrupted;
    item.launches.back().slices.resize(1);
  }
  judge(report);
  EXPECT_EQ(report.cases[1].status, Status::ok);
  EXPECT_EQ(report.cases[1].evidence->launches, 5);
  EXPECT_EQ(exit_code(report), kIncomplete);
}

TEST(Judge, OnlySkippedCasesIsExit2) {
  auto report = report_of(1.3);
  for (auto& item : report.cases) {
    item.status = Status::skipped;
    item.reason = "no GPU";
    item.launches.clear();
  }
  judge(report);
  EXPECT_EQ(exit_code(report), kRefused);
}

TEST(Judge, APartialEpochLeavesLearningUnprovenAndSaysSo) {
  auto report = report_of(1.3);
  for (auto& item : report.cases) {
    item.partial = true;
    item.recipe.images = 300;
  }
  judge(report);
  EXPECT_EQ(report.cases[1].evidence->learning, Learning::unproven);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_THAT(report.warnings[0], HasSubstr("300 images of 60000"));
  judge(report);
  EXPECT_EQ(report.warnings.size(), 1u) << "judged again after each launch, said once";
}

TEST(Judge, ABusyMachineIsSaid) {
  auto report = report_of(1.3);
  for (auto& item : report.cases)
    for (auto& one : item.launches)
      for (auto& slice : one.slices) slice.other_cpu_share = 0.4;
  judge(report);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_THAT(report.warnings[0], HasSubstr("40 % of the cores"));
}

}  // namespace
}  // namespace ninefold
