// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// What a process needs of CUDA beyond tensors. The implementation lies in a library of its own that is loaded only where a
// GPU is used, so that a CPU process neither links nor loads the CUDA half of LibTorch. This header includes none of it.
#pragma once
#include <cstdint>
#include <string>

namespace ninefold {

class CudaPart {
 public:
  virtual ~CudaPart() = default;
  virtual int device_count() const = 0;
  virtual std::string device_name(int device) const = 0;
  virtual std::string versions() const = 0;               ///< "runtime 13.0, driver 13.0"
  virtual void synchronize(int device) const = 0;         ///< waits for all work of all streams
  virtual void reset_peak(int device) const = 0;          ///< the caching allocator's peak becomes its current value
  virtual int64_t allocated_peak(int device) const = 0;   ///< bytes in tensors, caching allocator
};

/// Loads LibTorch's CUDA libraries and our part. Must be the first torch-related act of the process: LibTorch asks once
/// whether CUDA is there and remembers the answer. Throws std::runtime_error with the loader's reason.
const CudaPart& load_cuda_part();

}  // namespace ninefold
