#!/usr/bin/env bash
# Runs compute-sanitizer's memcheck, racecheck and synccheck over small runs of every CUDA program.
# usage: scripts/sanitize.sh [FOLDER], the folder of the programs (default build/cuda/bin)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

programs=${1:-build/cuda/bin}
command -v compute-sanitizer >/dev/null || die "compute-sanitizer is not on the PATH"

# Contention within and between warps and blocks, at sizes that an instrumented kernel can bear.
declare -A small=(
  [ht]="--collision-factor 32 --inserts 4K --table-size 4K --threads-per-block 64 --tbs-per-sm 1"
  [barrier]="--tbs-per-sm 1,2 --ldst 0,2 --rounds 10"
  [mutex]="--tbs-per-sm 1 --ldst 0,2 --rounds 4"
  [semaphore]="--tbs-per-sm 2 --size 1,10 --ldst 0,2 --rounds 4"
  [fence]="--access 0,1,2 --toucher 0,1 --rounds 4"
)
# racecheck knows barriers, not locks and atomics: it would report all that servers keep in shared
# memory, and whatever else blocks share there. The hash table's locks are in global memory, so
# there it has nothing to misunderstand.
without_shared_locks=spin,spin_ordered,backoff,ticket,ring,array,mcs,combining,carrying,lockfree

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failures=0

# sanitized TOOL PROGRAM PRIMITIVES
sanitized() {
  local tool=$1 program=$2 primitives=$3 options
  read -ra options <<<"${small[$program]}"
  if compute-sanitizer --tool "$tool" --error-exitcode 1 "$programs/$program" \
    --primitive "$primitives" "${options[@]}" --benchmark_repetitions=1 >"$log" 2>&1; then
    say "$program: $tool is clean: $(grep 'SUMMARY' "$log" | sed 's/=* *//')"
  else
    tail -n 30 "$log"
    say "$program: $tool found errors"
    failures=1
  fi
}

for program in "${PROGRAMS[@]}"; do
  [[ -x $programs/$program ]] || die "no $program in $programs; build the cuda preset first"
  sanitized memcheck "$program" all
  sanitized synccheck "$program" all
done
sanitized racecheck ht "$without_shared_locks"
exit "$failures"
