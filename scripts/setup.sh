#!/usr/bin/env bash
# Installs what building, testing and drawing need, by apt, and only what is missing.
# usage: scripts/setup.sh
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

packages=(g++ cmake ninja-build ccache git
  libboost-context-dev libbenchmark-dev nlohmann-json3-dev libcli11-dev libfmt-dev libgtest-dev
  python3 python3-numpy python3-matplotlib python3-pytest)
cmake_needed=3.25

cmake_version() { cmake --version 2>/dev/null | sed -n 's/^cmake version \([0-9.]*\).*/\1/p'; }

is_installed() {
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]] && return 0
  # A CMake from elsewhere does as well.
  [[ $1 == cmake ]] && at_least "$(cmake_version || true)" "$cmake_needed"
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  die "only Debian and Ubuntu are set up by this script; elsewhere install: ${packages[*]}"
fi

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  say "set-up: nothing is missing"
  exit 0
fi

as_root=()
if (($(id -u) != 0)); then
  command -v sudo >/dev/null || die "not root and no sudo; as root: apt-get install ${missing[*]}"
  as_root=(sudo)
fi

say "set-up: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    die "apt-get $1 failed"
  fi
}
apt update
apt install -y --no-install-recommends "${missing[@]}"
at_least "$(cmake_version)" "$cmake_needed" ||
  die "cmake $(cmake_version) is too old: $cmake_needed or newer is needed"
say "set-up: done"
