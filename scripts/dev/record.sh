#!/usr/bin/env bash
# Makes the runs that are committed, and draws them. With a GPU it runs all GPU plans and, if ncu may
# count, measures the memory traffic, into results/<gpu>/. Without a GPU it records the counts of the
# host executor into results/host-executor/. After a stop the next run continues.
# usage: scripts/dev/record.sh [--only PROGRAM,...] [--time-budget 20m] [--jobs N] [--fresh | --retry-errors],
# all but the first as of sweep.py for each plan
#
# A file of a GPU has one card's rows, and what is recorded together is of one clean revision. So whole programs are
# recorded in one sitting (--only; scripts/estimate.py gpu says how long each takes).
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../finesync/lib.sh"

trap 'end_with 143' TERM
trap 'end_with 129' HUP

# The options, before anything is built.
only=""
options=()
while (($# > 0)); do
  [[ $1 != --*=* ]] || set -- "${1%%=*}" "${1#*=}" "${@:2}"
  case $1 in
    --only | --time-budget | --jobs)
      [[ -n ${2:-} ]] || die "$1 needs a value; see --help"
      if [[ $1 == --only ]]; then only=$2; else options+=("$1" "$2"); fi
      shift 2
      ;;
    --fresh | --retry-errors) options+=("$1") && shift ;;
    *) die "unknown argument '$1'; see --help" ;;
  esac
done
machine=host
! have_gpu || machine=gpu
"$PYTHON" scripts/dev/list_programs.py plans "$machine" --only "$only" >/dev/null || exit

if changes=$(git status --porcelain -- src workloads inputs scripts CMakeLists.txt \
  CMakePresets.json 2>/dev/null) && [[ -n $changes ]]; then
  die "commit first, so that the results name a revision that holds what made them:" \
    "$(head -n 1 <<<"$changes")"
fi

if [[ $machine == gpu ]]; then
  nvcc=$(find_nvcc) || die "there is a GPU, but no CUDA toolkit 12.4 or newer"
  build_preset cuda OFF "$nvcc"
  place=$(gpu_slug)
else
  build_preset host OFF
  place=host-executor
fi
out=results/runs/recorded/$place
kept=results/$place

# Failed rows (1) are drawn as such, points left over (3) are missing.
status=0
sweep_plans "$out" "$machine" "$only" "${options[@]}" || status=$?

if [[ $machine == gpu ]]; then
  plans=$("$PYTHON" scripts/dev/list_programs.py plans gpu_traffic)
  while read -r name plan; do
    [[ -z $only || ,$only, == *,${name%_gpu_traffic},* ]] || continue
    counted=0
    {
      problem=$("$PYTHON" scripts/traffic.py "$plan" --out "$out" 2>&1 >&3 </dev/null) ||
        counted=$?
    } 3>&1
    case $counted in
      0 | 1) SWEPT+=("$out/$name.json") ;;
      2)
        say "no memory traffic recorded: ${problem#traffic: }"
        break
        ;;
      *) exit "$counted" ;;
    esac
    ((counted != 1)) || status=1
  done <<<"$plans"
fi

# Rows without card, driver and clock stay where they are.
PYTHONPATH=scripts "$PYTHON" -m finesync.recorder "${SWEPT[@]}" || exit

mkdir -p "$kept"
recorded=()
for file in "${SWEPT[@]}"; do
  packed=$kept/$(basename "$file").gz
  gzip -9nc "$file" >"$packed.new"
  mv "$packed.new" "$packed"
  recorded+=("$packed")
done
"$PYTHON" scripts/figures.py --record "${recorded[@]}"
say "recorded: ${recorded[*]}"
exit "$status"
