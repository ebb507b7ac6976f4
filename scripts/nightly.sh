#!/usr/bin/env bash
# What takes too long for every change: plants all faults of tests/mutation, one after the other, and
# fails where one that should be caught is not. About half an hour on 8 processors; can be stopped,
# and goes on when it is started again.
# usage: scripts/nightly.sh [OPTION of mutate.py...]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

build_preset host ON
exec "$PYTHON" scripts/mutate.py --jobs "$(nproc)" "$@"
