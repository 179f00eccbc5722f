# SPDX-FileCopyrightText: Ninefold contributors
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the scripts share: where things are, and how they speak. Sourced, not run.

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${NINEFOLD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ninefold}

say() { printf '%s\n' "$*" >&2; }
# refuse WHAT...: one line, exit code 2.
refuse() {
  say "${0##*/}: $*"
  exit 2
}
# show_help FILE: the comment at the top of a script is its --help.
show_help() { sed -n '4,/^[^#]/{s/^# \{0,1\}//;/^[^#]*set -euo/d;p;}' "$1"; }

# The folder of LibTorch: what the user named, or what set-up unpacked for these pins.
torch_folder() {
  if [ -n "${NINEFOLD_TORCH:-}" ]; then
    printf '%s\n' "$NINEFOLD_TORCH"
  else
    local pins
    pins=$(cat "$project/scripts/pins/base.txt" "$project/scripts/pins/cuda.txt" | sha256sum | cut -c1-12)
    printf '%s\n' "$cache/libtorch-$pins/torch"
  fi
}
