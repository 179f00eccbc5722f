// SPDX-FileCopyrightText: Ninefold contributors
// SPDX-License-Identifier: MIT
// The other side of the pipe: a process that trains one variant and answers the protocol's questions.
#pragma once

namespace ninefold {

/// Serves until "bye" or the end of its input. Returns the process's exit code: 0, or 1 after answering an error.
int child_main();

}  // namespace ninefold
