// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// One MNIST-like data set in memory, wherever it came from. Must know no torch and no network.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace ninefold {

/// count images of rows x cols pixels, uint8, row by row, and their labels 0 to 9.
struct Digits {
  int64_t count = 0;
  int64_t rows = 28, cols = 28;
  std::vector<uint8_t> pixels;  ///< count x rows x cols
  std::vector<uint8_t> labels;  ///< count
};

struct Dataset {
  std::string kind;       ///< "mnist", "fashion", "synthetic", or "custom" for files of no known digest
  std::string folder;     ///< empty for synthetic
  std::string digest;     ///< hex sha256 over the four parts' raw sha256: train images, train labels, test images, labels
  bool official = false;  ///< all four parts are the published MNIST or Fashion-MNIST files, by digest
  Digits train, test;
};

/// A file that is missing, unreadable or not what it should be. what() is one line: which file, what was expected, what
/// was found, what to do.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the user asked for: --dataset and --data-dir.
struct DataRequest {
  std::string dataset = "auto";  ///< "auto", "mnist", "fashion" or "synthetic"
  std::string data_dir;          ///< empty = not given
};

/// Where the data will be read.
struct DataPlace {
  std::string kind;    ///< "mnist", "fashion", "custom" or "synthetic": what the place claims to hold
  std::string folder;  ///< empty for synthetic
  std::string note;    ///< what the user should know, e.g. that no files were found and synthetic digits are used
};

/// Chooses the place, in this order: --data-dir, NINEFOLD_DATA_DIR, the set-up cache (NINEFOLD_CACHE or the user's cache
/// folder, /ninefold/data/<dataset>), Debian's dataset-fashion-mnist folder (for fashion); "auto" means mnist and falls
/// back to synthetic with a note. A folder asked for by name but lacking files is a DataError, never a fallback.
DataPlace resolve_data(const DataRequest& request);

/// Reads the four files (raw or .gz) of a folder, or makes the synthetic set: train_images for training and a sixth of
/// it (at least 100) for the test. Throws DataError.
Dataset load_data(const DataPlace& place, int64_t synthetic_train_images = 60000);

}  // namespace ninefold
