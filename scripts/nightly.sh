#!/usr/bin/env bash
# What takes too long for every change: the CUDA build for all architectures that the project supports,
# where there is a toolkit; a hundred times as many schedules of every primitive as the tests explore,
# among them a million of small kernels with a look for races, and fifty times as many of programs and
# batches; and all faults of tests/mutation, inserted one after the other, which fails where one that
# should be caught is not. About an hour on 16 processors. Can be stopped; the faults go on where they
# were when it is started again.
# usage: scripts/nightly.sh [OPTION of mutate.py...]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if nvcc=$(find_nvcc); then
  CUDACXX=$nvcc cmake --preset cuda -B build/cuda-all "-DCMAKE_CUDA_ARCHITECTURES=75;80;90"
  cmake --build build/cuda-all
fi
# Each file by itself, as scripts/mutate.py needs it: here one shows that does not include what it uses.
cmake --preset host -B build/host-apart
cmake --build build/host-apart

# explore FACTOR TEST...: tests with so many times as many schedules as usual.
explore() {
  printf '%s\n' "${@:2}" |
    xargs -P "$(nproc)" -I{} env "FINESYNC_SEED_FACTOR=$1" build/host-apart/bin/{}_test --gtest_brief=1
}
explore 100 schedules locks barriers semaphores server
# Whole programs and batches, whose searches take longer.
explore 50 atm sgd timetable
explore 5 maxflow
exec "$PYTHON" scripts/mutate.py --jobs "$(nproc)" "$@"
