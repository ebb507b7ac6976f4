#!/usr/bin/env bash
# Makes the runs that are committed, and draws them. With a GPU it runs all GPU plans and, if ncu may
# count, measures the memory traffic, into results/<gpu>/. Without a GPU it records the counts of the
# host executor into results/host-executor/. After a stop the next run continues.
# usage: scripts/dev/record.sh [--time-budget 20m] [--jobs N] [--fresh | --retry-errors], as of sweep.py
# for each plan
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../finesync/lib.sh"

trap 'end_with 143' TERM
trap 'end_with 129' HUP

# The options, before anything is built.
options=("$@")
while ((${#options[@]} > 0)); do
  case ${options[0]} in
    --time-budget | --jobs) options=("${options[@]:2}") ;;
    --time-budget=* | --jobs=* | --fresh | --retry-errors) options=("${options[@]:1}") ;;
    *) die "unknown argument '${options[0]}'; see --help" ;;
  esac
done


if changes=$(git status --porcelain -- src workloads inputs scripts CMakeLists.txt \
  CMakePresets.json 2>/dev/null) && [[ -n $changes ]]; then
  die "commit first, so that the results name a revision that holds what made them:" \
    "$(head -n 1 <<<"$changes")"
fi

if have_gpu; then
  nvcc=$(find_nvcc) || die "there is a GPU, but no CUDA toolkit 12.4 or newer"
  build_preset cuda OFF "$nvcc"
  machine=gpu
  place=$(gpu_slug)
else
  build_preset host OFF
  machine=host
  place=host-executor
fi
out=results/runs/recorded/$place
kept=results/$place

# Failed rows (1) are drawn as such, points left over (3) are missing.
status=0
sweep_plans "$out" "$machine" "" "$@" || status=$?

if [[ $machine == gpu ]]; then
  plans=$("$PYTHON" scripts/dev/list_programs.py plans gpu_traffic)
  while read -r name plan; do
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
