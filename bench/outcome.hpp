// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// What the measurements of a report mean: which launches count, what each case came to, the evidence, the exit code.
// Pure functions over the record; must know no process and no torch.
#pragma once
#include <optional>

#include "harness/record.hpp"

namespace ninefold {

/// Exit codes of all programs; design of a CI owner: never 0 with nothing measured.
enum ExitCode { kFine = 0, kRegression = 1, kRefused = 2, kIncomplete = 3, kNotComparable = 4 };

/// Checks that make a launch's numbers untrustworthy: the probe loss must fall and the parameters must change. A loss
/// that became non-finite makes the launch diverged. Changes status and reason of a launch that was ok.
void check_learning(LaunchRecord& launch);

/// Baseline seconds per image over variant seconds per image, from the sums over the slices that both ran. Nothing if
/// they share none, or one of them trained no image in those.
std::optional<double> paired_ratio(const LaunchRecord& baseline, const LaunchRecord& variant);

/// Fills status and reason of every case from its launches, the evidence of all rows together, and the warnings that
/// follow from the launches (a busy machine, partial epochs).
void judge(Report& report);

int exit_code(const Report& report);

}  // namespace ninefold
