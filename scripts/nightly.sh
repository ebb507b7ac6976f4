#!/usr/bin/env bash
# What takes too long for every change: the CUDA build for all architectures that the project supports,
# where there is a toolkit; a million schedules of small kernels with a look for races (five minutes on
# 2 processors); and all faults of tests/mutation, planted one after the other, which fails where one
# that should be caught is not (half an hour on 8). Can be stopped; the faults go on where they were
# when it is started again.
# usage: scripts/nightly.sh [OPTION of mutate.py...]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if nvcc=$(find_nvcc); then
  CUDACXX=$nvcc cmake --preset cuda -B build/cuda-all "-DCMAKE_CUDA_ARCHITECTURES=75;80;90"
  cmake --build build/cuda-all
fi
build_preset host ON
FINESYNC_SCHEDULES=40000 build/host/bin/schedules_test --gtest_brief=1
exec "$PYTHON" scripts/mutate.py --jobs "$(nproc)" "$@"
