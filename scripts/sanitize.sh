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
# racecheck knows barriers, not locks and atomics: it would report all that servers keep in shared
# memory. The hash table's locks are in global memory, so there it has nothing to misunderstand.
without_shared_locks=spin,spin_ordered,backoff,ticket,ring,combining,lockfree
for tool in memcheck racecheck synccheck; do
  primitives=all
  [[ $tool == racecheck ]] && primitives=$without_shared_locks
  # Contention within and between warps and blocks, at sizes that an instrumented kernel can bear.
  if compute-sanitizer --tool "$tool" --error-exitcode 1 "$programs/ht" \
    --primitive "$primitives" --collision-factor 32 \
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
