// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "reports/table.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/evidence/statistics.hpp"

namespace ninefold {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
constexpr size_t kColumns = 8;
using Row = std::array<std::string, kColumns>;

const Row kHeader = {"variant", "speed-up [95 %]", "epoch s", "images/s", "peak MiB", "accuracy", "speed", "learning"};

/// A finished launch's epochs, one number each.
template <class Number>
std::vector<double> over_epochs(const CaseRecord& item, const Number& number) {
  std::vector<double> values;
  for (const auto& launch : item.launches)
    if (launch.status == Status::ok || launch.status == Status::diverged)
      for (const auto& epoch : launch.epochs)
        if (epoch.seconds > 0) values.push_back(number(epoch));
  return values;
}

std::string median_text(const std::vector<double>& values, const char* format) {
  return values.empty() ? "-" : fmt::format(fmt::runtime(format), median(values));
}

std::string speed_up_text(const CaseRecord& item) {
  if (item.is_baseline()) return "baseline";
  if (!item.evidence || !item.evidence->ratio) return "-";
  const auto& row = *item.evidence;
  if (!row.low) return fmt::format("{:.2f}x [no interval]", *row.ratio);
  return fmt::format("{:.2f}x [{:.2f} {:.2f}]", *row.ratio, *row.low, *row.high);
}

std::string peak_text(const CaseRecord& item) {
  if (!item.memory) return "-";
  const int64_t peak = item.memory->device_peak.value_or(std::max(item.memory->heap_peak, item.memory->tensor_peak));
  return fmt::format("{:.1f}", static_cast<double>(peak) / kMiB);
}

std::string accuracy_text(const CaseRecord& item) {
  std::vector<double> values;
  for (const auto& launch : item.launches)
    if (launch.test_accuracy) values.push_back(100 * *launch.test_accuracy);
  return median_text(values, "{:.2f} %");
}

Row row_of(const CaseRecord& item) {
  Row row = {item.variant,
             speed_up_text(item),
             median_text(over_epochs(item, [](const EpochRecord& epoch) { return epoch.seconds; }), "{:.3f}"),
             median_text(over_epochs(item, [](const EpochRecord& epoch) { return static_cast<double>(epoch.images) / epoch.seconds; }), "{:.0f}"),
             peak_text(item),
             accuracy_text(item),
             "",
             ""};
  if (item.status != Status::ok) row[6] = to_string(item.status);
  if (item.evidence) {
    if (item.status == Status::ok) row[6] = to_string(item.evidence->speed);
    row[7] = to_string(item.evidence->learning);
  }
  return row;
}

std::string colour_of(const std::string& verdict) {
  if (verdict == "faster") return "\033[32m";
  if (verdict == "slower") return "\033[33m";
  if (verdict == "failed" || verdict == "diverged" || verdict == "not equal") return "\033[31m";
  return "";
}

std::string cell(const std::string& text, size_t width, bool left, bool colour) {
  const std::string padded = left ? fmt::format("{:<{}}", text, width) : fmt::format("{:>{}}", text, width);
  const std::string code = colour ? colour_of(text) : "";
  return code.empty() ? padded : code + padded + "\033[0m";
}

std::string line_of(const Row& row, const std::array<size_t, kColumns>& widths, bool colour) {
  std::string line = " ";
  for (size_t i = 0; i < kColumns; ++i) line += " " + cell(row[i], widths[i], i == 0 || i >= 6, colour) + " ";
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string kept_text(const CaseRecord& item) {
  if (!item.memory || !item.memory->heap_kept_per_step || *item.memory->heap_kept_per_step < 100) return "";
  return fmt::format("the C++ heap grows by {:.0f} bytes a step", *item.memory->heap_kept_per_step);
}

/// What the columns can't say, a line a row that has something.
std::string remarks_of(const CaseRecord& item) {
  std::string remarks = item.reason;
  const auto add = [&](const std::string& more) {
    if (!more.empty()) remarks += (remarks.empty() ? "" : "; ") + more;
  };
  if (item.evidence) add(item.evidence->reason);
  if (!item.changes_maths.empty()) add("changes the maths: " + item.changes_maths);
  add(kept_text(item));
  return remarks.empty() ? "" : fmt::format("  {}: {}\n", item.variant, remarks);
}

std::string fact(const Facts& facts, const std::string& key) {
  const auto found = facts.find(key);
  return found == facts.end() ? "unknown" : found->second;
}

std::string footer(const Report& report, const TableStyle& style) {
  size_t launches = 0;
  for (const auto& item : report.cases) launches = std::max(launches, item.launches.size());
  const int threads = report.cases.empty() ? 0 : report.cases[0].threads;
  std::string text;
  text += fmt::format("{}, {} cores allowed, {} {} a process; torch {}, {}\n", fact(report.environment, "cpu_model"),
                      fact(report.environment, "cores_allowed"), threads, threads == 1 ? "thread" : "threads",
                      fact(report.software, "torch"), fact(report.software, "cpu_capability"));
  text += fmt::format("data: {}{}, {} training images; {} launches from seed {}; {:.0f} s in all\n", report.dataset.kind,
                      report.dataset.official ? " (official files)" : "", report.dataset.train_images, launches, report.seed,
                      report.elapsed_seconds);
  text += fmt::format("speed-up = baseline time / variant time, median over launches, with the 95 % interval corrected for all rows. "
                      "faster, slower:\n  the interval excludes 1 and the difference is {:g} % or more; no difference: it lies within "
                      "+-{:g} %; else inconclusive.\n  peak = bytes in the C++ heap and in tensors. bench_all --help says more.\n",
                      100 * report.evidence.margin, 100 * report.evidence.margin);
  for (const auto& warning : report.warnings) text += "warning: " + warning + "\n";
  if (!report.complete) text += fmt::format("INCOMPLETE: {}\n", report.ending.empty() ? "not everything was measured" : report.ending);
  if (!style.report_file.empty()) text += "report: " + style.report_file + "\n";
  return text;
}

}  // namespace

std::string table_text(const Report& report, const TableStyle& style) {
  std::vector<Row> rows;
  std::array<size_t, kColumns> widths{};
  for (size_t i = 0; i < kColumns; ++i) widths[i] = kHeader[i].size();
  for (const auto& item : report.cases) {
    rows.push_back(row_of(item));
    for (size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], rows.back()[i].size());
  }

  std::string text, technique, remarks;
  for (size_t i = 0; i < report.cases.size(); ++i) {
    const auto& item = report.cases[i];
    if (item.technique != technique) {
      text += remarks;
      remarks.clear();
      technique = item.technique;
      text += fmt::format("\n{} ({}, {})\n", technique, item.model, item.device) + line_of(kHeader, widths, false);
    }
    text += line_of(rows[i], widths, style.colour);
    remarks += remarks_of(item);
  }
  return text + remarks + "\n" + footer(report, style);
}

}  // namespace ninefold
