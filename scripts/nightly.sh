#!/usr/bin/env bash
# What takes too long for every change: the CUDA build for all architectures that the project supports,
# where there is a toolkit; a hundred times as many schedules of every primitive as the tests explore,
# among them a million of small kernels with a look for races, and fifty times as many of programs and
# batches; and all faults of tests/mutation, planted one after the other, which fails where one that
# should be caught is not. About an hour on 16 processors. Can be stopped; the faults go on where they
# were when it is started again.
# usage: scripts/nightly.sh [OPTION of mutate.py...]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if nvcc=$(find_nvcc); then
  CUDACXX=$nvcc cmake --preset cuda -B build/cuda-all "-DCMAKE_CUDA_ARCHITECTURES=75;80;90"
  cmake --build build/cuda-all
fi
build_preset host ON
printf '%s\n' schedules locks barriers semaphores server |
  FINESYNC_SEED_FACTOR=100 xargs -P "$(nproc)" -I{} build/host/bin/{}_test --gtest_brief=1
# Whole programs and batches, whose searches take longer.
printf '%s\n' atm sgd timetable |
  FINESYNC_SEED_FACTOR=50 xargs -P "$(nproc)" -I{} build/host/bin/{}_test --gtest_brief=1
FINESYNC_SEED_FACTOR=5 build/host/bin/maxflow_test --gtest_brief=1
exec "$PYTHON" scripts/mutate.py --jobs "$(nproc)" "$@"
