// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// From paired launches to verdicts: is a variant faster than its baseline, and does the model still learn the same?
// Plain numbers in, plain numbers out; must know no torch, no process and no report format.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace ninefold {

enum class Speed { faster, slower, no_difference, inconclusive };
enum class Learning { equal, not_equal, unproven };
std::string to_string(Speed);     // "faster", "slower", "no difference", "inconclusive"
std::string to_string(Learning);  // "equal", "not equal", "unproven"

/// One launch of a variant beside its baseline.
struct PairedLaunch {
  double ratio;  ///< baseline seconds per image / variant seconds per image over the slices both ran: above 1 = faster
  /// Test accuracy of the variant less that of the baseline, both from the launch's seed; 0.01 = one percentage point.
  /// Nothing where it was not evaluated.
  std::optional<double> accuracy_difference;
};

/// A variant to be judged.
struct RowInput {
  std::string id;        ///< "loss_item/retain"
  std::string group;     ///< rows of one group share the baseline's scatter: "loss_item"
  std::vector<PairedLaunch> launches;
  bool whole_epoch = true;  ///< trained at least one whole epoch of the set; otherwise learning stays unproven
  bool diverged = false;    ///< a loss became non-finite: learning is not equal
};

struct EvidenceSettings {
  double confidence = 0.95;         ///< of all intervals of a report together (Holm)
  double margin = 0.03;             ///< smallest difference in speed that is called one; 0.10 for --quick
  double accuracy_margin = 0.005;   ///< smallest difference in test accuracy that is called one
};

/// What can be said of one row. Speed numbers are ratios as in PairedLaunch.
struct RowEvidence {
  std::string id;
  int launches = 0;
  std::optional<double> ratio;               ///< median over launches
  std::optional<double> low, high;           ///< interval at the level that Holm leaves this row; none under 2 launches
  std::optional<double> level;               ///< that level, e.g. 0.983
  std::optional<double> launch_scatter;      ///< standard deviation of log ratio between launches, this row's own
  std::optional<double> pooled_scatter;      ///< after moderation towards the report's rows: what the interval uses
  std::optional<double> degrees_of_freedom;  ///< of pooled_scatter
  std::optional<double> smallest_visible;    ///< relative difference found with 90 % power at 95 %: 0.012 = 1.2 %
  Speed speed = Speed::inconclusive;
  Learning learning = Learning::unproven;
  std::optional<double> accuracy_difference, accuracy_low, accuracy_high;  ///< median and interval
  std::string reason;  ///< one sentence where the verdict alone does not say it (why inconclusive, why unproven)
};

/// Judges all rows of a report together. Baselines are not rows. Rows come back in the order given.
std::vector<RowEvidence> judge(const std::vector<RowInput>& rows, const EvidenceSettings& settings);

}  // namespace ninefold
