#!/usr/bin/env bash
# Runs compute-sanitizer's memcheck, racecheck and synccheck over small runs of every CUDA program. A tool
# that has not summed up, or a primitive without a row, is no clean run.
# usage: scripts/dev/sanitize.sh [FOLDER], the folder of the programs (default build/cuda/bin)
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../finesync/lib.sh"
takes 1 "$@"

programs=$(cd "$CALLED_FROM" && readlink -f "${1:-$ROOT/build/cuda/bin}")
command -v compute-sanitizer >/dev/null || die "compute-sanitizer is not on the PATH"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failures=0

# sanitized TOOL PROGRAM PRIMITIVES OPTION...
sanitized() {
  local tool=$1 program=$2 primitives=$3 primitive trouble=""
  if compute-sanitizer --tool "$tool" --error-exitcode 1 "$programs/$program" \
    --primitive "$primitives" "${@:4}" --benchmark_repetitions=1 >"$log" 2>&1 </dev/null; then
    grep -q SUMMARY "$log" || trouble="has no summary"
    for primitive in ${primitives//,/ }; do
      grep -q "^$program/primitive:${primitive/#all/[^/]*}/" "$log" || trouble="has run no $primitive"
    done
  else
    trouble="found errors"
  fi
  if [[ -z $trouble ]]; then
    say "$program: $tool is clean: $(grep SUMMARY "$log" | sed 's/=* *//')"
  else
    tail -n 30 "$log"
    say "$program: $tool $trouble"
    failures=1
  fi
}

runs=$("$PYTHON" scripts/dev/list_programs.py small-runs)
while read -r program racecheck options; do
  [[ -x $programs/$program ]] || die "no $program in $programs; build the cuda preset first"
  read -ra small <<<"$options"
  sanitized memcheck "$program" all "${small[@]}"
  sanitized synccheck "$program" all "${small[@]}"
  [[ $racecheck == - ]] || sanitized racecheck "$program" "$racecheck" "${small[@]}"
done <<<"$runs"
exit "$failures"
