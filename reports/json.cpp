// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "reports/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

namespace ninefold {
namespace {

using json = nlohmann::ordered_json;

template <class T>
json maybe(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

const char* name(Weighting weighting) { return weighting == Weighting::one ? "one" : "by_images"; }
const char* name(Optimizer optimizer) { return optimizer == Optimizer::adam ? "adam" : "sgd"; }

json of(const Recipe& recipe) {
  return {{"set_images", recipe.set_images}, {"images", recipe.images},       {"batch", recipe.batch},
          {"micros", recipe.micros},         {"optimizer", name(recipe.optimizer)}, {"lr", recipe.lr},
          {"momentum", recipe.momentum},     {"clip_norm", recipe.clip_norm}, {"weighting", name(recipe.weighting)},
          {"ranks", recipe.ranks}};
}

json of(const SliceRecord& slice) {
  return {{"index", slice.index},
          {"images", slice.images},
          {"steps", slice.steps},
          {"seconds", slice.seconds},
          {"cpu_seconds", slice.cpu_seconds},
          {"minor_faults", slice.minor_faults},
          {"involuntary_switches", slice.involuntary_switches},
          {"other_cpu_share", slice.other_cpu_share}};
}

json of(const EpochRecord& epoch) {
  return {{"seconds", epoch.seconds},
          {"cpu_seconds", epoch.cpu_seconds},
          {"images", epoch.images},
          {"steps", epoch.steps},
          {"phases", epoch.phases},
          {"mean_loss", maybe(epoch.mean_loss)},
          {"first_loss", maybe(epoch.first_loss)},
          {"last_loss", maybe(epoch.last_loss)}};
}

json of(const LaunchRecord& launch);
json of(const CaseRecord& item);

template <class T>
json list_of(const std::vector<T>& items) {
  json list = json::array();
  for (const auto& item : items) list.push_back(of(item));
  return list;
}

json of(const LaunchRecord& launch) {
  return {{"index", launch.index},
          {"seed", launch.seed},
          {"status", to_string(launch.status)},
          {"reason", launch.reason},
          {"start_seconds", launch.start_seconds},
          {"warm_up_steps", launch.warm_up_steps},
          {"epochs", list_of(launch.epochs)},
          {"slices", list_of(launch.slices)},
          {"probe_loss_before", maybe(launch.probe_loss_before)},
          {"probe_loss_after", maybe(launch.probe_loss_after)},
          {"parameters_changed", maybe(launch.parameters_changed)},
          {"test_accuracy", maybe(launch.test_accuracy)},
          {"test_images", launch.test_images},
          {"numbers", launch.numbers}};
}

json of(const MemoryRecord& memory) {
  return {{"tensor_start", memory.tensor_start},     {"tensor_peak", memory.tensor_peak},
          {"heap_start", memory.heap_start},         {"heap_peak", memory.heap_peak},
          {"resident_start", memory.resident_start}, {"resident_peak", memory.resident_peak},
          {"device_peak", maybe(memory.device_peak)}, {"heap_kept_per_step", maybe(memory.heap_kept_per_step)}};
}

json of(const RowEvidence& row) {
  return {{"launches", row.launches},
          {"ratio", maybe(row.ratio)},
          {"low", maybe(row.low)},
          {"high", maybe(row.high)},
          {"level", maybe(row.level)},
          {"launch_scatter", maybe(row.launch_scatter)},
          {"pooled_scatter", maybe(row.pooled_scatter)},
          {"degrees_of_freedom", maybe(row.degrees_of_freedom)},
          {"smallest_visible", maybe(row.smallest_visible)},
          {"speed", to_string(row.speed)},
          {"learning", to_string(row.learning)},
          {"accuracy_difference", maybe(row.accuracy_difference)},
          {"accuracy_low", maybe(row.accuracy_low)},
          {"accuracy_high", maybe(row.accuracy_high)},
          {"reason", row.reason}};
}

json of(const CaseRecord& item) {
  return {{"id", item.id},
          {"technique", item.technique},
          {"variant", item.variant},
          {"baseline", item.baseline},
          {"summary", item.summary},
          {"status", to_string(item.status)},
          {"reason", item.reason},
          {"model", item.model},
          {"device", item.device},
          {"threads", item.threads},
          {"recipe", of(item.recipe)},
          {"partial", item.partial},
          {"changes_maths", item.changes_maths},
          {"evidence", item.evidence ? of(*item.evidence) : json()},
          {"memory", item.memory ? of(*item.memory) : json()},
          {"launches", list_of(item.launches)}};
}

json of(const DatasetRecord& data) {
  return {{"kind", data.kind},
          {"folder", data.folder},
          {"digest", data.digest},
          {"official", data.official},
          {"train_images", data.train_images},
          {"test_images", data.test_images},
          {"note", data.note}};
}

std::string fact(const Facts& facts, const std::string& key) {
  const auto found = facts.find(key);
  return found == facts.end() ? "unknown" : found->second;
}

double leading_number(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// What Google Benchmark's readers look for.
json context_of(const Report& report) {
  json load = json::array();
  const std::string average = fact(report.environment, "load_average");
  for (size_t at = 0; at < average.size() && average != "unknown";) {
    const size_t end = std::min(average.find(' ', at), average.size());
    load.push_back(leading_number(average.substr(at, end - at)));
    at = end + 1;
  }
  const std::string governor = fact(report.environment, "governor");
  return {{"date", report.started},
          {"host_name", fact(report.environment, "host_name")},
          {"executable", report.command_line.empty() ? "" : report.command_line[0]},
          {"num_cpus", static_cast<int>(leading_number(fact(report.environment, "cores_online")))},
          {"mhz_per_cpu", static_cast<int>(leading_number(fact(report.environment, "cpu_mhz")))},
          {"cpu_scaling_enabled", governor != "unknown" && governor != "performance"},
          {"caches", json::array()},
          {"load_avg", load},
          {"library_build_type", "release"},
          {"json_schema_version", 1}};
}

/// One entry a launch and epoch of the cases that ended well; others have no time to give.
json benchmarks_of(const Report& report) {
  json list = json::array();
  int family = -1;
  for (const auto& item : report.cases) {
    ++family;
    if (item.status != Status::ok) continue;
    const std::string name = item.id + "/real_time";
    int repetition = 0, repetitions = 0;
    for (const auto& launch : item.launches) repetitions += launch.status == Status::ok ? static_cast<int>(launch.epochs.size()) : 0;
    for (const auto& launch : item.launches) {
      if (launch.status != Status::ok) continue;
      for (const auto& epoch : launch.epochs) {
        json entry = {{"name", name},
                      {"family_index", family},
                      {"per_family_instance_index", 0},
                      {"run_name", name},
                      {"run_type", "iteration"},
                      {"repetitions", repetitions},
                      {"repetition_index", repetition++},
                      {"threads", item.threads},
                      {"iterations", 1},
                      {"real_time", 1e3 * epoch.seconds},
                      {"cpu_time", 1e3 * epoch.cpu_seconds},
                      {"time_unit", "ms"},
                      {"items_per_second", epoch.seconds > 0 ? static_cast<double>(epoch.images) / epoch.seconds : 0.0}};
        list.push_back(std::move(entry));
      }
    }
  }
  return list;
}

/// nlohmann writes NaN and infinity as null without a word; this says where and what.
void name_non_finite(json& node, const std::string& pointer, json& found) {
  if (node.is_number_float() && !std::isfinite(node.get<double>())) {
    const double value = node;
    found[pointer] = std::isnan(value) ? "NaN" : value > 0 ? "infinity" : "-infinity";
    node = nullptr;
  } else if (node.is_object()) {
    for (auto& [key, child] : node.items()) {
      std::string escaped;
      for (const char c : key) escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
      name_non_finite(child, pointer + "/" + escaped, found);
    }
  } else if (node.is_array()) {
    for (size_t i = 0; i < node.size(); ++i) name_non_finite(node[i], pointer + "/" + std::to_string(i), found);
  }
}

}  // namespace

std::string to_json_text(const Report& report) {
  json document = {
      {"context", context_of(report)},
      {"benchmarks", benchmarks_of(report)},
      {"ninefold",
       {{"schema", "ninefold-report-1"},
        {"version", report.version},
        {"complete", report.complete},
        {"ending", report.ending},
        {"command_line", report.command_line},
        {"started", report.started},
        {"elapsed_seconds", report.elapsed_seconds},
        {"quick", report.quick},
        {"launches_asked", report.launches_asked},
        {"epochs", report.epochs},
        {"slice_images", report.slice_images},
        {"seed", report.seed},
        {"confidence", report.evidence.confidence},
        {"margin", report.evidence.margin},
        {"accuracy_margin", report.evidence.accuracy_margin},
        {"warnings", report.warnings},
        {"dataset", of(report.dataset)},
        {"environment", report.environment},
        {"software", report.software},
        {"variables", report.variables},
        {"cases", list_of(report.cases)}}}};
  json non_finite = json::object();
  name_non_finite(document, "", non_finite);
  document["ninefold"]["non_finite"] = non_finite;
  return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace ninefold
