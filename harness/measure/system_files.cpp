// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/measure/system_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

namespace ninefold {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// The whole text as a number; nothing for "max", an empty text or one that goes on after the number.
template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class Number>
void keep_smaller(std::optional<Number>& kept, std::optional<Number> found) {
  if (found && (!kept || *found < *kept)) kept = found;
}

/// The folders of this process's group in one hierarchy, from the group up to the mount point. `kind` is the
/// file system (cgroup2), or for version 1 the controller.
std::vector<fs::path> group_folders(const fs::path& root, const std::string& kind) {
  const bool second = kind == "cgroup2";
  std::string group;
  for (const std::string& line : split(read_text(root / "proc/self/cgroup"), '\n')) {  // id:controllers:group
    const size_t first = line.find(':');
    const size_t last = first == std::string::npos ? first : line.find(':', first + 1);
    if (last == std::string::npos) continue;
    const auto controllers = split(std::string_view(line).substr(first + 1, last - first - 1), ',');
    if (std::find(controllers.begin(), controllers.end(), second ? "" : kind) != controllers.end()) {
      group = line.substr(last + 1);
    }
  }
  for (const std::string& line : split(read_text(root / "proc/self/mountinfo"), '\n')) {
    // id parent device root mount_point options [optional fields] - file_system source super_options
    const size_t dash = line.find(" - ");
    const auto left = split(std::string_view(line).substr(0, dash), ' ');
    if (dash == std::string::npos || left.size() < 6) continue;
    const auto right = split(std::string_view(line).substr(dash + 3), ' ');
    if (right.size() < 3 || right[0] != (second ? "cgroup2" : "cgroup")) continue;
    const auto options = split(right[2], ',');
    if (!second && std::find(options.begin(), options.end(), kind) == options.end()) continue;
    const fs::path mount = root / fs::path(left[4]).relative_path();
    std::vector<fs::path> folders;
    // A container's mount may show only its part of the hierarchy (left[3]), while the group is named from
    // the top.
    const fs::path below = fs::path(group).lexically_relative(left[3]);
    if (below != "." && !below.empty() && *below.begin() != "..") {
      for (fs::path part = below; !part.empty(); part = part.parent_path()) folders.push_back(mount / part);
    }
    folders.push_back(mount);
    return folders;
  }
  return {};
}

std::optional<double> quota(const std::string& micros, const std::string& period) {
  const auto used = number<double>(micros), of = number<double>(period);
  if (!used || !of || *used <= 0 || *of <= 0) return std::nullopt;  // "max", or -1 in version 1
  return *used / *of;
}

/// Version 1 tells no limit by a huge number (the largest whole page).
std::optional<int64_t> limit(const std::string& bytes) {
  const auto value = number<int64_t>(bytes);
  return value && *value < int64_t{1} << 60 ? value : std::nullopt;
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::string read_text(const fs::path& file) {
  std::ifstream in(file);  // files in /proc have no size: read to the end
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

std::string value_of(std::string_view text, std::string_view key, char separator) {
  for (const std::string& line : split(text, '\n')) {
    const size_t at = line.find(separator);
    if (at != std::string::npos && trimmed(line.substr(0, at)) == key) return trimmed(line.substr(at + 1));
  }
  return {};
}

CpuInfo parse_cpuinfo(std::string_view text) {
  CpuInfo info;
  info.model = value_of(text, "model name");
  std::istringstream flags(value_of(text, "flags"));
  info.flags = {std::istream_iterator<std::string>(flags), {}};
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with("processor")) ++info.cores;
    if (line.starts_with("cpu MHz")) {
      info.mhz = std::max(info.mhz, number<double>(value_of(line, "cpu MHz")).value_or(0));
    }
  }
  return info;
}

CgroupLimits cgroup_limits(const fs::path& root) {
  CgroupLimits limits;
  for (const fs::path& folder : group_folders(root, "cgroup2")) {
    const auto max = split(trimmed(read_text(folder / "cpu.max")), ' ');
    if (max.size() == 2) keep_smaller(limits.cores, quota(max[0], max[1]));
    keep_smaller(limits.memory_bytes, limit(trimmed(read_text(folder / "memory.max"))));
  }
  for (const fs::path& folder : group_folders(root, "cpu")) {
    keep_smaller(limits.cores, quota(trimmed(read_text(folder / "cpu.cfs_quota_us")),
                                     trimmed(read_text(folder / "cpu.cfs_period_us"))));
  }
  for (const fs::path& folder : group_folders(root, "memory")) {
    keep_smaller(limits.memory_bytes, limit(trimmed(read_text(folder / "memory.limit_in_bytes"))));
  }
  return limits;
}

int present_gpus(const fs::path& root) {
  const auto count = [](const fs::path& folder, const auto& counts) {
    std::error_code error;  // a missing folder holds nothing
    int found = 0;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      found += counts(entry->path().filename().string());
    }
    return found;
  };
  const int nodes = count(root / "dev", [](const std::string& name) {
    return name.starts_with("nvidia") && all_digits(std::string_view(name).substr(6));
  });
  return nodes > 0 ? nodes : count(root / "proc/driver/nvidia/gpus", [](const std::string&) { return true; });
}

int visible_gpus(int present, const std::optional<std::string>& cuda_visible_devices) {
  if (!cuda_visible_devices) return present;
  std::set<std::string> seen;
  for (const std::string& part : split(*cuda_visible_devices, ',')) {
    const std::string entry = trimmed(part);
    const auto index = number<int>(entry);
    const bool named = entry.starts_with("GPU-") || entry.starts_with("MIG-");
    if (!named && (!index || *index < 0 || *index >= present)) break;
    if (!seen.insert(entry).second) return 0;
  }
  return std::min(present, static_cast<int>(seen.size()));
}

double busy_seconds(std::string_view stat, const std::vector<int>& cpus, long ticks_per_second) {
  double ticks = 0;
  for (const std::string& line : split(stat, '\n')) {
    std::istringstream words(line);
    std::string name;
    std::array<double, 8> fields{};  // user nice system idle iowait irq softirq steal
    words >> name;
    for (double& field : fields) words >> field;
    if (!name.starts_with("cpu")) continue;
    const auto cpu = number<int>(std::string_view(name).substr(3));  // nothing for "cpu ", the sum of all
    if (!cpu || std::find(cpus.begin(), cpus.end(), *cpu) == cpus.end()) continue;
    ticks += fields[0] + fields[1] + fields[2] + fields[5] + fields[6] + fields[7];
  }
  return ticks / static_cast<double>(ticks_per_second);
}

}  // namespace ninefold
