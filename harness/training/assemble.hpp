// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// Puts a board together: the quiet plugs, and over them what a variant brings.
#pragma once
#include <memory>

#include "harness/technique.hpp"
#include "harness/training/board.hpp"

namespace ninefold {

/// The board of a variant whose values are already in set_up.recipe. Seeds the default generator with recipe.seed and makes
/// the model named set_up.model_name, if set_up.model holds none. In this order: process switches, model, placement
/// (Compute), Precision, GradientSync, Update, Assembler, Transfer, Feed, LossLog, Step. What set_up refers to must outlive
/// the board.
std::unique_ptr<Board> build_board(const Variant& variant, SetUp set_up);

}  // namespace ninefold
