// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// Peaks of memory in the memory pass: an exact counting allocator for CPU tensors, the C++ heap, the process as the
// kernel sees it. Never active in a timed child.
#pragma once
#include <cstdint>

#include "harness/record.hpp"
#include "harness/training/phases.hpp"

namespace ninefold {

/// Puts the counting allocator in front of LibTorch's CPU allocator. Before the first tensor of the process.
void count_tensor_memory();

/// Bytes that tensors hold now; malloc_usable_size of each block. 0 before count_tensor_memory().
int64_t tensor_bytes();

/// Listens to the trainer: samples the heap after optimizer windows, and keeps the peaks between begin() and peaks().
class MemoryWatch : public Phases {
 public:
  void begin();
  void end_window() override;
  MemoryRecord peaks() const;

 private:
  MemoryRecord record_;
  int64_t windows_ = 0;
  // Sums for the least-squares slope of heap bytes over window number.
  double n_ = 0, x_ = 0, y_ = 0, xx_ = 0, xy_ = 0;
};

}  // namespace ninefold
