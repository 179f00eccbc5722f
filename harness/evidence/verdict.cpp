// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/evidence/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "harness/evidence/statistics.hpp"

namespace ninefold {
namespace {

/// Ratios of one group have the baseline's scatter in common: with equal scatter of both sides the log ratios of two rows
/// correlate by one half.
constexpr double kSharedBaselineCorrelation = 0.5;
/// A row above this quantile of what the pool predicts is no member of it and keeps its own variance.
constexpr double kOutlierQuantile = 0.99;

/// The log ratios of a row, summed up.
struct Summary {
  size_t row;  // place in the input
  double mean, variance, degrees;
  ModeratedVariance moderated{};
  double p = 1;
};

std::vector<double> log_ratios(const RowInput& row) {
  std::vector<double> logs;
  for (const auto& launch : row.launches) {
    if (!(launch.ratio > 0) || !std::isfinite(launch.ratio))
      throw std::invalid_argument(fmt::format("{}: a ratio must be a positive number, found {}", row.id, launch.ratio));
    logs.push_back(std::log(launch.ratio));
  }
  return logs;
}

/// Degrees of freedom that all rows together hold about a common variance. Sample variances of normal variables with
/// correlation rho correlate by rho^2, so m rows of a group count as m / (1 + (m - 1) rho^2).
double pooled_degrees(const std::vector<RowInput>& rows, const std::vector<Summary>& summaries) {
  std::map<std::string, std::vector<double>> groups;
  for (const auto& summary : summaries) groups[rows[summary.row].group].push_back(summary.degrees);
  double pooled = 0;
  for (const auto& [group, degrees] : groups) {
    const double shared = static_cast<double>(degrees.size() - 1) * kSharedBaselineCorrelation * kSharedBaselineCorrelation;
    for (const double d : degrees) pooled += d / (1 + shared);
  }
  return pooled;
}

VariancePrior prior_of(const std::vector<Summary>& summaries) {
  std::vector<double> variances, degrees;
  for (const auto& summary : summaries) {
    variances.push_back(summary.variance);
    degrees.push_back(summary.degrees);
  }
  return fit_variance_prior(variances, degrees);
}

/// Moves each row's variance towards the pool's; rows much noisier than the pool of the others keep their own.
void moderate_rows(const std::vector<RowInput>& rows, std::vector<Summary>& summaries) {
  std::vector<Summary> members = summaries;
  std::sort(members.begin(), members.end(), [](const Summary& a, const Summary& b) { return a.variance < b.variance; });
  while (members.size() > 2) {  // judged against the pool without it, the noisiest first
    const Summary noisiest = members.back();
    members.pop_back();
    const auto prior = prior_of(members);
    const bool belongs = prior.degrees == 0 || noisiest.variance <= prior.variance * f_quantile(kOutlierQuantile, noisiest.degrees, prior.degrees);
    if (!belongs) continue;
    members.push_back(noisiest);
    break;
  }
  const auto prior = prior_of(members);
  const double cap = pooled_degrees(rows, members);
  for (auto& summary : summaries) {
    const bool member = std::any_of(members.begin(), members.end(), [&](const Summary& one) { return one.row == summary.row; });
    summary.moderated = moderate(summary.variance, summary.degrees, member ? prior : VariancePrior{}, cap);
  }
}

double standard_error(const Summary& summary) {
  return std::sqrt(summary.moderated.variance / (summary.degrees + 1));
}

bool differs_by_margin(double ratio, double margin) { return ratio >= 1 + margin || ratio <= 1 / (1 + margin); }

void judge_speed(RowEvidence& row, const EvidenceSettings& settings) {
  const double most = 1 + settings.margin;
  const bool excludes_one = *row.low > 1 || *row.high < 1;
  if (excludes_one && differs_by_margin(*row.ratio, settings.margin)) {
    row.speed = *row.low > 1 ? Speed::faster : Speed::slower;
  } else if (*row.low >= 1 / most && *row.high <= most) {
    row.speed = Speed::no_difference;
  } else {
    row.speed = Speed::inconclusive;
    row.reason = excludes_one
                     ? fmt::format("differs by less than the {:g} % that count, but might differ by more", 100 * settings.margin)
                     : fmt::format("the interval reaches beyond +-{:g} % on {} launches; more launches would tell more",
                                   100 * settings.margin, row.launches);
  }
}

void add_sentence(std::string& text, const std::string& sentence) { text += (text.empty() ? "" : "; ") + sentence; }

void judge_learning(RowEvidence& row, const RowInput& input, double level, const EvidenceSettings& settings) {
  std::vector<double> differences;
  for (const auto& launch : input.launches)
    if (launch.accuracy_difference) differences.push_back(*launch.accuracy_difference);
  if (!differences.empty()) row.accuracy_difference = median(differences);
  if (input.diverged) {
    row.learning = Learning::not_equal;
    return add_sentence(row.reason, "it diverged");
  }
  if (differences.size() >= 2) {
    const double n = static_cast<double>(differences.size());
    const double half = t_quantile(1 - level / 2, n - 1) * std::sqrt(variance(differences) / n);
    row.accuracy_low = mean(differences) - half;
    row.accuracy_high = mean(differences) + half;
  }
  if (!input.whole_epoch) return add_sentence(row.reason, "learning: less than an epoch was trained");
  if (!row.accuracy_low) return add_sentence(row.reason, "learning: too few launches with a test accuracy");
  const double margin = settings.accuracy_margin;
  if (*row.accuracy_low >= -margin && *row.accuracy_high <= margin) {
    row.learning = Learning::equal;
  } else if ((*row.accuracy_low > 0 || *row.accuracy_high < 0) && std::abs(*row.accuracy_difference) >= margin) {
    row.learning = Learning::not_equal;
  } else {
    add_sentence(row.reason, fmt::format("learning: test accuracy differs by {:+.2f} to {:+.2f} percentage points",
                                         100 * *row.accuracy_low, 100 * *row.accuracy_high));
  }
}

}  // namespace

std::string to_string(Speed speed) {
  switch (speed) {
    case Speed::faster: return "faster";
    case Speed::slower: return "slower";
    case Speed::no_difference: return "no difference";
    case Speed::inconclusive: return "inconclusive";
  }
  return "unknown";
}

std::string to_string(Learning learning) {
  switch (learning) {
    case Learning::equal: return "equal";
    case Learning::not_equal: return "not equal";
    case Learning::unproven: return "unproven";
  }
  return "unknown";
}

std::vector<RowEvidence> judge(const std::vector<RowInput>& rows, const EvidenceSettings& settings) {
  std::vector<RowEvidence> result(rows.size());
  std::vector<Summary> summaries;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto logs = log_ratios(rows[i]);
    result[i].id = rows[i].id;
    result[i].launches = static_cast<int>(logs.size());
    if (!logs.empty()) result[i].ratio = std::exp(median(logs));
    if (logs.size() >= 2)
      summaries.push_back({i, mean(logs), variance(logs), static_cast<double>(logs.size() - 1)});
    else
      result[i].reason = "an interval needs 2 launches or more";
  }
  moderate_rows(rows, summaries);

  const double alpha = 1 - settings.confidence;
  std::vector<double> p_values;
  for (auto& summary : summaries) {
    const double error = standard_error(summary);
    const double t = error > 0 ? summary.mean / error : summary.mean == 0 ? 0 : std::numeric_limits<double>::infinity();
    p_values.push_back(t_two_sided_p(t, summary.moderated.degrees));
  }
  const auto levels = holm_levels(p_values, alpha);
  for (size_t k = 0; k < summaries.size(); ++k) {
    const auto& summary = summaries[k];
    auto& row = result[summary.row];
    const double error = standard_error(summary), degrees = summary.moderated.degrees;
    const double half = t_quantile(1 - levels[k] / 2, degrees) * error;
    row.level = 1 - levels[k];
    row.low = std::exp(summary.mean - half);
    row.high = std::exp(summary.mean + half);
    row.launch_scatter = std::sqrt(summary.variance);
    row.pooled_scatter = std::sqrt(summary.moderated.variance);
    row.degrees_of_freedom = degrees;
    row.smallest_visible = std::expm1((t_quantile(0.975, degrees) + t_quantile(0.90, degrees)) * error);
    judge_speed(row, settings);
  }

  const auto with_accuracy = std::count_if(rows.begin(), rows.end(), [](const RowInput& row) {
    return std::any_of(row.launches.begin(), row.launches.end(), [](const PairedLaunch& one) { return one.accuracy_difference.has_value(); });
  });
  const double accuracy_level = alpha / static_cast<double>(std::max<std::ptrdiff_t>(1, with_accuracy));
  for (size_t i = 0; i < rows.size(); ++i) judge_learning(result[i], rows[i], accuracy_level, settings);
  return result;
}

}  // namespace ninefold
