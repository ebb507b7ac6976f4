#!/usr/bin/env bash
# Installs missing packages, builds, measures, draws every figure, and prints the report's path.
#
# usage: ./run_all.sh [--quick]
#
# On a machine with an NVIDIA GPU and CUDA 12.4 or newer it measures on that GPU; elsewhere it counts
# on the host executor. Results go to results/runs/, which git ignores. The recorded runs of the
# repository in results/<gpu>/ are in the report too and stay as they are. Stop it at any time with Ctrl-C;
# the next run continues.
#
#   --quick   measure each program for about 15 s; a later run continues from there
#   --help    this text
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/scripts/lib.sh"

sweep_options=()
case "${1:-}" in
  "") ;;
  --quick) sweep_options=(--time-budget 15s) ;;
  *) die "unknown argument '$1'; see ./run_all.sh --help" ;;
esac
(($# <= 1)) || die "unexpected argument '$2'; see ./run_all.sh --help"

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

# The report includes failed rows (1) and lists points left over (3).
status=0
sweep_plans "$out" "$machine" "${sweep_options[@]}" || status=$?

say "== drawing"
"$PYTHON" scripts/figures.py "${SWEPT[@]}" --report results/report.md
((status != 1)) || say "some points FAILED: see the report"
say "report: $ROOT/results/report.md"
((status == 3)) || exit "$status"
