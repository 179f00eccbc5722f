// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "harness/data/dataset.hpp"
#include "harness/data/digest.hpp"
#include "harness/data/idx.hpp"
#include "harness/data/synthetic.hpp"

namespace ninefold {
namespace {

constexpr const char* kDebianFashion = "/usr/share/datasets/fashion-mnist";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// Where set-up puts data sets; empty if no variable tells.
std::string cache_folder() {
  if (const auto own = variable("NINEFOLD_CACHE"); !own.empty()) return own;
  if (const auto xdg = variable("XDG_CACHE_HOME"); !xdg.empty()) return xdg + "/ninefold";
  if (const auto home = variable("HOME"); !home.empty()) return home + "/.cache/ninefold";
  return "";
}

/// The first folder that holds all four files, or nothing.
std::string find_set(const std::string& kind) {
  std::vector<std::string> folders;
  if (const auto cache = cache_folder(); !cache.empty()) folders.push_back(cache + "/data/" + kind);
  if (kind == "fashion") folders.push_back(kDebianFashion);
  for (const auto& folder : folders)
    if (holds_idx_files(folder)) return folder;
  return "";
}

}  // namespace

DataPlace resolve_data(const DataRequest& request) {
  if (request.dataset == "synthetic") return {"synthetic", "", ""};
  const bool by_flag = !request.data_dir.empty();
  const std::string named = by_flag ? request.data_dir : variable("NINEFOLD_DATA_DIR");
  const std::string kind = request.dataset == "auto" ? "mnist" : request.dataset;
  if (!named.empty()) {
    if (!holds_idx_files(named))
      throw DataError(fmt::format("{}: {} names a folder that lacks some of the four IDX files train-images-idx3-ubyte, "
                                  "train-labels-idx1-ubyte, t10k-images-idx3-ubyte, t10k-labels-idx1-ubyte (or .gz); fetch "
                                  "them with scripts/setup.sh, or name another folder",
                                  named, by_flag ? "--data-dir" : "NINEFOLD_DATA_DIR"));
    return {kind, named, ""};
  }
  if (const auto found = find_set(kind); !found.empty()) return {kind, found, ""};
  if (request.dataset == "auto")
    return {"synthetic", "", "no MNIST files were found, so made-up synthetic digits are used; scripts/setup.sh fetches MNIST"};
  throw DataError(fmt::format("--dataset={}: expected its four IDX files in {}{}, found none; {}", kind,
                              cache_folder() + "/data/" + kind,
                              kind == "fashion" ? std::string(" or ") + kDebianFashion : "",
                              kind == "fashion" ? "install the Debian package dataset-fashion-mnist or use --data-dir"
                                                : "run scripts/setup.sh or use --data-dir"));
}

Dataset load_data(const DataPlace& place, int64_t synthetic_train_images) {
  Dataset data;
  data.kind = place.kind;
  data.folder = place.folder;
  if (place.kind == "synthetic") {
    data.train = synthetic_digits(Part::train, synthetic_train_images);
    data.test = synthetic_digits(Part::test, std::max<int64_t>(100, synthetic_train_images / 6));
  } else {
    data.train = read_idx_pair(place.folder, "train");
    data.test = read_idx_pair(place.folder, "t10k");
    if (data.test.rows != data.train.rows || data.test.cols != data.train.cols)
      throw DataError(fmt::format("{}: training images are {} x {}, test images {} x {}; both must have one size", place.folder,
                                  data.train.rows, data.train.cols, data.test.rows, data.test.cols));
  }
  identify(data);
  return data;
}

}  // namespace ninefold
