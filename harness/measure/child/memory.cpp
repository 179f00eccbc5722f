// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/measure/child/memory.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>

namespace ninefold {
namespace {

std::atomic<int64_t> bytes_now{0};
std::atomic<int64_t> bytes_peak{0};

void add(int64_t bytes) {
  const int64_t now = bytes_now.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  int64_t peak = bytes_peak.load(std::memory_order_relaxed);
  while (now > peak && !bytes_peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) continue;
}

/// Counts what the inner allocator hands out. Blocks may be freed on any thread.
class CountingAllocator final : public c10::Allocator {
 public:
  explicit CountingAllocator(c10::Allocator* inner) : inner_(inner) { inner_deleter_ = inner->raw_deleter(); }

  c10::DataPtr allocate(size_t size) override {
    void* block = inner_->raw_allocate(size);
    if (block) add(static_cast<int64_t>(malloc_usable_size(block)));
    return {block, block, &release, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, size_t count) const override { inner_->copy_data(to, from, count); }

 private:
  static void release(void* block) {
    if (!block) return;
    add(-static_cast<int64_t>(malloc_usable_size(block)));
    inner_deleter_(block);
  }
  c10::Allocator* inner_;
  static inline c10::DeleterFnPtr inner_deleter_ = nullptr;
};

int64_t heap_bytes() {
  const auto info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

/// A line such as "VmHWM:   12345 kB" of /proc/self/status, in bytes.
int64_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == key + ":") {
      int64_t kib = 0;
      status >> kib;
      return kib * 1024;
    }
  return 0;
}

}  // namespace

void count_tensor_memory() {
  static CountingAllocator counting(c10::GetCPUAllocator());
  constexpr uint8_t kHighestPriority = 255;
  c10::SetCPUAllocator(&counting, kHighestPriority);
}

int64_t tensor_bytes() { return bytes_now.load(std::memory_order_relaxed); }

void MemoryWatch::begin() {
  *this = MemoryWatch{};
  bytes_peak = bytes_now.load();
  std::ofstream("/proc/self/clear_refs") << "5";  // VmHWM starts again from VmRSS
  record_.tensor_start = tensor_bytes();
  record_.heap_start = record_.heap_peak = heap_bytes();
  record_.resident_start = status_bytes("VmRSS");
}

void MemoryWatch::end_window() {
  const int64_t heap = heap_bytes();
  record_.heap_peak = std::max(record_.heap_peak, heap);
  const auto x = static_cast<double>(windows_++), y = static_cast<double>(heap - record_.heap_start);
  n_ += 1;
  x_ += x;
  y_ += y;
  xx_ += x * x;
  xy_ += x * y;
}

MemoryRecord MemoryWatch::peaks() const {
  MemoryRecord record = record_;
  record.tensor_peak = bytes_peak.load();
  record.resident_peak = status_bytes("VmHWM");
  if (const double spread = n_ * xx_ - x_ * x_; spread > 0) record.heap_kept_per_step = (n_ * xy_ - x_ * y_) / spread;
  return record;
}

}  // namespace ninefold
