#!/usr/bin/env bash
# nvcc_programs.sh FINESYNC_CHECK NVCC FOLDER HEADERS: checks each program of the folder twice: without arguments,
# when nothing may be found, and with the argument "broken", when the line marked "reported" must be.
set -euo pipefail
check=$1
nvcc=$2
folder=$3
headers=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
NVCC_APPEND_FLAGS=$("$check" --nvcc-flags)
export NVCC_APPEND_FLAGS

failures=0
fail() {
  echo "FAILED: $*"
  cat "$work/report"
  failures=$((failures + 1))
}

for source in "$folder"/*.cu; do
  name=$(basename "$source")
  "$nvcc" -std=c++20 -I "$headers" -o "$work/program" "$source"
  "$check" "$work/program" > /dev/null 2> "$work/report" || fail "$name: something was found"
  status=0
  "$check" "$work/program" broken > /dev/null 2> "$work/report" || status=$?
  line=$(grep -n '// reported' "$source" | cut -d: -f1)
  [ "$status" = 1 ] || fail "$name, broken: status $status"
  grep -q "$name:$line\b" "$work/report" || fail "$name, broken: line $line is not named"
done

# The documents show the report of the broken lock.
cp "$folder/lock.cu" "$work"
(cd "$work" && "$nvcc" -o lock lock.cu && "$check" ./lock broken) > /dev/null 2> "$work/report" || true
printed=$(head -n 3 "$work/report" | xargs)
for document in README.md docs/check/check.md; do
  shown=$(sed -n '/^lock\.cu:[0-9]*: error/,/^```/p' "$headers/../$document" | grep -v '^```' | xargs)
  [ "$shown" = "$printed" ] || fail "$document shows: $shown"
done

# A program with the runtime inside cannot be seen, which must be said.
NVCC_APPEND_FLAGS='' "$nvcc" -arch=sm_90 -o "$work/static" "$folder/vadd.cu"
status=0
"$check" --seeds 1 "$work/static" > /dev/null 2> "$work/report" || status=$?
if [ "$status" != 2 ] || ! grep -q "contains CUDA's runtime" "$work/report"; then
  fail "static runtime: status $status"
fi
exit "$failures"
