// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/record.hpp"

namespace ninefold {

std::string to_string(Status status) {
  switch (status) {
    case Status::ok: return "ok";
    case Status::skipped: return "skipped";
    case Status::failed: return "failed";
    case Status::diverged: return "diverged";
    case Status::interrupted: return "interrupted";
    case Status::pending: return "pending";
  }
  return "unknown";
}

}  // namespace ninefold
