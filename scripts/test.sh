#!/usr/bin/env bash
# Builds and checks everything that this machine supports: host build and tests, CUDA build and its
# tests if there is a toolkit, tests of the scripts, formats. Continues after a failure; ends with
# a summary. With --formats it checks these alone: clang-format 14, shellcheck, the syntax of bash.
# usage: scripts/test.sh [--formats]
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"
if [[ ${1:-} == --formats ]]; then only_formats=true && shift; else only_formats=false; fi
takes 0 "$@"

summary=()
failures=0
failed_tests=()  # of the check that runs, as far as it tells them apart
not_run=()

# check NAME COMMAND...: runs it and records the outcome.
check() {
  local name=$1 started=$SECONDS
  shift
  say "== $name"
  if "$@"; then
    summary+=("ok      $name ($((SECONDS - started)) s)")
  else
    summary+=("FAILED  $name ($((SECONDS - started)) s)" "${failed_tests[@]/#/        }")
    failed_tests=()
    failures=$((failures + 1))
    return 1
  fi
}

# not_here NAME WHY: records a check that this machine cannot run.
not_here() {
  summary+=("not run $1: $2")
  not_run+=("$1")
}

# files_of PATTERN...: the files of the tree with such names, separated by NUL.
files_of() {
  local tests=()
  for pattern in "$@"; do tests+=(-o -name "$pattern"); done
  find . \( -path ./build -o -path ./.git \) -prune -o -type f \( "${tests[@]:1}" \) -print0
}

formatted() {
  local found
  found=$(files_of '*.h' '*.hpp' '*.cpp' '*.cu' '*.cuh' | xargs -0 -r clang-format -n 2>&1 |
    sed -n '/: warning: /{N;/inline FINESYNC_ABI$/d;s/:[0-9]*:[0-9]*: warning: .*//p;}' |
    sort -u) || return 1  # clang-format 14 reports the end of such a namespace but keeps its text
  [[ -z $found ]] || {
    printf 'not as .clang-format says:\n%s\n' "$found"
    return 1
  }
}

parses() { files_of '*.sh' run | xargs -0 -n 1 bash -n; }

linted() { files_of '*.sh' run | xargs -0 shellcheck -x -P SCRIPTDIR; }

scripts_tested() {
  local workers=()
  [[ -n $(lacking_modules "$PYTHON" xdist) ]] || workers=(-n "$(nproc)" --dist loadfile)
  "$PYTHON" -m pytest -q "${workers[@]}" tests/scripts
}

tested() {
  ctest --preset "$1" --parallel "$(nproc)" --output-on-failure && return
  mapfile -t failed_tests < <(cut -d: -f2- "build/$1/Testing/Temporary/LastTestsFailed.log")
  return 1
}

build_and_test() {
  say "== set-up"
  scripts/setup.sh || exit 1

  if check "host build" build_preset host ON; then
    check "host tests" tested host || true
  else
    not_here "host tests" "the build failed"
  fi

  if nvcc=$(find_nvcc); then
    if check "CUDA build" build_preset cuda ON "$nvcc"; then
      check "CUDA tests" tested cuda || true
      have_gpu || not_here "tests on a GPU" "no GPU"
      ! grep -q '^NVDISASM:.*-NOTFOUND' build/cuda/CMakeCache.txt ||
        not_here "machine code" "no nvdisasm"
    else
      not_here "CUDA tests" "the build failed"
    fi
  else
    not_here "CUDA build and tests" "no CUDA toolkit of at least 12.4"
  fi

  check "script tests" scripts_tested || true
  command -v chromium google-chrome >/dev/null || not_here "report in a browser" "no Chromium"
}

$only_formats || build_and_test
check "bash syntax" parses || true
if command -v shellcheck >/dev/null; then
  check "shellcheck" linted || true
else
  not_here "shellcheck" "not installed"
fi
# Other versions format differently by the same rules.
if [[ $(clang-format --version 2>/dev/null) == *"version 14."* ]]; then
  check "formatting" formatted || true
else
  not_here "formatting" "no clang-format 14"
fi

say "== summary"
printf '%s\n' "${summary[@]}"
without=""
if ((${#not_run[@]} > 0)); then
  without="; not run here: $(printf '%s, ' "${not_run[@]}" | sed 's/, $//')"
fi
if ((failures > 0)); then
  say "$failures checks FAILED$without"
  exit 1
fi
say "all checks that were run passed$without"
