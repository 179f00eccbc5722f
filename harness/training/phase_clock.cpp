// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/training/phase_clock.hpp"

#if __has_include(<nvtx3/nvtx3.hpp>)
#include <nvtx3/nvtx3.hpp>
#define NINEFOLD_NVTX 1
#endif

namespace ninefold {
namespace {

#ifdef NINEFOLD_NVTX
struct Domain {
  static constexpr char const* name{"ninefold"};
};

/// Registered, since Nsight's capture triggers match only registered strings.
nvtx3::event_attributes attributes(Phase phase) {
  using Text = nvtx3::registered_string_in<Domain>;
  static const std::array<Text, kPhaseNames.size()> names = {Text("data"),          Text("transfer"),  Text("forward"), Text("backward"),
                                                             Text("communication"), Text("optimizer"), Text("loss")};
  return nvtx3::event_attributes{names[static_cast<size_t>(phase)]};
}

void push(Phase phase) { nvtxDomainRangePushEx(nvtx3::domain::get<Domain>(), attributes(phase).get()); }
void pop() { nvtxDomainRangePop(nvtx3::domain::get<Domain>()); }
#else
void push(Phase) {}
void pop() {}
#endif

}  // namespace

void PhaseClock::charge(Clock::time_point now) {
  if (depth_ > 0 && depth_ <= kDeepest) spent_[static_cast<size_t>(open_[depth_ - 1])] += now - since_;
  since_ = now;
}

void PhaseClock::open(Phase phase, int lane) {
  push(phase);
  if (lane != 0) return;
  charge(Clock::now());
  if (depth_ < kDeepest) open_[depth_] = phase;
  ++depth_;
}

void PhaseClock::close(Phase, int lane) {
  pop();
  if (lane != 0) return;
  charge(Clock::now());
  --depth_;
}

void PhaseClock::restart() { spent_ = {}; }

std::map<std::string, double> PhaseClock::seconds() const {
  std::map<std::string, double> result;
  for (size_t i = 0; i < spent_.size(); ++i)
    result[kPhaseNames[i]] = std::chrono::duration<double>(spent_[i]).count();
  return result;
}

}  // namespace ninefold
