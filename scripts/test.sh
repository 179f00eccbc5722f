#!/usr/bin/env bash
# SPDX-FileCopyrightText: Ninefold contributors
# SPDX-License-Identifier: MIT
# Sets up, builds and passes all tests: the release build, then what needs no torch again under the address and
# undefined-behaviour sanitizers. Usage: scripts/test.sh [ctest flags for the release build, e.g. -R evidence]
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
case ${1:-} in --help | -h) show_help "$0"; exit 0 ;; esac

begin=$SECONDS
"$project/scripts/setup.sh" --tests >&2
say "test: set-up took $((SECONDS - begin)) s"
cd "$project"
for preset in release asan; do
  begin=$SECONDS
  cmake --preset $preset -DNINEFOLD_TORCH="$(torch_folder)" -DBUILD_TESTING=ON >build.$preset.log 2>&1 || {
    cat build.$preset.log >&2
    refuse "the $preset build could not be configured"
  }
  mv build.$preset.log build/$preset/configure.log
  cmake --build --preset $preset >&2 || refuse "the $preset build failed"
  say "test: building $preset took $((SECONDS - begin)) s"
  begin=$SECONDS
  ctest --preset $preset "$@"
  say "test: $preset tests took $((SECONDS - begin)) s"
done
