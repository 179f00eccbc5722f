// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// The board: nine sockets and what travels between them. Must know no technique, no clock and no process.
// The order of calls is trainer.cpp's EagerStep::run; the contract of each socket stands at its class.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/TensorOptions.h>
#include <torch/nn/module.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/machine.hpp"
#include "harness/schedule.hpp"
#include "harness/training/phases.hpp"

namespace ninefold {

using at::Tensor;

/// What a model's stage hands on. Dim 0 of every tensor is the batch, so that outputs can be cut and joined.
/// [0] = logits (B, 10); seq2seq adds the rows (B, 28, 28).
using Outputs = std::vector<Tensor>;

/// A model and its own loss. forward = the stages in order, so that a split may put them on different devices.
class Model : public torch::nn::Module {
 public:
  virtual size_t stages() const { return 1; }
  /// Stage i of the forward pass; stage 0 gets {x}, x (B, 1, 28, 28).
  virtual Outputs stage(size_t i, Outputs in) = 0;
  /// Mean over the batch, f32 scalar; upcasts 16-bit outputs itself. y (B) i64.
  virtual Tensor loss(const Outputs& out, const Tensor& x, const Tensor& y) = 0;
  Outputs forward(const Tensor& x) {
    Outputs out{x};
    for (size_t i = 0; i < stages(); ++i) out = stage(i, std::move(out));
    return out;
  }
};

/// model[i] computes, master[i] is updated; the same tensors unless Precision made masters. Addresses never change after
/// set-up (reducers, graphs and replicas hold them): every write is in place.
struct Weights {
  std::vector<Tensor> model, master, buffers;
  bool clear_by_zero = false;  ///< set by bucket views and graphs: gradients keep their storage

  /// The one owner of clearing gradients.
  void clear_gradients();
};

/// One normalised micro-batch on the host: x (B, 1, 28, 28) f32, y (B) i64. Dropping it gives the slot back to the feed.
struct HostBatch {
  Tensor x, y;
  std::shared_ptr<void> slot;
};

/// The same on the device. Valid until the next Transfer::next; by then its readers are enqueued on the current stream.
struct DeviceBatch {
  Tensor x, y;
};

/// What every socket's plug has in common.
class Plug {
 public:
  virtual ~Plug() = default;
  virtual void reset() {}  ///< back to step 0, in place; after warm-up
  virtual void pause() {}  ///< after it no thread or stream of the plug works; what is prepared stays. Inside the clock
  /// Facts for the report, as key and value; keys carry their unit ("skipped_steps", "transfer_bytes").
  virtual void report(const std::function<void(const std::string& key, double value)>&) const {}
};

/// 1. Indices to one normalised batch. Thread-safe, const, no look-ahead.
class Assembler : public Plug {
 public:
  /// images: rows of the training set (never empty). Writes out.x and out.y, into the slot's tensors where they exist.
  virtual void assemble(std::span<const int64_t> images, int64_t epoch, HostBatch& out) const = 0;
};

/// 2. Which threads assemble, how far ahead. The same batches in the same order for every thread count.
class Feed : public Plug {
 public:
  /// order: this rank's images of the epoch; both spans stay valid until the next begin_epoch.
  virtual void begin_epoch(int64_t epoch, std::span<const int64_t> order, std::span<const Window> windows) = 0;
  /// The next micro-batch. An empty one (count 0) gives a single image; its weight is 0.
  virtual HostBatch next() = 0;
};

/// 3. Host to device. Pulls from the feed, so that it may hold one batch in flight; calls pull() below for that.
class Transfer : public Plug {
 public:
  virtual at::TensorOptions host_options() const = 0;  ///< pageable or pinned: the feed allocates its slots so
  virtual DeviceBatch next(Feed& feed, Phases& phases) = 0;
};

/// feed.next() under the phase "data".
HostBatch pull(Feed& feed, Phases& phases);

/// 4. Number formats: which copies of the weights exist, what runs in 16 bit, how the loss is scaled.
class Precision : public Plug {
 public:
  /// Leaves a thread-local scope when destroyed, on the thread that entered it.
  class Scope {
   public:
    explicit Scope(std::function<void()> leave = {}) : leave_(std::move(leave)) {}
    Scope(Scope&& other) noexcept : leave_(std::exchange(other.leave_, {})) {}
    Scope(const Scope&) = delete;
    Scope& operator=(Scope&&) = delete;
    ~Scope() {
      if (leave_) leave_();
    }

   private:
    std::function<void()> leave_;
  };
  struct State {
    std::optional<Tensor> found_inf;  ///< device scalar f32, 1 = skip the update; already the same on all ranks
  };
  virtual Weights convert(Model&) = 0;  ///< once, after placement and the broadcast
  [[nodiscard]] virtual Scope enter(at::Device) const { return Scope{}; }  ///< in every thread that runs forward
  virtual Tensor input(const Tensor& x) const { return x; }
  virtual Tensor scale(const Tensor& loss) const { return loss; }
  virtual State collect(Weights&) = 0;  ///< once a window: model gradients onto the masters, unscaled
  virtual void after_update(Weights&, const State&) {}  ///< masters to model weights, new loss scale
};

/// 5. Gradients over ranks.
class GradientSync : public Plug {
 public:
  virtual void before_forward(bool /*closes_window*/) {}
  virtual void before_backward(const Outputs&) {}
  virtual void after_backward() {}
  virtual void finish(Weights&) {}  ///< once a window: after it the gradients of model[] are the mean over ranks
};

/// What a Compute is given for one micro-batch. objective() is what must be differentiated; the log gets the plain loss.
struct MicroContext {
  const Micro& micro;
  const Precision& precision;
  GradientSync& sync;
  Phases& phases;
  Tensor objective(const Tensor& loss) const;
  /// The usual single backward, under its phase, with the sync told before and after.
  void backward(const Outputs& out, const Tensor& loss) const;
};

/// 6. Forward, loss and backward of one micro-batch; places the model in its constructor.
class Compute : public Plug {
 public:
  /// Adds weighted, scaled gradients to the .grad of the model's parameters; returns the plain mean loss (f32 scalar).
  virtual Tensor run(const DeviceBatch& batch, const MicroContext& context) = 0;
};

/// 7. Clip (masters, unscaled, after the sync), then step; skips when found_inf.
class Update : public Plug {
 public:
  virtual void apply(Weights&, const Precision::State&) = 0;
};

/// 8. What is kept of the loss.
class LossLog : public Plug {
 public:
  /// loss still holds its graph where Compute keeps one. images is 0 for an empty micro-batch: ignore it.
  virtual void add(const Tensor& loss, int64_t images) = 0;
  virtual double end_epoch() = 0;  ///< image-weighted mean of the epoch, then forgets it; inside the clock
};

struct Board;

/// 9. The hatch: one whole optimizer window. May wrap, repeat or record the calls, never skip a socket.
class Step : public Plug {
 public:
  virtual void run(Board&, const Window&) = 0;
};

/// The training set on the host, as the files hold it. Shared by all who read it.
struct TrainingSet {
  Tensor images;  ///< (N, 28, 28) u8
  Tensor labels;  ///< (N) i64
};

/// What a factory of a plug may look at. Filled in set-up order: place, broadcast, convert, sync, update, then the data.
struct SetUp {
  const Recipe& recipe;
  const Machine& machine;
  std::string_view model_name;
  std::vector<at::Device> slots;  ///< where to compute; [0] is the home of inputs and the loss
  int threads = 1;                ///< intra-op threads of the whole process
  const TrainingSet& data;
  std::shared_ptr<Phases> phases;
  std::shared_ptr<Model> model = nullptr;  ///< made by build_board where it is not given
  Weights* weights = nullptr;          ///< from Update on
  const Assembler* assembler = nullptr;  ///< from Feed on
  at::TensorOptions host_options = {};   ///< from Feed on
};

/// Losses of an epoch's first and last windows, at most 50 each, for the evidence on learning. Kept by the harness
/// beside the LossLog, so that what the log costs stays visible: 0.1 us a step on the CPU.
class LossTrace {
 public:
  void begin_epoch(size_t windows);
  void add(const Tensor& loss, const Micro& micro, const Window& window, size_t window_index);
  double first_mean();  ///< mean over the first windows; NaN before any epoch
  double last_mean();

 private:
  static constexpr size_t kMost = 50;
  static double* slot(std::vector<double>& kept, size_t from, size_t window_index);
  static double mean(const std::vector<double>& kept);
  void read_pending();

  std::vector<double> first_, last_;
  std::vector<std::pair<double*, Tensor>> pending_;  // on a GPU: read at the end, never a synchronisation in a step
  size_t windows_ = 0;
};

/// Declared in set-up order, so destroyed in reverse: graph before weights, transfer (holds slots) before feed.
struct Board {
  Recipe recipe;
  std::shared_ptr<Phases> phases;
  std::shared_ptr<Model> model;
  std::unique_ptr<Compute> compute;
  std::unique_ptr<Precision> precision;
  Weights weights;
  std::unique_ptr<GradientSync> sync;
  std::unique_ptr<Update> update;
  std::unique_ptr<Assembler> assembler;
  std::unique_ptr<Feed> feed;
  std::unique_ptr<Transfer> transfer;
  std::unique_ptr<LossLog> loss_log;
  std::unique_ptr<Step> step;
  LossTrace trace;
  size_t window_index = 0;  ///< of the window being run, in its epoch

  std::vector<Plug*> plugs() const;
  /// The loss goes to the log and to the trace, under the phase "loss". Every Step calls it once a micro-batch.
  void log_loss(const Tensor& loss, const Micro& micro, const Window& window);
};

}  // namespace ninefold
