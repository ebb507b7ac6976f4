#!/usr/bin/env bash
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/scripts/lib.sh"

help="Installs what is missing, builds, measures, draws every figure, and names the report.

usage: ./run_all.sh [--quick]

On a machine with an NVIDIA GPU and CUDA 12.4 or newer it measures on that GPU; elsewhere it counts
on the host executor. Results go to results/runs/, which git ignores: the recorded runs that the
repository holds in results/<gpu>/ are drawn too and never overwritten. Stop it at any time with
Ctrl-C; run again, it goes on where it stopped.

  --quick   measure for a minute or so; a later run goes on from there
  --help    this text"

sweep_options=()
case "${1:-}" in
  "") ;;
  --quick) sweep_options=(--time-budget 15s) ;;
  --help | -h)
    say "$help"
    exit 0
    ;;
  *) die "unknown option '$1'; see ./run_all.sh --help" ;;
esac
(($# <= 1)) || die "one option at most; see ./run_all.sh --help"

trap 'echo "stopped; ./run_all.sh goes on from here" >&2; exit 130' INT

if have_gpu && nvcc=$(find_nvcc); then
  scripts/setup.sh cuda
  say "== building for $(gpu_property name)"
  build_preset cuda OFF "$nvcc"
  machine=gpu
  out=results/runs/$(gpu_slug)
else
  scripts/setup.sh host
  say "== no usable GPU and CUDA toolkit: building for the host executor"
  build_preset host OFF
  machine=host
  out=results/runs/host-executor
fi

# Rows that failed (1) and points left over (3) are reported as they are.
status=0
sweep_plans "$out" "$machine" "${sweep_options[@]}" || status=$?

say "== drawing"
"$PYTHON" scripts/figures.py "${SWEPT[@]}" --report results/report.md
((status != 1)) || say "some points FAILED: see the report"
say "report: $ROOT/results/report.md"
((status == 3)) || exit "$status"
