// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// Files that are whole or absent: a report replaces the old one only when it is completely on disk.
#pragma once
#include <stdexcept>
#include <string>

namespace ninefold {

/// A report that can't be written. what() is one line: which file, why, what to do.
class WriteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws WriteError if write_report would fail now: no folder, a folder of that name, no permission. Leaves nothing behind.
void check_writable(const std::string& path);

/// Writes a temporary file in the same folder, syncs it and renames it. On failure throws WriteError; the old file, if
/// any, is untouched and nothing else is left.
void write_report(const std::string& path, const std::string& text);

}  // namespace ninefold
