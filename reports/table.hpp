// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// The report as a table for people. README.md of this folder defines every column.
#pragma once
#include <string>

#include "harness/record.hpp"

namespace ninefold {

struct TableStyle {
  bool colour = false;      ///< ANSI colours for verdicts
  std::string report_file;  ///< where the JSON report is; empty = none was written
};

/// UTF-8, with a final newline.
std::string table_text(const Report& report, const TableStyle& style);

}  // namespace ninefold
