// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/data/idx.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

namespace ninefold {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kImagesMagic = 0x803, kLabelsMagic = 0x801;
constexpr const char* kAdvice = "fetch the data again (scripts/setup.sh) or point --data-dir elsewhere";

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw DataError(fmt::format("{}: {}; {}", path, what, kAdvice));
}

/// Decompresses as it goes; zlib reads files that are not gzip as they are, which raw files need and .gz must not get.
class Input {
 public:
  explicit Input(std::string path) : path_(std::move(path)), file_(nullptr, &gzclose) {
    if (fs::is_directory(path_)) fail(path_, "expected a file, found a folder");
    file_.reset(gzopen(path_.c_str(), "rb"));
    if (!file_) fail(path_, fmt::format("can't be opened: {}", std::strerror(errno)));
    gzbuffer(file_.get(), 1 << 18);
  }

  const std::string& path() const { return path_; }

  /// Reads up to size bytes; fewer only at the end.
  size_t read(uint8_t* to, size_t size) {
    size_t got = 0;
    while (got < size) {
      const int n = gzread(file_.get(), to + got, static_cast<unsigned>(std::min<size_t>(size - got, 1 << 30)));
      if (n < 0) fail_of_zlib();
      if (n == 0) break;
      got += static_cast<size_t>(n);
    }
    if (got < size) {
      int code = Z_OK;
      gzerror(file_.get(), &code);
      if (code != Z_OK) fail_of_zlib();
    }
    if (got > 0 && is_gz() && gzdirect(file_.get())) fail(path_, fmt::format("expected a gzip file, found {}", describe(to, got)));
    if (got > 0 && !is_gz() && !gzdirect(file_.get())) fail(path_, "expected an uncompressed file, found a gzip file without .gz in its name");
    return got;
  }

  /// What the first bytes look like, for a message.
  static std::string describe(const uint8_t* bytes, size_t size) {
    if (size == 0) return "an empty file";
    if (bytes[0] == '<') return "a web page or XML";
    if (size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b) return "a gzip file";
    if (size >= 4 && (bytes[0] == 1 || bytes[0] == 3) && bytes[1] == 8 && bytes[2] == 0 && bytes[3] == 0)
      return "an IDX header with its bytes reversed";
    std::string text = "the bytes";
    for (size_t i = 0; i < std::min<size_t>(size, 4); ++i) text += fmt::format(" {:02x}", bytes[i]);
    return text;
  }

 private:
  bool is_gz() const { return path_.ends_with(".gz"); }
  [[noreturn]] void fail_of_zlib() {
    int code = Z_OK;
    const std::string text = gzerror(file_.get(), &code);
    if (code == Z_ERRNO) fail(path_, fmt::format("can't be read: {}", std::strerror(errno)));
    if (code == Z_BUF_ERROR) fail(path_, "the gzip file is cut: its end is missing");
    fail(path_, fmt::format("the gzip file is damaged ({})", text.substr(text.rfind(": ") == std::string::npos ? 0 : text.rfind(": ") + 2)));
  }

  std::string path_;
  std::unique_ptr<gzFile_s, decltype(&gzclose)> file_;
};

std::string find_file(const std::string& folder, const std::string& name) {
  const std::string raw = folder + "/" + name;
  std::error_code ignored;
  if (fs::exists(raw, ignored)) return raw;
  if (fs::exists(raw + ".gz", ignored)) return raw + ".gz";
  if (!fs::is_directory(folder, ignored)) throw DataError(fmt::format("{}: expected a folder of IDX files, found none; {}", folder, kAdvice));
  throw DataError(fmt::format("{}: expected this file or the same with .gz, found neither; {}", raw, kAdvice));
}

uint32_t big_endian(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

/// The sizes behind the magic: {count} of labels, {count, rows, cols} of images.
std::vector<int64_t> read_header(Input& input, uint32_t magic) {
  const size_t dimensions = magic == kImagesMagic ? 3 : 1;
  const char* kind = magic == kImagesMagic ? "images" : "labels";
  uint8_t header[16];
  const size_t wanted = 4 + 4 * dimensions;
  const size_t got = input.read(header, wanted);
  if (got == 0) fail(input.path(), fmt::format("expected an IDX file of {}, found an empty file", kind));
  if (got >= 4 && big_endian(header) != magic) {
    const uint32_t other = magic == kImagesMagic ? kLabelsMagic : kImagesMagic;
    fail(input.path(), fmt::format("expected an IDX file of {} (magic {:#x}), found {}", kind, magic,
                                   big_endian(header) == other ? fmt::format("one of {} (magic {:#x}): are files swapped?",
                                                                             magic == kImagesMagic ? "labels" : "images", other)
                                                               : Input::describe(header, got)));
  }
  if (got < wanted) fail(input.path(), fmt::format("expected a header of {} bytes, found {} bytes in all", wanted, got));
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < dimensions; ++i) sizes.push_back(big_endian(header + 4 + 4 * i));
  if (sizes[0] < 1) fail(input.path(), fmt::format("expected 1 or more {}, its header says {}", kind, sizes[0]));
  for (size_t i = 1; i < sizes.size(); ++i)
    if (sizes[i] < 1 || sizes[i] > 4096)
      fail(input.path(), fmt::format("expected images of 1 to 4096 rows and columns, its header says {} x {}", sizes[1], sizes[2]));
  return sizes;
}

/// The payload, read in pieces: a header that lies about its size costs no memory.
std::vector<uint8_t> read_payload(Input& input, int64_t size) {
  if (size > kMostBytes) fail(input.path(), fmt::format("its header says {} bytes of data, more than the {} that are accepted", size, kMostBytes));
  constexpr size_t kPiece = 1 << 24;
  std::vector<uint8_t> bytes;
  const auto wanted = static_cast<size_t>(size);
  while (bytes.size() < wanted) {
    const size_t had = bytes.size(), piece = std::min(kPiece, wanted - had);
    bytes.resize(had + piece);
    const size_t got = input.read(bytes.data() + had, piece);
    if (got < piece) fail(input.path(), fmt::format("expected {} bytes of data, found {}: the file is cut", wanted, had + got));
  }
  uint8_t extra;
  if (input.read(&extra, 1) != 0) fail(input.path(), fmt::format("expected {} bytes of data, found more behind them", wanted));
  return bytes;
}

}  // namespace

Digits read_idx_pair(const std::string& folder, const std::string& stem) {
  Digits digits;
  Input images(find_file(folder, stem + "-images-idx3-ubyte"));
  const auto sizes = read_header(images, kImagesMagic);
  digits.count = sizes[0];
  digits.rows = sizes[1];
  digits.cols = sizes[2];
  digits.pixels = read_payload(images, sizes[0] * sizes[1] * sizes[2]);

  Input labels(find_file(folder, stem + "-labels-idx1-ubyte"));
  const auto count = read_header(labels, kLabelsMagic);
  if (count[0] != digits.count)
    fail(labels.path(), fmt::format("expected {} labels, one an image, its header says {}", digits.count, count[0]));
  digits.labels = read_payload(labels, count[0]);
  const auto bad = std::find_if(digits.labels.begin(), digits.labels.end(), [](uint8_t label) { return label > 9; });
  if (bad != digits.labels.end())
    fail(labels.path(), fmt::format("expected labels 0 to 9, label {} is {}", bad - digits.labels.begin(), *bad));
  return digits;
}

bool holds_idx_files(const std::string& folder) {
  std::error_code ignored;
  for (const char* name : {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"})
    if (!fs::exists(folder + "/" + name, ignored) && !fs::exists(folder + "/" + name + ".gz", ignored)) return false;
  return true;
}

}  // namespace ninefold
