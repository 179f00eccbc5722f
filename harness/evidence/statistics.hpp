// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// The statistics behind a verdict, each a plain function with its source. Must know no verdict and no report.
#pragma once
#include <optional>
#include <span>
#include <vector>

namespace ninefold {

double median(std::vector<double> values);  ///< of a non-empty set
double mean(std::span<const double> values);
/// Sample variance (n - 1); of two values or more.
double variance(std::span<const double> values);

double t_quantile(double probability, double degrees_of_freedom);        ///< infinite degrees: the normal one
double t_two_sided_p(double t, double degrees_of_freedom);
double f_quantile(double probability, double numerator, double denominator);  ///< denominator may be infinite
/// x with trigamma(x) = y, for y > 0, by Newton's method on 1/trigamma (Smyth 2004, appendix).
double inverse_trigamma(double y);

/// The scaled inverse chi-square prior of a set of variances.
struct VariancePrior {
  double degrees = 0;   ///< d0: how much the rows agree; 0 = no pooling, may be infinite
  double variance = 0;  ///< s0^2
};
/// limma's fitFDist (Smyth 2004, section 6.2): the prior by the moments of log variances, each of `degrees` degrees of
/// freedom. Needs two variances above 0; otherwise degrees = 0.
VariancePrior fit_variance_prior(std::span<const double> variances, std::span<const double> degrees);

/// A row's variance after moderation, and the degrees of freedom of what it rests on.
struct ModeratedVariance {
  double variance;
  double degrees;
};
/// limma's squeezeVar: (d0 s0^2 + d s^2) / (d0 + d) with d0 + d degrees, at most `cap`.
ModeratedVariance moderate(double variance, double degrees, const VariancePrior& prior, double cap);

/// For each p value the significance level that Holm's step-down procedure leaves it, so that a row is rejected exactly if
/// p < level: alpha / (m - i) for the i-th smallest (from 0) while all smaller ones are rejected, and from the first
/// that is not on, its level for all others (Holm 1979).
std::vector<double> holm_levels(std::span<const double> p_values, double alpha);

}  // namespace ninefold
