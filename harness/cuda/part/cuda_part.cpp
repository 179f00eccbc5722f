// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// The CUDA part itself, compiled by plain g++ against the headers of the nvidia-* wheels.
#include "harness/cuda/cuda_part.hpp"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>

#include <fmt/format.h>

namespace ninefold {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

class LoadedCudaPart final : public CudaPart {
 public:
  int device_count() const override { return c10::cuda::device_count(); }

  std::string device_name(int device) const override {
    cudaDeviceProp properties{};
    C10_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    return properties.name;
  }

  std::string versions() const override {
    int runtime = 0, driver = 0;
    C10_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    C10_CUDA_CHECK(cudaDriverGetVersion(&driver));
    return fmt::format("runtime {}, driver {}", version_text(runtime), version_text(driver));
  }

  void synchronize(int device) const override {
    c10::cuda::set_device(static_cast<c10::DeviceIndex>(device));
    c10::cuda::device_synchronize();
  }

  void reset_peak(int device) const override { allocator::resetPeakStats(static_cast<c10::DeviceIndex>(device)); }

  int64_t allocated_peak(int device) const override {
    constexpr auto kAll = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    return allocator::getDeviceStats(static_cast<c10::DeviceIndex>(device)).allocated_bytes[kAll].peak;
  }
};

}  // namespace
}  // namespace ninefold

extern "C" __attribute__((visibility("default"))) const ninefold::CudaPart* ninefold_cuda_part() {
  static const ninefold::LoadedCudaPart part;
  return &part;
}
