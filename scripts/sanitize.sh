#!/usr/bin/env bash
# Runs compute-sanitizer's memcheck, racecheck and synccheck over small runs of every CUDA program.
# usage: scripts/sanitize.sh [FOLDER], the folder of the programs (default build/cuda/bin)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

programs=${1:-build/cuda/bin}
command -v compute-sanitizer >/dev/null || die "compute-sanitizer is not on the PATH"
[[ -x $programs/ht ]] || die "no programs in $programs; build the cuda preset first"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failures=0
for tool in memcheck racecheck synccheck; do
  # Contention within and between warps and blocks, at sizes that an instrumented kernel can bear.
  if compute-sanitizer --tool "$tool" --error-exitcode 1 "$programs/ht" --collision-factor 32 \
    --inserts 4K --table-size 4K --threads-per-block 64 --tbs-per-sm 1 \
    --benchmark_repetitions=1 >"$log" 2>&1; then
    say "ht: $tool is clean: $(grep 'SUMMARY' "$log" | sed 's/=* *//')"
  else
    tail -n 30 "$log"
    say "ht: $tool found errors"
    failures=1
  fi
done
exit "$failures"
