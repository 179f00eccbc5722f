#!/usr/bin/env bash
# SPDX-FileCopyrightText: Ninefold contributors
# SPDX-License-Identifier: MIT
# Sets up, builds and runs bench_all with the flags given: scripts/run.sh --quick, scripts/run.sh --help.
# The first time on a machine takes minutes (LibTorch, MNIST, the build); later ones start at once. Only bench_all writes to
# stdout.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$project/scripts/setup.sh" >&2
build=$project/build/release
begin=$SECONDS
if [ ! -e "$build/build.ninja" ]; then
  cmake -S "$project" --preset release -DNINEFOLD_TORCH="$(torch_folder)" -DBUILD_TESTING=OFF >&2 ||
    refuse "the build could not be configured; the reason is above"
fi
cmake --build "$build" --target bench_all -j2 >"$build/run.log" 2>&1 || {
  tail -40 "$build/run.log" >&2
  refuse "the build failed; the whole log is $build/run.log"
}
if [ $((SECONDS - begin)) -gt 4 ]; then
  say "build: $((SECONDS - begin)) s"
fi
exec "$build/bin/bench_all" "$@"
