// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// A report as one strict JSON document: Google Benchmark's schema 1 at the top, so that existing tools read it, and
// everything else in one object, "ninefold". report.schema.json describes it field by field.
#pragma once
#include <string>

#include "harness/record.hpp"

namespace ninefold {

/// Indented UTF-8 with a final newline; no NaN or infinity: those become null and are listed under ninefold.non_finite by
/// their JSON pointer.
std::string to_json_text(const Report& report);

}  // namespace ninefold
