#!/usr/bin/env bash
# Provides all packages for building, testing and drawing; with a preset, only those for building its
# benchmarks and drawing, or the tool of the preset check. Benchmarks need no GoogleTest, those of cuda no
# Boost, and the tool no Python. It uses the packages
# that CMake and Python find, from any source: conda, spack, modules, a prefix in CMAKE_PREFIX_PATH. It
# installs missing ones by apt if it may (as root, or by sudo without a password); otherwise it names
# them in one line and ends with status 2. What a toolkit for nvcc may lack it installs from PyPI into
# build/tools: nvml.h, for what results record of the GPU, and for tests nvdisasm, to read machine code.
# PYTHON=FILE selects the Python.
# usage: scripts/setup.sh [check | host | cuda]
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/finesync/lib.sh"
takes 1 "$@"

cmake_needed=3.22
libraries=(fmt benchmark nlohmann_json CLI11)
tested=false
preset=${1:-}
case $preset in
  "") libraries+=(Boost GTest) tested=true ;;
  host) libraries+=(Boost) ;;
  cuda) ;;
  check) libraries=(fmt nlohmann_json CLI11 Boost) ;;
  *) die "no preset '$preset'; usage: scripts/setup.sh [check | host | cuda]" ;;
esac
# Names of the packages of apt and of conda-forge.
declare -A apt=([python]=python3 [c++]=g++ [cmake]=cmake [ninja]=ninja-build [git]=git [Boost]=libboost-context-dev
  [fmt]=libfmt-dev [benchmark]=libbenchmark-dev [nlohmann_json]=nlohmann-json3-dev
  [CLI11]=libcli11-dev [GTest]=libgtest-dev)
declare -A conda=([c++]=cxx-compiler [Boost]=libboost-devel [CLI11]=cli11 [GTest]=gtest)

cmake_version() { cmake --version 2>/dev/null | sed -n 's/^cmake version \([0-9.]*\).*/\1/p'; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Sets `missing` to all packages that are not found, and `oldest` to the versions that these need. Without
# CMake and a compiler no library is found.
look() {
  local tool found name version
  missing=()
  declare -gA oldest=()
  command -v "${CXX:-c++}" >/dev/null || missing+=(c++)
  at_least "$(cmake_version || true)" "$cmake_needed" || missing+=(cmake)
  for tool in ninja git; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  if found=$(cmake -G Ninja -S scripts/cmake/probe -B "$scratch/$RANDOM" \
    "-DLIBRARIES=$(IFS=';' && echo "${libraries[*]}")" 2>&1); then
    while read -r name version; do
      missing+=("$name")
      oldest[$name]=$version
    done < <(sed -n 's/^-- missing //p' <<<"$found")
  else
    missing+=("${libraries[@]}")
  fi
  [[ $preset == check ]] || mapfile -t -O ${#missing[@]} missing < <(lacking_modules "$PYTHON")
}

# Installs packages. Returns 1 with a line in $why if that is not allowed or fails.
apt_install() {
  local as_root=() step
  why="no apt-get, or neither root nor sudo without a password"
  command -v apt-get >/dev/null || return 1
  if (($(id -u) != 0)); then
    command -v sudo >/dev/null && sudo -n true 2>/dev/null || return 1
    as_root=(sudo -n)
  fi
  say "set-up: installing $*"
  for step in update "install -y --no-install-recommends $*"; do
    # shellcheck disable=SC2086  # words
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q $step >"$scratch/log" 2>&1 ||
      { tail -n 20 "$scratch/log" >&2 && why="apt-get ${step%% *} failed" && return 1; }
  done
}

# From the toolkit, PATH, or an earlier run; the same places as in tests/library/machine_code/CMakeLists.txt.
have_nvdisasm() {
  command -v nvdisasm >/dev/null || [[ -x $(dirname "$1")/nvdisasm ]] ||
    compgen -G "$tools/lib/python3*/site-packages/nvidia/*/bin/nvdisasm" >/dev/null
}

# From the toolkit, the system, or an earlier run; the same places as in src/bench/CMakeLists.txt.
have_nvml() {
  local toolkit=/usr/local/cuda
  [[ -z $1 ]] || toolkit=$(dirname "$(dirname "$(readlink -f "$1")")")
  [[ -f $toolkit/include/nvml.h || -f /usr/include/nvml.h ]] ||
    compgen -G "$toolkit/targets/*/include/nvml.h" >/dev/null ||
    compgen -G "$tools/lib/python3*/site-packages/nvidia/*/include/nvml.h" >/dev/null
}

# Installs one package of PyPI into build/tools: install_tool PACKAGE VERSION.
install_tool() {
  [[ -z $(lacking_modules "$PYTHON" ensurepip) ]] || apt_install python3-venv || return 1
  say "set-up: installing $1 $2 into $tools"
  { "$PYTHON" -m venv "$tools" &&
    "$tools/bin/python" -m pip install -q --disable-pip-version-check "$1==$2.*"; } \
    >"$scratch/log" 2>&1 || { why=$(tail -n 1 "$scratch/log") && return 1; }
}

# The disassembler of the toolkit's version. PyPI's first is 13.2, which also reads the code of older
# toolkits.
install_nvdisasm() {
  local version
  version=$(cuda_release "$nvcc")
  at_least "$version" 13.2 || version=13.2
  install_tool nvidia-cuda-nvdisasm "$version"
}

nvcc=$(find_nvcc 2>/dev/null) || nvcc=
tools=${TOOLS:-build/tools}
lacks_nvdisasm=false
! $tested || [[ -z $nvcc ]] || have_nvdisasm "$nvcc" || lacks_nvdisasm=true
lacks_nvml=false
if $tested || [[ $preset == cuda && -n $nvcc ]]; then
  have_nvml "$nvcc" || lacks_nvml=true
fi

look
if ((${#missing[@]} == 0)) && ! $lacks_nvdisasm && ! $lacks_nvml; then
  say "set-up: nothing is missing"
  exit 0
fi

if ((${#missing[@]} > 0)); then
  packages=()
  for name in "${missing[@]}"; do
    packages+=("${apt[$name]:-python3-$name}")
  done
  # Optional: they make builds and tests faster, and end a test that hangs.
  wished=()
  command -v ccache >/dev/null || wished+=(ccache)
  ! $tested || [[ -z $(lacking_modules "$PYTHON" xdist) ]] || wished+=(python3-pytest-xdist)
  ! $tested || [[ -z $(lacking_modules "$PYTHON" pytest_timeout) ]] || wished+=(python3-pytest-timeout)
  apt_install "${packages[@]}" "${wished[@]}" || [[ $why != *failed ]] || die "$why"
  look
fi
if ((${#missing[@]} > 0)); then
  packages=() others=() wanted=()
  for name in "${missing[@]}"; do
    wanted+=("$name${oldest[$name]:+ ${oldest[$name]} or newer,}")
    packages+=("${apt[$name]:-python3-$name}")
    others+=("${conda[$name]:-$name}")
  done
  list=${wanted[*]}
  die "not found by CMake $cmake_needed or newer and $PYTHON: ${list%,}; with conda:" \
    "conda install -c conda-forge ${others[*]}; as root: apt-get install ${packages[*]}"
fi

# Without a network everything else can still be built and tested.
if $lacks_nvdisasm && ! install_nvdisasm; then
  say "set-up: no nvdisasm, so the machine code will not be tested: $why"
fi
# Any version has the functions that every driver of today has.
if $lacks_nvml && ! install_tool nvidia-nvml-dev 13; then
  say "set-up: no nvml.h, so results will lack the driver, the card and its clocks: $why"
fi
say "set-up: done"
