// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// The machine's description, on machines made of text files in a temporary folder and on the real one.
#include "harness/measure/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

namespace ninefold {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::MatchesRegex;

constexpr char cpu_info_text[] =
    "processor\t: 0\nmodel name\t: Fast CPU @ 2.0GHz\ncpu MHz\t\t: 1800.5\n"
    "flags\t\t: fpu hypervisor avx2 f16c avx512_bf16 amx_bf16 fma\nvmx flags\t: avx_not_this\n\n"
    "processor\t: 1\nmodel name\t: Fast CPU @ 2.0GHz\ncpu MHz\t\t: 2999.9\n";

class EnvironmentTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "ninefold_environment_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override {
    fs::remove_all(root_);
    unsetenv("CUDA_VISIBLE_DEVICES");
  }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  /// A machine in a control group of version 2, two levels down.
  void write_cgroup2() const {
    write("proc/self/cgroup", "0::/user/job\n");
    write("proc/self/mountinfo",
          "22 1 0:20 / /proc rw - proc proc rw\n31 23 0:28 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 "
          "rw\n");
  }
  fs::path root_;
};

TEST_F(EnvironmentTest, ReadsCpuInfo) {
  const CpuInfo cpu = parse_cpuinfo(cpu_info_text);
  EXPECT_EQ(cpu.model, "Fast CPU @ 2.0GHz");
  EXPECT_EQ(cpu.cores, 2);
  EXPECT_DOUBLE_EQ(cpu.mhz, 2999.9);
  EXPECT_THAT(cpu.flags, ElementsAre("amx_bf16", "avx2", "avx512_bf16", "f16c", "fma", "fpu", "hypervisor"));
}

TEST_F(EnvironmentTest, TakesTheStrictestGroupOfVersion2) {
  write_cgroup2();
  write("sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/user/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/user/job/memory.max", "2147483648\n");
  write("sys/fs/cgroup/user/memory.max", "4294967296\n");
  const CgroupLimits limits = cgroup_limits(root_);
  EXPECT_EQ(limits.cores, 1.5);
  EXPECT_EQ(limits.memory_bytes, int64_t{2} << 30);
}

TEST_F(EnvironmentTest, ReadsVersion1InsideAContainerThatShowsOnlyItsOwnGroup) {
  write("proc/self/cgroup",
        "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc/inner\n1:name=systemd:/docker/abc\n");
  write("proc/self/mountinfo",
        "41 40 0:30 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"
        "42 40 0:31 /docker/abc /sys/fs/cgroup/memory ro master:9 - cgroup cgroup rw,memory\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_quota_us", "250000\n");
  write("sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(cgroup_limits(root_).cores, 2.5);
  EXPECT_EQ(cgroup_limits(root_).memory_bytes, std::nullopt);
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  EXPECT_EQ(cgroup_limits(root_).memory_bytes, int64_t{1} << 30);
}

TEST_F(EnvironmentTest, NoControlGroupsMeanNoLimit) {
  EXPECT_EQ(cgroup_limits(root_).cores, std::nullopt);
  EXPECT_EQ(cgroup_limits(root_).memory_bytes, std::nullopt);
}

TEST_F(EnvironmentTest, ProbesAMadeUpMachine) {
  write("proc/cpuinfo", cpu_info_text);
  write("proc/meminfo", "MemTotal:       16303236 kB\nMemFree:  1 kB\n");
  write_cgroup2();
  write("sys/fs/cgroup/user/job/cpu.max", "20000 100000\n");
  write("dev/nvidia0", "");
  write("dev/nvidia1", "");
  write("dev/nvidiactl", "");
  unsetenv("CUDA_VISIBLE_DEVICES");
  Machine machine = probe_machine(root_);
  EXPECT_EQ(machine.cores, 1);  // 0.2 of a core, rounded up
  EXPECT_EQ(machine.memory_bytes, int64_t{16303236} * 1024);
  EXPECT_EQ(machine.gpus, 2);
  EXPECT_TRUE(machine.avx512_bf16);
  EXPECT_TRUE(machine.amx_bf16);
  EXPECT_FALSE(machine.avx512_fp16);
  EXPECT_FALSE(machine.amx_fp16);
  write("sys/fs/cgroup/memory.max", "1073741824\n");
  setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  machine = probe_machine(root_);
  EXPECT_EQ(machine.memory_bytes, int64_t{1} << 30);
  EXPECT_EQ(machine.gpus, 1);
}

TEST_F(EnvironmentTest, KeepsToTheAffinityMask) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(probe_machine(root_).cores, 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(probe_machine(root_).cores, CPU_COUNT(&before));
}

TEST_F(EnvironmentTest, CountsGpusWithoutDeviceNodesByTheDriversList) {
  EXPECT_EQ(present_gpus(root_), 0);
  write("proc/driver/nvidia/gpus/0000:0b:00.0/information", "Model: \t\t NVIDIA B\n");
  write("proc/driver/nvidia/gpus/0000:0a:00.0/information", "Model: \t\t NVIDIA A\n");
  EXPECT_EQ(present_gpus(root_), 2);
  EXPECT_EQ(machine_facts(Machine{}, root_).at("gpus"), "NVIDIA A, NVIDIA B");
}

TEST(VisibleGpus, FollowCuda) {
  EXPECT_EQ(visible_gpus(4, std::nullopt), 4);
  EXPECT_EQ(visible_gpus(4, ""), 0);
  EXPECT_EQ(visible_gpus(4, "-1"), 0);
  EXPECT_EQ(visible_gpus(4, "2, 0"), 2);
  EXPECT_EQ(visible_gpus(4, "0,-1,1"), 1);
  EXPECT_EQ(visible_gpus(4, "0,4,1"), 1);
  EXPECT_EQ(visible_gpus(4, "1,1"), 0);
  EXPECT_EQ(visible_gpus(4, "NoDevFiles"), 0);
  EXPECT_EQ(visible_gpus(1, "GPU-5a2b,GPU-77"), 1);
  EXPECT_EQ(visible_gpus(0, "0"), 0);
}

TEST_F(EnvironmentTest, SaysUnknownWhereTheMachineIsSilent) {
  const Facts facts = machine_facts(Machine{}, root_);
  for (const char* name :
       {"host_name", "os", "kernel", "virtualisation", "cpu_model", "cores_online", "cpu_flags", "cpu_mhz",
        "governor", "memory_bytes", "dev_shm_bytes", "load_average", "gpu_driver", "transparent_hugepages"}) {
    EXPECT_EQ(facts.at(name), "unknown") << name;
  }
  EXPECT_EQ(facts.at("gpus"), "none");
  EXPECT_EQ(facts.at("cgroup_cpu_quota"), "none");
}

TEST_F(EnvironmentTest, DescribesAMadeUpMachine) {
  write("proc/cpuinfo", cpu_info_text);
  write("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  write("proc/loadavg", "0.52 0.58 0.59 1/467 12345\n");
  write("proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build\nGCC version:  "
        "gcc 12.2.0\n");
  write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
  write("sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq", "4200000\n");
  write(".dockerenv", "");
  write_cgroup2();
  write("sys/fs/cgroup/user/job/cpu.max", "150000 100000\n");
  const Facts facts = machine_facts(Machine{.cores = 2}, root_);
  EXPECT_EQ(facts.at("os"), "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(facts.at("virtualisation"), "virtual machine, container");
  EXPECT_EQ(facts.at("cores_online"), "2");
  EXPECT_EQ(facts.at("cores_allowed"), "2");
  EXPECT_EQ(facts.at("cpu_flags"), "amx_bf16 avx2 avx512_bf16 f16c");
  EXPECT_EQ(facts.at("cpu_mhz"), "4200");
  EXPECT_EQ(facts.at("governor"), "performance, powersave");
  EXPECT_EQ(facts.at("cgroup_cpu_quota"), "1.5");
  EXPECT_EQ(facts.at("load_average"), "0.52 0.58 0.59");
  EXPECT_EQ(facts.at("gpu_driver"), "580.65.06");
  EXPECT_EQ(facts.at("transparent_hugepages"), "madvise");
}

TEST(Environment, KnowsThisMachine) {
  const Machine machine = probe_machine();
  EXPECT_GE(machine.cores, 1);
  EXPECT_LE(machine.cores, static_cast<int>(std::thread::hardware_concurrency()));
  EXPECT_GT(machine.memory_bytes, int64_t{64} << 20);
  const Facts facts = machine_facts(machine);
  EXPECT_NE(facts.at("kernel"), "unknown");
  EXPECT_THAT(facts.at("compiler"), MatchesRegex("[A-Za-z]+ [0-9.]+"));
  EXPECT_EQ(is_release_build(), facts.at("build_type") == "Release" &&
                                    facts.at("build_flags").find("-DNDEBUG") != std::string::npos &&
                                    facts.at("build_flags").find("-fsanitize") == std::string::npos);
}

TEST(VariableFacts, RecordTheAllowedOnesAndTheOverridesOnly) {
  setenv("OMP_NUM_THREADS", "3", 1);
  setenv("GLIBC_TUNABLES", "a=b", 1);
  setenv("NINEFOLD_SECRET_TOKEN", "hidden", 1);
  const Facts facts = variable_facts({{"OMP_NUM_THREADS", "1"}, {"OTHER_SWITCH", "on"}});
  EXPECT_EQ(facts.at("OMP_NUM_THREADS"), "1");
  EXPECT_EQ(facts.at("GLIBC_TUNABLES"), "a=b");
  EXPECT_EQ(facts.at("OTHER_SWITCH"), "on");
  EXPECT_FALSE(facts.contains("NINEFOLD_SECRET_TOKEN"));
  EXPECT_FALSE(facts.contains("PATH"));
}

constexpr char stat_text[] =
    "cpu  1000 0 0 0 0 0 0 0 0 0\n"
    "cpu0 100 20 30 5000 400 5 6 7 50 8\n"
    "cpu1 1 1 1 9000 0 1 1 1 0 0\n"
    "cpu11 900 0 0 0 0 0 0 0 0 0\nintr 5 5\n";

TEST(OtherLoadTest, BusyTimeCountsOurCpusWithoutIdleAndGuestTime) {
  EXPECT_DOUBLE_EQ(busy_seconds(stat_text, {0}, 100), 1.68);
  EXPECT_DOUBLE_EQ(busy_seconds(stat_text, {0, 1}, 100), 1.74);
  EXPECT_DOUBLE_EQ(busy_seconds("", {0, 1}, 100), 0);
}

TEST(OtherLoadTest, ShareIsWhatOursDoesNotExplain) {
  EXPECT_DOUBLE_EQ(other_share(1.5, 0.5, 1, 2), 0.5);
  EXPECT_DOUBLE_EQ(other_share(0.5, 0.51, 1, 2), 0);  // ticks are coarser than our own clock
  EXPECT_DOUBLE_EQ(other_share(9, 0, 1, 2), 1);
  EXPECT_DOUBLE_EQ(other_share(1, 0, 0, 2), 0);
}

TEST_F(EnvironmentTest, OtherLoadSeesAForeignProcess) {
  const auto stat = [this](int ticks) {
    std::string text;
    for (int cpu = 0; cpu < 1024; ++cpu) {
      text += "cpu" + std::to_string(cpu) + " " + std::to_string(ticks) + " 0 0 0 0 0 0 0 0 0\n";
    }
    write("proc/stat", text);
  };
  stat(100);
  OtherLoad load(root_);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(load.stop(0), 0);
  stat(100000);  // far more than the time that has passed
  EXPECT_EQ(load.stop(0), 1);
  EXPECT_EQ(load.stop(1e9), 0);  // all ours
}

TEST(UtcNow, IsIso8601) {
  EXPECT_THAT(utc_now(), MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z"));
}

}  // namespace
}  // namespace ninefold
