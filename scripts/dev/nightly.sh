#!/usr/bin/env bash
# Checks that take too long for every change. If there is a toolkit, the CUDA build for all supported
# architectures, and what all its kernels take. A hundred times as many schedules of every primitive as
# the tests explore, a million of them of small kernels with the race detector, and fifty times as many of
# programs and batches. All programs at their defaults on the large GPUs that the host executor simulates,
# and each place of their code corrupted, one at a time. A million changed inputs of finesync-check. 1,000
# generated faults, others each day, and all of tests/*/faults; this fails if a listed fault is not caught
# that should be. About an hour on 16 processors. It can be stopped; the next run continues with the
# remaining faults.
# usage: scripts/dev/nightly.sh [OPTION of mutate.py...]
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../finesync/lib.sh"

"$PYTHON" scripts/dev/mutate.py --list "$@" >/dev/null || exit  # the options, before an hour of work


if nvcc=$(find_nvcc); then
  CUDACXX=$nvcc cmake --preset cuda -B build/cuda-all -DFINESYNC_BUILD_TESTS=ON "-DCMAKE_CUDA_ARCHITECTURES=75;80;90"
  cmake --build build/cuda-all
  "$PYTHON" tests/library/machine_code/kernel_table.py --build build/cuda-all || (($? == 4))
fi
# Each file as a separate source, as scripts/dev/mutate.py needs it; this also finds missing includes.
cmake --preset host -B build/host-apart -DFINESYNC_FILES_PER_SOURCE=1
cmake --build build/host-apart

# explore FACTOR TEST...: runs tests with FACTOR times as many schedules as usual.
explore() {
  printf '%s\n' "${@:2}" |
    xargs -P "$(nproc)" -I{} env "FINESYNC_SEED_FACTOR=$1" build/host-apart/bin/{}_test --gtest_brief=1
}
explore 100 schedules locks barriers semaphores server
# Whole programs and batches, whose searches take longer.
explore 100 atm sgd
explore 50 conflict_free
explore 15 maxflow mst
# No test needs another before it: ctest starts each alone, so that it does not notice.
for program in bench check_report check_runs cuda_graphs cuda_host_accesses cuda_runtime cudart event \
  events graph_reference graphs ptx queue queues simt stream_k taskgraph team; do
  "build/host-apart/bin/${program}_test" --gtest_shuffle --gtest_brief=1
done
# PTX and fat binaries that were changed, under AddressSanitizer.
cmake --preset asan
cmake --build build/asan --target hostile_inputs
build/asan/bin/hostile_inputs --inputs 1000000 --jobs "$(nproc)"
# Each place of the programs corrupted, one at a time: their verification must notice.
"$PYTHON" scripts/dev/corrupt.py --programs build/host-apart/bin --jobs "$(nproc)"
# Programs at their defaults on large GPUs.
ctest --test-dir build/host-apart -C nightly -R '^defaults\.' --output-on-failure -j "$(nproc)"
"$PYTHON" scripts/dev/mutate.py --draw 1000 --seed "$(date +%j)" --seconds 60 --jobs "$(nproc)"
exec "$PYTHON" scripts/dev/mutate.py --jobs "$(nproc)" "$@"
