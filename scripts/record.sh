#!/usr/bin/env bash
# Measures the GPU plan on this machine's GPU into results/<gpu>/, for runs that are committed, and
# draws them. Run it again to go on where it stopped.
# usage: scripts/record.sh [options of sweep.py, such as --time-budget 20m]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

have_gpu || die "no GPU here (nvidia-smi finds none)"
nvcc=$(find_nvcc) || die "no CUDA toolkit of at least 12.4 here"
if changes=$(git status --porcelain -- src workloads inputs scripts CMakeLists.txt \
  CMakePresets.json 2>/dev/null) && [[ -n $changes ]]; then
  die "commit first, so that the results name a revision that holds what made them:" \
    "$(head -n 1 <<<"$changes")"
fi

build_preset cuda OFF "$nvcc"
out=results/runs/recorded/$(gpu_slug)
kept=results/$(gpu_slug)/ht_gpu.json.gz
status=0
"$PYTHON" scripts/sweep.py scripts/plans/ht_gpu.json --out "$out" "$@" || status=$?
# Rows that failed (1) and points left over (3) are drawn as they are.
((status == 0 || status == 1 || status == 3)) || exit "$status"
mkdir -p "$(dirname "$kept")"
gzip -9nc "$out/ht_gpu.json" >"$kept.new"
mv "$kept.new" "$kept"
"$PYTHON" scripts/figures.py "$kept"
say "recorded: $kept"
exit "$status"
