// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include <dlfcn.h>

#include <stdexcept>

#include "harness/cuda/cuda_part.hpp"

namespace ninefold {

const CudaPart& load_cuda_part() {
  using Entry = const CudaPart* (*)();
  void* library = dlopen("libninefold_cuda.so", RTLD_NOW | RTLD_GLOBAL);
  if (!library) throw std::runtime_error(std::string("the CUDA part can't be loaded: ") + dlerror());
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "ninefold_cuda_part"));
  if (!entry) throw std::runtime_error(std::string("the CUDA part is of another build: ") + dlerror());
  return *entry();
}

}  // namespace ninefold
