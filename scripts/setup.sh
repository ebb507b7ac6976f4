#!/usr/bin/env bash
# Installs what building, testing and drawing need, by apt, and only what is missing; and, where
# there is an nvcc and no nvdisasm, that from PyPI into build/tools, for the test of machine code.
# usage: scripts/setup.sh
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

packages=(g++ cmake ninja-build ccache git
  libboost-context-dev libbenchmark-dev nlohmann-json3-dev libcli11-dev libfmt-dev libgtest-dev
  python3 python3-numpy python3-matplotlib python3-pandas python3-jsonschema python3-pytest)
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

# Of the toolkit, of PATH, or brought by an earlier run; as tests/machine_code/CMakeLists.txt looks.
have_nvdisasm() {
  command -v nvdisasm >/dev/null || [[ -x $(dirname "$1")/nvdisasm ]] ||
    compgen -G "$tools/lib/python3*/site-packages/nvidia/*/bin/nvdisasm" >/dev/null
}

nvcc=$(find_nvcc 2>/dev/null) || nvcc=
tools=${TOOLS:-build/tools}
lacks_nvdisasm=false
[[ -z $nvcc ]] || have_nvdisasm "$nvcc" || lacks_nvdisasm=true

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
if ((${#missing[@]} == 0)) && ! $lacks_nvdisasm; then
  say "set-up: nothing is missing"
  exit 0
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Installs packages. Returns 1 with a line in $why, and more in $log, when that fails.
apt_install() {
  local as_root=() step
  if (($(id -u) != 0)); then
    why="not root and no sudo; as root: apt-get install $*"
    command -v sudo >/dev/null || return 1
    as_root=(sudo)
  fi
  say "set-up: installing $*"
  for step in update "install -y --no-install-recommends $*"; do
    # shellcheck disable=SC2086  # words
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q $step >"$log" 2>&1 ||
      { why="apt-get ${step%% *} failed" && return 1; }
  done
}

# The disassembler of the toolkit's version. PyPI's first is 13.2, which also reads what older
# toolkits make.
install_nvdisasm() {
  local version
  is_installed python3-venv || apt_install python3-venv || return 1
  version=$(cuda_release "$nvcc")
  at_least "$version" 13.2 || version=13.2
  say "set-up: installing nvdisasm $version into $tools"
  { "$PYTHON" -m venv "$tools" &&
    "$tools/bin/python" -m pip install -q --disable-pip-version-check \
      "nvidia-cuda-nvdisasm==$version.*"; } >"$log" 2>&1 || { why=$(tail -n 1 "$log") && return 1; }
}

if ((${#missing[@]} > 0)); then
  apt_install "${missing[@]}" || { tail -n 20 "$log" >&2 && die "$why"; }
  at_least "$(cmake_version)" "$cmake_needed" ||
    die "cmake $(cmake_version) is too old: $cmake_needed or newer is needed"
fi
# Without a network all else can still be built and tested.
if $lacks_nvdisasm && ! install_nvdisasm; then
  say "set-up: no nvdisasm, so the machine code will not be tested: $why"
fi
say "set-up: done"
