// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/measure/environment.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <regex>
#include <set>
#include <string_view>

namespace ninefold {
namespace {

namespace fs = std::filesystem;

/// CPUs that this process may run on; those online where the kernel does not tell.
std::vector<int> affinity_cpus() {
  std::vector<int> cpus;
  constexpr size_t most_cpus = 8192;  // the most that Linux on x86 is built for; the default set ends at 1024
  if (cpu_set_t* set = CPU_ALLOC(most_cpus)) {
    const size_t bytes = CPU_ALLOC_SIZE(most_cpus);
    if (sched_getaffinity(0, bytes, set) == 0) {
      for (size_t cpu = 0; cpu < most_cpus; ++cpu) {
        if (CPU_ISSET_S(cpu, bytes, set)) cpus.push_back(static_cast<int>(cpu));
      }
    }
    CPU_FREE(set);
  }
  for (int cpu = 0; cpus.empty() && cpu < sysconf(_SC_NPROCESSORS_ONLN); ++cpu) cpus.push_back(cpu);
  return cpus;
}

int64_t physical_memory(const fs::path& root) {
  const std::string kilobytes = value_of(read_text(root / "proc/meminfo"), "MemTotal");  // "16303236 kB"
  return std::strtoll(kilobytes.c_str(), nullptr, 10) * 1024;
}

std::string virtualisation(const fs::path& root, const CpuInfo& cpu) {
  std::vector<std::string> layers;
  if (cpu.flags.contains("hypervisor")) layers.emplace_back("virtual machine");
  if (fs::exists(root / ".dockerenv") || fs::exists(root / "run/.containerenv"))
    layers.emplace_back("container");
  if (layers.empty()) return cpu.flags.empty() ? "" : "none";
  return fmt::format("{}", fmt::join(layers, ", "));
}

std::string wide_flags(const CpuInfo& cpu) {
  std::vector<std::string> wide;
  std::copy_if(cpu.flags.begin(), cpu.flags.end(), std::back_inserter(wide), [](const std::string& flag) {
    return flag.starts_with("avx") || flag.starts_with("amx") || flag == "f16c";
  });
  return fmt::format("{}", fmt::join(wide, " "));
}

/// One text of cpufreq in the folders of all cores: each value once, as in "performance, powersave"; empty
/// where there is no cpufreq, as in most virtual machines.
std::set<std::string> cpufreq(const fs::path& root, const std::string& file) {
  std::set<std::string> values;
  std::error_code error;
  const fs::path cpus = root / "sys/devices/system/cpu";
  for (fs::directory_iterator entry(cpus, error), end; !error && entry != end; entry.increment(error)) {
    const std::string value = trimmed(read_text(entry->path() / "cpufreq" / file));
    if (!value.empty()) values.insert(value);
  }
  return values;
}

std::string megahertz(const fs::path& root, const CpuInfo& cpu) {
  double kilohertz = cpu.mhz * 1000;
  for (const std::string& value : cpufreq(root, "cpuinfo_max_freq")) {
    kilohertz = std::max(kilohertz, std::strtod(value.c_str(), nullptr));
  }
  return kilohertz > 0 ? fmt::format("{:.0f}", kilohertz / 1000) : "";
}

std::string shared_memory_bytes(const fs::path& root) {
  struct statvfs shm {};
  if (statvfs((root / "dev/shm").c_str(), &shm) != 0) return "";
  return fmt::format("{}", shm.f_blocks * shm.f_frsize);
}

std::string gpu_models(const fs::path& root) {
  std::set<fs::path> folders;  // named by bus address
  std::error_code error;
  const fs::path gpus = root / "proc/driver/nvidia/gpus";
  for (fs::directory_iterator entry(gpus, error), end; !error && entry != end; entry.increment(error)) {
    folders.insert(entry->path());
  }
  std::vector<std::string> models;
  for (const fs::path& folder : folders)
    models.push_back(value_of(read_text(folder / "information"), "Model"));
  if (models.empty()) return present_gpus(root) == 0 ? "none" : "";
  return fmt::format("{}", fmt::join(models, ", "));
}

/// The first part of `text` that `pattern`'s group matches.
std::string first_match(const std::string& text, const char* pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

/// What decides about speed in the libraries that a child loads. Nothing else of the environment is ever
/// written down.
bool is_allowed_variable(std::string_view name) {
  static constexpr std::array prefixes{"ATEN_", "CUBLAS_", "CUDNN_",    "DNNL_",    "GLOO_",
                                       "GOMP_", "KMP_",    "MALLOC_",   "MKL_",     "NCCL_",
                                       "OMP_",  "ONEDNN_", "OPENBLAS_", "PYTORCH_", "TORCH_"};
  static constexpr std::array names{
      "CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_DEVICE_ORDER", "CUDA_LAUNCH_BLOCKING", "CUDA_MODULE_LOADING",
      "CUDA_VISIBLE_DEVICES",        "GLIBC_TUNABLES",    "LD_PRELOAD",           "NVIDIA_TF32_OVERRIDE"};
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const char* prefix) { return name.starts_with(prefix); }) ||
         std::find(names.begin(), names.end(), name) != names.end();
}

double own_cpu_seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

Machine probe_machine(const fs::path& root) {
  const CpuInfo cpu = parse_cpuinfo(read_text(root / "proc/cpuinfo"));
  const CgroupLimits limits = cgroup_limits(root);
  Machine machine;
  machine.cores = static_cast<int>(affinity_cpus().size());
  if (limits.cores) machine.cores = std::min(machine.cores, static_cast<int>(std::ceil(*limits.cores)));
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  machine.gpus =
      visible_gpus(present_gpus(root), visible ? std::optional<std::string>(visible) : std::nullopt);
  machine.avx512_bf16 = cpu.flags.contains("avx512_bf16");
  machine.avx512_fp16 = cpu.flags.contains("avx512_fp16");
  machine.amx_bf16 = cpu.flags.contains("amx_bf16");
  machine.amx_fp16 = cpu.flags.contains("amx_fp16");
  machine.memory_bytes = physical_memory(root);
  if (limits.memory_bytes) machine.memory_bytes = std::min(machine.memory_bytes, *limits.memory_bytes);
  return machine;
}

Facts machine_facts(const Machine& machine, const fs::path& root) {
  const auto text = [&](const char* file) { return trimmed(read_text(root / file)); };
  const CpuInfo cpu = parse_cpuinfo(text("proc/cpuinfo"));
  const CgroupLimits limits = cgroup_limits(root);
  std::string os = value_of(text("etc/os-release"), "PRETTY_NAME", '=');
  std::erase(os, '"');
  Facts facts{
      {"host_name", text("proc/sys/kernel/hostname")},
      {"os", os},
      {"kernel", text("proc/sys/kernel/osrelease")},
      {"virtualisation", virtualisation(root, cpu)},
      {"cpu_model", cpu.model},
      {"cores_online", cpu.cores > 0 ? fmt::format("{}", cpu.cores) : ""},
      {"cores_allowed", fmt::format("{}", machine.cores)},
      {"cpu_flags", wide_flags(cpu)},
      {"cpu_mhz", megahertz(root, cpu)},
      {"governor", fmt::format("{}", fmt::join(cpufreq(root, "scaling_governor"), ", "))},
      {"memory_bytes", machine.memory_bytes > 0 ? fmt::format("{}", machine.memory_bytes) : ""},
      {"cgroup_memory_limit", limits.memory_bytes ? fmt::format("{}", *limits.memory_bytes) : "none"},
      {"cgroup_cpu_quota", limits.cores ? fmt::format("{:g}", *limits.cores) : "none"},
      {"dev_shm_bytes", shared_memory_bytes(root)},
      {"load_average", first_match(text("proc/loadavg"), R"(^(\S+ \S+ \S+))")},
      {"gpu_driver", first_match(text("proc/driver/nvidia/version"), R"(\s(\d+\.\d+(\.\d+)?)\s)")},
      {"gpus", gpu_models(root)},
      {"page_size", fmt::format("{}", sysconf(_SC_PAGESIZE))},
      {"transparent_hugepages",
       first_match(text("sys/kernel/mm/transparent_hugepage/enabled"), R"(\[(\w+)\])")},
      {"compiler", NINEFOLD_COMPILER},
      {"build_type", NINEFOLD_BUILD_TYPE},
      {"build_flags", trimmed(NINEFOLD_BUILD_FLAGS)},
  };
  for (auto& [name, value] : facts) {
    if (value.empty()) value = "unknown";
  }
  return facts;
}

Facts variable_facts(const std::map<std::string, std::string>& overrides) {
  Facts facts = overrides;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || !is_allowed_variable(text.substr(0, equals))) continue;
    facts.try_emplace(std::string(text.substr(0, equals)), text.substr(equals + 1));
  }
  return facts;
}

bool is_release_build() {
#ifdef NDEBUG
  constexpr bool optimised = true;
#else
  constexpr bool optimised = false;
#endif
  constexpr std::string_view type = NINEFOLD_BUILD_TYPE, flags = NINEFOLD_BUILD_FLAGS;
  return optimised && type == "Release" && flags.find("-fsanitize") == std::string_view::npos;
}

double other_share(double busy_seconds, double own_seconds, double wall_seconds, int cpus) {
  if (wall_seconds <= 0 || cpus <= 0) return 0;
  return std::clamp((busy_seconds - own_seconds) / (wall_seconds * cpus), 0.0, 1.0);
}

OtherLoad::OtherLoad(const fs::path& root) : stat_(root / "proc/stat"), cpus_(affinity_cpus()) {
  start();
}

void OtherLoad::start() {
  busy_ = busy_seconds(read_text(stat_), cpus_, sysconf(_SC_CLK_TCK));
  own_ = own_cpu_seconds_now();
  begin_ = std::chrono::steady_clock::now();
}

double OtherLoad::stop(double own_cpu_seconds) const {
  const double busy = busy_seconds(read_text(stat_), cpus_, sysconf(_SC_CLK_TCK)) - busy_;
  const double own = own_cpu_seconds_now() - own_ + own_cpu_seconds;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin_;
  return other_share(busy, own, wall.count(), static_cast<int>(cpus_.size()));
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace ninefold
