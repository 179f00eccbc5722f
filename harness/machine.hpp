// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// What of the machine decides whether a variant can run here. Filled by harness/measure/environment; must know no torch.
#pragma once
#include <cstdint>
#include <string>

namespace ninefold {

struct Machine {
  int cores = 1;             ///< this process may use: the smaller of affinity mask and cgroup quota (rounded up)
  int gpus = 0;              ///< CUDA devices that the driver shows and CUDA_VISIBLE_DEVICES allows
  bool avx512_bf16 = false;  ///< CPU instructions for 16-bit types, from /proc/cpuinfo
  bool avx512_fp16 = false;
  bool amx_bf16 = false;
  bool amx_fp16 = false;
  int64_t memory_bytes = 0;  ///< the smaller of physical memory and the cgroup limit
};

}  // namespace ninefold
