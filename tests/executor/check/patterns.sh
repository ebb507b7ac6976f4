#!/usr/bin/env bash
# patterns.sh FINESYNC_CHECK NVCC SOURCE: checks each kernel of the generated patterns. Something must be found in
# those whose name does not end with "none", and nothing in the others.
set -euo pipefail
check=$1
nvcc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
NVCC_APPEND_FLAGS=$("$check" --nvcc-flags)
export NVCC_APPEND_FLAGS
"$nvcc" -std=c++17 -o "$work/patterns" "$3"

# The names do not need a kernel, which is all that the status of this run says.
"$check" --seeds 1 "$work/patterns" > "$work/names" 2> /dev/null || [ $? = 2 ]
tried=0
failures=0
while read -r name; do
  expected=1
  [[ $name != *-none ]] || expected=0
  status=0
  "$check" --seeds 3 "$work/patterns" "$name" > /dev/null 2> "$work/report" || status=$?
  tried=$((tried + 1))
  [ "$status" = "$expected" ] && continue
  failures=$((failures + 1))
  echo "FAILED: $name: status $status"
  cat "$work/report"
done < "$work/names"
echo "$tried kernels, $failures failures"
[ "$tried" -ge 100 ] && [ "$failures" = 0 ]
