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

# A kernel of hints.cu, and its hint. HERE:LINE stands for the line that is marked with its name.
"$nvcc" -std=c++20 -o "$work/program" "$folder/../hints.cu"
while IFS='|' read -r kernel hint; do
  line=$(grep -n "// $kernel\$" "$folder/../hints.cu" | cut -d: -f1)
  hint=${hint//HERE:LINE/hints.cu:$line}
  "$check" --seeds 3 --root "$folder/.." "$work/program" "$kernel" > /dev/null 2> "$work/report" || true
  grep -qF -- "$hint" "$work/report" || fail "hints.cu, $kernel: no '$hint'"
  "$check" "$work/program" "$kernel" right > /dev/null 2> "$work/report" || fail "hints.cu, $kernel, repaired"
done << 'END'
release|missing: a device-scope release by block 0, thread 0 before its exchange (HERE:LINE), as __threadfence()
acquire|missing: a device-scope acquire between the fetch_add (HERE:LINE) by block 1, thread 0 and the plain load
scope|at a narrower scope; missing: device scope in that, before its exchange (HERE:LINE)
barrier_before|goes on after the exchange (HERE:LINE) by block 0, thread 0, which nothing orders after the plain store
barrier_before|missing: __syncthreads() between the two
barrier_after|waits at its fetch_add (HERE:LINE), and block 1, thread 1 does not wait for it; missing: __syncthreads()
atomic|missing: an atomic access in place of the plain load
block|missing: __syncthreads() between them
warp|missing: __syncwarp() between them
count_set_back|tells of it by its fetch_add (HERE:LINE), but the fetch_add
overwritten|the write at HERE:LINE, which overwrote it, only after all have seen it
END

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
