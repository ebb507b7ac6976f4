#!/usr/bin/env bash
# Builds and checks what this machine supports: host build and tests, the CUDA build of the library's
# tests and these if there is a toolkit, tests of the scripts, formats. Continues after a failure; ends
# with a summary, and the CPU seconds of each part: at most 1,440 in all, from a fresh clone.
#
# usage: scripts/test.sh [--all | --formats | executor | library | suite | scripts | documents]
#
#   --all       four times as many schedules, the tests that take longest, every kernel by nvcc, and the
#               machine code of three architectures: due before a tag, and before an issue is called done
#   --formats   clang-format 14, shellcheck, the syntax of bash, and nothing else
#   executor    only the tests of that part, after a change in it: src/executor,
#   library     ... src/finesync and src/catalogue,
#   suite       ... src/bench, workloads and inputs,
#   scripts     ... scripts, documents included,
#   documents   ... README.md and docs
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/finesync/lib.sh"
part=daily
case ${1:-} in
  --all | --formats | executor | library | suite | scripts | documents) part=${1#--} && shift ;;
esac
takes 0 "$@"
# Of the schedules that a search tries; see tests/seed_budget.hpp.
[[ $part == all ]] || export FINESYNC_SEED_FACTOR=${FINESYNC_SEED_FACTOR:-0.25}

summary=()
failures=0
failed_tests=()  # of the check that runs, as far as it tells them apart
not_run=()

# Sets `cpu` to the seconds of processors that this script's children have taken so far.
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT
count_cpu() {
  times >"$scratch"  # of this shell: not in a subshell
  cpu=$(awk 'NR == 2 {gsub(/s/, ""); for (i = 1; i <= 2; i++) {split($i, t, "m"); sum += 60 * t[1] + t[2]}
    printf "%d", sum}' "$scratch")
}

# check NAME COMMAND...: runs it and records the outcome.
check() {
  local name=$1 started=$SECONDS before took
  shift
  say "== $name"
  count_cpu && before=$cpu
  if "$@"; then outcome=ok; else outcome=FAILED; fi
  count_cpu && took="$((SECONDS - started)) s, $((cpu - before)) CPU s"
  if [[ $outcome == ok ]]; then
    summary+=("ok      $name ($took)")
  else
    summary+=("FAILED  $name ($took)" "${failed_tests[@]/#/        }")
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

# Sources are copied one by one: each says its licence.
licensed() {
  local found
  found=$(find . -path './src/*' \( -name '*.[hc]pp' -o -name '*.cuh' -o -name '*.cu' \) -print0 |
    xargs -0 -r grep -L '^// SPDX-License-Identifier: Apache-2.0$')
  [[ -z $found ]] || {
    printf 'without // SPDX-License-Identifier: Apache-2.0:\n%s\n' "$found"
    return 1
  }
}

parses() { files_of '*.sh' run | xargs -0 -n 1 bash -n; }

linted() { files_of '*.sh' run | xargs -0 shellcheck -x -P SCRIPTDIR; }

# scripts_tested [FILE...]: all tests of the scripts, or those of some files.
scripts_tested() {
  local options=()
  [[ -n $(lacking_modules "$PYTHON" xdist) ]] || options=(-n "$(nproc)" --dist loadfile)
  [[ -n $(lacking_modules "$PYTHON" pytest_timeout) ]] || options+=(--timeout 1800)
  case $part in
    all) ;;
    documents) options+=(-m "not long and not rows") ;;
    *) options+=(-m "not long") ;;
  esac
  (($# > 0)) || set -- tests/scripts
  "$PYTHON" -m pytest -q "${options[@]}" "$@"
}

# tested PRESET [FOLDER]: the tests of a build, or those of one folder of it.
tested() {
  local folder=build/$1${2:+/$2} long=()
  [[ $part == all ]] || long=(-LE long)
  ctest --test-dir "$folder" --no-tests=error "${long[@]}" --parallel "$(nproc)" --output-on-failure &&
    return
  mapfile -t failed_tests < <(cut -d: -f2- "$folder/Testing/Temporary/LastTestsFailed.log")
  return 1
}

documents_tested() {
  scripts_tested tests/scripts/test_{documents,words,packaging}.py
}

# The host build and tests of one part, which is a folder of tests/.
test_part() {
  scripts/setup.sh || exit 1
  if check "host build of $1" build_preset host ON "" "tests/$1/all"; then
    check "host tests of $1" tested host "tests/$1" || true
  fi
}

build_and_test() {
  local folder="" every=OFF
  say "== set-up"
  scripts/setup.sh || exit 1

  if check "host build" build_preset host ON; then
    check "host tests" tested host || true
  else
    not_here "host tests" "the build failed"
  fi

  if nvcc=$(find_nvcc); then
    # The programs' kernels are the library's headers again, by the hundred.
    if [[ $part == all ]]; then every=ON; else folder=tests/library; fi
    if check "CUDA build" build_preset cuda-tests ON "$nvcc" "${folder:+$folder/}all" \
      -DFINESYNC_EVERY_ARCHITECTURE=$every; then
      check "CUDA tests" tested cuda-tests $folder || true
      have_gpu || not_here "tests on a GPU" "no GPU"
      ! grep -q '^NVDISASM:.*-NOTFOUND' build/cuda-tests/CMakeCache.txt ||
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

case $part in
  daily | all) build_and_test ;;
  formats) ;;
  scripts) check "script tests" scripts_tested || true ;;
  documents) check "tests of documents" documents_tested || true ;;
  *) test_part "$part" ;;
esac
check "bash syntax" parses || true
check "licences" licensed || true
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

count_cpu
say "== summary"
printf '%s\n' "${summary[@]}" "CPU seconds in all: $cpu"
without=""
if ((${#not_run[@]} > 0)); then
  without="; not run here: $(printf '%s, ' "${not_run[@]}" | sed 's/, $//')"
fi
if ((failures > 0)); then
  say "$failures checks FAILED$without"
  exit 1
fi
say "all checks that were run passed$without"
