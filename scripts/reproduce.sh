#!/usr/bin/env bash
# Decides as many claims of a paper as N minutes on this machine's GPU allow: builds its programs, measures the points
# that decide the most claims per minute first, and judges them.
#
# usage: scripts/reproduce.sh asplos19|ics15|thesis --minutes N [--results DIR] [--list]
#
# Before it measures it says which claims will be decided, after how many minutes, and which will not: by what the
# points took on the GPU with the fullest record in results/, and by the verdicts that its rows give of them alone.
# Claims that the host executor's recorded counts decide need no minutes. The build is not counted.
#
# Stop it at any time with Ctrl-C; the same command goes on from there, also with more minutes. Without ncu, or the
# right to count, claims of memory traffic stay open.
#
#   --minutes 35   for programs on the GPU
#   --results DIR  results go to this folder (default: results/runs/PAPER)
#   --list         say which claims will be decided, and stop; needs no GPU
#   --help         this text
#
# exit status: 0 measured and judged; 1 some rows failed; 2 bad usage, or no usable GPU; 3 the minutes are over before
# all points were run; 130 or 143 stopped.
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/finesync/lib.sh"

paper=""
minutes=""
place=""
list=()
while (($# > 0)); do
  [[ $1 != --*=* ]] || set -- "${1%%=*}" "${1#*=}" "${@:2}"
  case $1 in
    --list) list=(--list) && shift && continue ;;
    --minutes | --results) [[ -n ${2:-} ]] || die "$1 needs a value; see --help" ;;
    -*) die "unknown option '$1'; see --help" ;;
    *)
      [[ -z $paper ]] || die "unexpected argument '$1'; see --help"
      paper=$1 && shift && continue
      ;;
  esac
  if [[ $1 == --minutes ]]; then minutes=$2; else place=$(cd "$CALLED_FROM" && readlink -m "$2"); fi
  shift 2
done
[[ -n $paper ]] || die "name a paper: asplos19, ics15 or thesis; see --help"
[[ -f results/published/claims/$paper.json ]] || die "there is no paper '$paper'; see --help"
[[ -n $minutes ]] || die "say for how long: --minutes N; see --help"
[[ $minutes =~ ^[0-9]+([.][0-9]+)?$ ]] || die "--minutes: '$minutes' is not a number of minutes"

lacks=$(lacking_modules "$PYTHON" numpy pandas jsonschema)
[[ -z $lacks ]] ||
  die "no Python module ${lacks%%$'\n'*} in $PYTHON; scripts/setup.sh installs or names what is missing"

trap 'end_with 143' TERM
trap 'end_with 129' HUP
reproduce() { PYTHONPATH=scripts "$PYTHON" -m finesync.reproduce "$@"; }
out=${place:-results/runs/$paper}

if ((${#list[@]} == 0)); then
  have_gpu || die "there is no GPU; --list says what would be measured"
  nvcc=$(find_nvcc) || die "there is a GPU, but no CUDA toolkit 12.4 or newer"
  while read -r program; do
    attended build_preset cuda OFF "$nvcc" "$program"
  done <<<"$(reproduce "$paper" --programs)"
fi
STOPPED="reproduce: stopped; finished points are kept, run it again to go on"
attended reproduce "$paper" --minutes "$minutes" --results "$out" "${list[@]}"
