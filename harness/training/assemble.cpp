// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
#include "harness/training/assemble.hpp"

#include <ATen/Context.h>

#include "harness/training/models.hpp"
#include "harness/training/quiet_plugs.hpp"
#include "harness/training/trainer.hpp"

namespace ninefold {
namespace {

/// The variant's plug of a socket, or the quiet one; then whatever wraps it.
template <class Socket, class Quiet>
std::unique_ptr<Socket> plug(const Put<Socket>& put, SetUp& set_up, const Quiet& quiet) {
  std::unique_ptr<Socket> made = put.make ? put.make(set_up) : quiet();
  for (const auto& wrap : put.wraps) made = wrap(std::move(made), set_up);
  return made;
}

}  // namespace

std::unique_ptr<Board> build_board(const Variant& variant, SetUp s) {
  auto board = std::make_unique<Board>();
  const Plugs& plugs = variant.plugs;
  if (variant.process) variant.process(s);
  if (!s.model) {
    at::manual_seed(s.recipe.seed);
    s.model = make_model(s.model_name);
  }
  board->recipe = s.recipe;
  board->phases = s.phases;
  board->model = s.model;
  board->compute = plug(plugs.compute, s, [&] { return std::make_unique<SingleDevice>(s); });
  board->precision = plug(plugs.precision, s, [] { return std::make_unique<F32>(); });
  board->weights = board->precision->convert(*board->model);
  s.weights = &board->weights;
  board->sync = plug(plugs.sync, s, [] { return std::make_unique<NoSync>(); });
  board->update = plug(plugs.update, s, [&]() -> std::unique_ptr<Update> {
    if (s.recipe.optimizer == Optimizer::adam) return std::make_unique<FusedAdam>(s);
    return std::make_unique<FusedSgd>(s);
  });
  board->assembler = plug(plugs.assembler, s, [&] { return std::make_unique<Resident>(s); });
  s.assembler = board->assembler.get();
  board->transfer = plug(plugs.transfer, s, [] { return std::make_unique<DirectTransfer>(); });
  s.host_options = board->transfer->host_options();
  board->feed = plug(plugs.feed, s, [&] { return std::make_unique<InlineFeed>(s); });
  board->loss_log = plug(plugs.loss_log, s, [] { return std::make_unique<DeviceLossSum>(); });
  board->step = plug(plugs.step, s, [] { return std::make_unique<EagerStep>(); });
  return board;
}

}  // namespace ninefold
