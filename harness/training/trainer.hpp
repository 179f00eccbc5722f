// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// The training loop. EagerStep::run is one optimizer window; Trainer::run_until goes through an epoch's windows.
#pragma once
#include <cstdint>
#include <vector>

#include "harness/training/board.hpp"

namespace ninefold {

/// The quiet Step: every socket once, in the order that all techniques rely on.
class EagerStep final : public Step {
 public:
  void run(Board& board, const Window& window) override;
};

class Trainer {
 public:
  /// Cuts the epochs by board.recipe. The board must outlive the trainer.
  explicit Trainer(Board& board);

  struct Done {
    int64_t images = 0, steps = 0;
    bool epoch_end = false;
    double mean_loss = 0;                  ///< of the epoch, from the loss log; at its end only, as are:
    double first_loss = 0, last_loss = 0;  ///< means over the first and last windows, at most 50 each
  };
  /// Trains whole windows until the epoch has seen `image` images of all ranks; when it returns, nothing of this process
  /// works any more. After an epoch's end the next call begins the next epoch.
  Done run_until(int64_t image);

  struct WarmUp {
    int64_t steps = 0;
    double seconds_per_image = 0;  ///< of the last full windows
  };
  /// Trains about so many windows, of every shape that an epoch holds (the full one and a ragged last one), then puts
  /// everything back to step 0 in place: weights, masters, buffers, the default generators and every plug.
  WarmUp warm_up(int64_t steps);

 private:
  void begin_epoch(const std::vector<Window>& windows);
  void run_window(const Window& window);
  void pause();

  Board& board_;
  std::vector<Window> windows_;
  std::vector<int64_t> order_;  // this rank's images of the epoch
  size_t next_ = 0;
  int64_t epoch_ = 0;
};

}  // namespace ninefold
