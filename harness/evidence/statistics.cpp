// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/evidence/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace ninefold {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance(std::span<const double> values) {
  const double middle = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return sum / static_cast<double>(values.size() - 1);
}

double t_quantile(double probability, double degrees_of_freedom) {
  if (std::isinf(degrees_of_freedom)) return boost::math::quantile(boost::math::normal(), probability);
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), probability);
}

double t_two_sided_p(double t, double degrees_of_freedom) {
  const double size = std::abs(t);
  if (std::isinf(size)) return 0;
  if (std::isinf(degrees_of_freedom))
    return 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), size));
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(degrees_of_freedom), size));
}

double f_quantile(double probability, double numerator, double denominator) {
  if (std::isinf(denominator))
    return boost::math::quantile(boost::math::chi_squared(numerator), probability) / numerator;
  return boost::math::quantile(boost::math::fisher_f(numerator, denominator), probability);
}

double inverse_trigamma(double y) {
  if (y > 1e7) return 1 / std::sqrt(y);
  if (y < 1e-6) return 1 / y;
  double x = 0.5 + 1 / y;
  for (int i = 0; i < 50; ++i) {
    const double value = boost::math::trigamma(x);
    // The derivative by a central difference is accurate enough: the iteration converges from one side.
    const double h = 1e-5 * x;
    const double slope = (boost::math::trigamma(x + h) - boost::math::trigamma(x - h)) / (2 * h);
    const double step = value * (1 - value / y) / slope;
    x += step;
    if (-step / x < 1e-10) break;
  }
  return x;
}

VariancePrior fit_variance_prior(std::span<const double> variances, std::span<const double> degrees) {
  // Subtracting digamma(d/2) - log(d/2) makes log s^2 unbiased for log sigma^2 (Smyth 2004, eq. 10).
  std::vector<double> logs, noise;
  for (size_t i = 0; i < variances.size(); ++i) {
    if (!(variances[i] > 0) || !(degrees[i] > 0)) continue;
    const double half = degrees[i] / 2;
    logs.push_back(std::log(variances[i]) - boost::math::digamma(half) + std::log(half));
    noise.push_back(boost::math::trigamma(half));
  }
  if (logs.size() < 2) return {};
  const double middle = mean(logs);
  const double excess = variance(logs) - mean(noise);
  if (excess <= 0) return {std::numeric_limits<double>::infinity(), std::exp(middle)};
  const double half = inverse_trigamma(excess);
  return {2 * half, std::exp(middle + boost::math::digamma(half) - std::log(half))};
}

ModeratedVariance moderate(double variance, double degrees, const VariancePrior& prior, double cap) {
  if (prior.degrees == 0) return {variance, degrees};
  if (std::isinf(prior.degrees)) return {prior.variance, std::max(cap, degrees)};
  const double total = prior.degrees + degrees;
  return {(prior.degrees * prior.variance + degrees * variance) / total, std::max(std::min(total, cap), degrees)};
}

std::vector<double> holm_levels(std::span<const double> p_values, double alpha) {
  const size_t m = p_values.size();
  std::vector<size_t> ascending(m);
  std::iota(ascending.begin(), ascending.end(), 0);
  std::stable_sort(ascending.begin(), ascending.end(), [&](size_t a, size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> levels(m);
  double level = alpha / static_cast<double>(std::max<size_t>(m, 1));
  bool all_rejected = true;
  for (size_t i = 0; i < m; ++i) {
    if (all_rejected) level = alpha / static_cast<double>(m - i);
    levels[ascending[i]] = level;
    all_rejected = all_rejected && p_values[ascending[i]] < level;
  }
  return levels;
}

}  // namespace ninefold
