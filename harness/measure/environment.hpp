// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// What this machine is and what it is doing: the machine facts that decide about skips, the context that a
// report records and comparisons check, and how busy other processes are. Reads /proc and /sys; must know no
// torch.
#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/machine.hpp"
#include "harness/measure/system_files.hpp"
#include "harness/record.hpp"

namespace ninefold {

/// Probes once, in a few milliseconds; never throws: what can't be read keeps its default. `root` is the
/// folder that holds proc, sys and dev; the affinity mask and CUDA_VISIBLE_DEVICES are always this process's
/// own.
Machine probe_machine(const std::filesystem::path& root = "/");

/// The report's environment, "unknown" where the machine does not tell: host_name, os, kernel, virtualisation
/// ("none", "virtual machine", "container" or both), cpu_model, cores_online, cores_allowed, cpu_flags (AVX,
/// AMX and 16-bit ones), cpu_mhz (the highest the cores may reach, or else run at now), governor (of all
/// cores), memory_bytes, cgroup_memory_limit (bytes, or "none"), cgroup_cpu_quota (cores, or "none"),
/// dev_shm_bytes, load_average (1, 5 and 15 minutes), gpu_driver, gpus (models in the order of the bus, or
/// "none"), page_size, transparent_hugepages, compiler, build_type, build_flags.
Facts machine_facts(const Machine& machine, const std::filesystem::path& root = "/");

/// The allow-listed variables that are set (OMP_*, GOMP_*, MALLOC_*, CUDA_VISIBLE_DEVICES, ...; see
/// environment.cpp), and all that `overrides` sets for a child. Never the whole environment.
Facts variable_facts(const std::map<std::string, std::string>& overrides);

/// True in a Release build of this program without sanitizers: only that may measure. Judged by the flags
/// that this library was compiled with.
bool is_release_build();

/// Share (0 to 1) of `cpus` CPUs over `wall_seconds` that was busy beyond `own_seconds`.
double other_share(double busy_seconds, double own_seconds, double wall_seconds, int cpus);

/// How much of the CPUs in this process's affinity mask other processes used between two calls.
class OtherLoad {
 public:
  explicit OtherLoad(const std::filesystem::path& root = "/");
  void start();
  /// Share (0 to 1) that neither this process nor `own_cpu_seconds`, the time of our children, accounts for;
  /// stolen time counts as others'. 0 where /proc/stat can't be read. Its ticks are 10 ms: under 0.1 s the
  /// answer is coarse.
  double stop(double own_cpu_seconds) const;

 private:
  std::filesystem::path stat_;
  std::vector<int> cpus_;
  double busy_ = 0, own_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

/// Now, as "2026-03-01T12:00:00Z".
std::string utc_now();

}  // namespace ninefold
