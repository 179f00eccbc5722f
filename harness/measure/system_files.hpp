// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// Parsers of the text files in which Linux describes a machine. Each takes a text, or a root folder that
// holds proc, sys and dev, so that a test can make a machine up. Must know nothing of reports. None throws:
// what is missing is empty.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ninefold {

/// The whole file; empty if it can't be read.
std::string read_text(const std::filesystem::path& file);

/// Without white space at both ends.
std::string trimmed(std::string_view text);

/// Value of the first line "key : value" (or "key=value" with separator '='); empty if there is none.
std::string value_of(std::string_view text, std::string_view key, char separator = ':');

/// Of /proc/cpuinfo (x86).
struct CpuInfo {
  std::string model;
  int cores = 0;                ///< online ones
  double mhz = 0;               ///< of the fastest core, now
  std::set<std::string> flags;  ///< of the first core
};
CpuInfo parse_cpuinfo(std::string_view text);

/// What the control groups of this process allow it, version 1 or 2, the strictest of each group and its
/// parents.
struct CgroupLimits {
  std::optional<double> cores;  ///< quota divided by period
  std::optional<int64_t> memory_bytes;
};
CgroupLimits cgroup_limits(const std::filesystem::path& root);

/// NVIDIA GPUs that this process can open: device nodes dev/nvidiaN, since a container may see only some of
/// the machine's; where no node was made yet, those that the driver lists under proc/driver/nvidia/gpus.
int present_gpus(const std::filesystem::path& root);

/// How many of `present` CUDA_VISIBLE_DEVICES leaves; it counts up to the first entry that names no device,
/// and a device named twice leaves none (CUDA C++ Programming Guide, "CUDA Environment Variables").
int visible_gpus(int present, const std::optional<std::string>& cuda_visible_devices);

/// Seconds that the CPUs `cpus` were busy since boot, by /proc/stat: user, nice, system, irq, softirq and
/// steal (guest time is part of user already: proc(5)).
double busy_seconds(std::string_view stat, const std::vector<int>& cpus, long ticks_per_second);

}  // namespace ninefold
