#!/usr/bin/env bash
# Takes the picture of the report of the recorded runs that README.md shows, results/report.png. It needs
# Chromium. Due when the first screen of the page, or its numbers, have changed.
# usage: scripts/dev/picture.sh
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../finesync/lib.sh"
takes 0 "$@"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  die "no Chromium here: apt-get install --no-install-recommends chromium"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$PYTHON" scripts/report.py --out "$folder/report.html" >/dev/null
"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1280,800 \
  --screenshot="$folder/page.png" "file://$folder/report.html" 2>/dev/null
# With 64 colours it is a third as large.
"$PYTHON" -c 'import sys; from PIL import Image
Image.open(sys.argv[1]).convert("RGB").quantize(64).save(sys.argv[2], optimize=True)' "$folder/page.png" results/report.png
say "results/report.png"
