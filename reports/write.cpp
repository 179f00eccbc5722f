// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "reports/write.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

namespace ninefold {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw WriteError(fmt::format("can't write the report {}: {}; choose another --out=FILE.json", path, what));
}

/// The temporary file beside a report; removed unless it was renamed.
class Temporary {
 public:
  explicit Temporary(const std::string& target) : target_(target), path_(fmt::format("{}.{}.part", target, getpid())) {
    if (std::filesystem::is_directory(target)) fail(target, "it is a folder");
    file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) fail(target, std::strerror(errno));
  }
  ~Temporary() {
    if (file_ >= 0) close(file_);
    unlink(path_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  void write(const std::string& text) {
    for (size_t done = 0; done < text.size();) {
      const ssize_t n = ::write(file_, text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) fail(target_, std::strerror(errno));
      done += static_cast<size_t>(n);
    }
    if (fsync(file_) != 0) fail(target_, std::strerror(errno));
  }
  void replace_target() {
    if (std::rename(path_.c_str(), target_.c_str()) != 0) fail(target_, std::strerror(errno));
  }

 private:
  std::string target_, path_;
  int file_ = -1;
};

}  // namespace

void check_writable(const std::string& path) { Temporary probe(path); }

void write_report(const std::string& path, const std::string& text) {
  Temporary file(path);
  file.write(text);
  file.replace_target();
}

}  // namespace ninefold
