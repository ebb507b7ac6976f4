#!/usr/bin/env bash
# Installs missing packages, builds, measures, draws every figure, and prints the report's path.
#
# usage: ./run_all.sh [--quick | --time-budget T] [--only PROGRAM,...] [--plans KIND,...] [--shard I/N]
#                    [--out DIR]
#
# On a machine with an NVIDIA GPU and CUDA 12.4 or newer it measures on that GPU; elsewhere it counts
# on the host executor. Results go to results/runs/, which git ignores. The recorded runs of the
# repository in results/<gpu>/ are in the report too and stay as they are. Stop it at any time with Ctrl-C
# or SIGTERM; the next run continues.
#
# What the terminal shows is in DIR/run_all.log too (without --out in results/runs/run_all.log), that of
# the run before in run_all.log.1.
#
#   --quick             measure each program for about 15 s; a later run continues from there
#   --time-budget 10m   measure each program for about this long
#   --only mutex,ht     only these programs
#   --plans gpus,nccl   plans of several GPUs (gpus) and of a process on each, which MPI starts (nccl,
#                       nvshmem), in place of those of one GPU (gpu)
#   --shard 1/8         every 8th point of each plan from the first on, and no drawing. To join shards
#                       of one build, copy the folders 'points' into one DIR; run it without --shard
#   --out DIR           results and report go to this folder. Each card of a machine needs its own;
#                       CUDA_VISIBLE_DEVICES=1 ./run_all.sh ... chooses the card
#   --help              this text
set -euo pipefail
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/scripts/finesync/lib.sh"

programs=""
kinds=""
place=""
shard=""
sweep_options=()
while (($# > 0)); do
  [[ $1 != --*=* ]] || set -- "${1%%=*}" "${1#*=}" "${@:2}"
  case $1 in
    --quick) set -- --time-budget 15s "${@:2}" ;;
    --only | --plans | --shard | --time-budget | --out) ;;
    *) die "unknown argument '$1'; see ./run_all.sh --help" ;;
  esac
  [[ -n ${2:-} ]] || die "$1 needs a value; see ./run_all.sh --help"
  case $1 in
    --only) programs=$2 ;;
    --plans) kinds=$2 ;;
    --out) place=$(cd "$CALLED_FROM" && readlink -m "$2") ;;
    --shard) shard=$2 sweep_options+=("$1" "$2") ;;
    *) sweep_options+=("$1" "$2") ;;
  esac
  shift 2
done

[[ ,$kinds, != *,host,* && ,$kinds, != *,gpu_traffic,* ]] || die "--plans: of GPUs are gpu, gpus, nccl and nvshmem"

log_into "${place:-results/runs}/run_all.log"
STOPPED="stopped; ./run_all.sh goes on from here"
trap 'end_with 143' TERM
trap 'end_with 129' HUP

if have_gpu && nvcc=$(find_nvcc); then
  preset=cuda kinds=${kinds:-gpu}
  gpu=$(gpu_slug)
  about=(--gpu "$gpu")
  out=${place:-results/runs/$gpu}
elif [[ -n $kinds ]]; then
  die "--plans $kinds: no usable GPU and CUDA toolkit"
else
  say "no usable GPU and CUDA toolkit: counting on the host executor"
  preset=host kinds=host nvcc=""
  about=(--jobs "$(nproc)")
  out=${place:-results/runs/host-executor}
fi
scripts/setup.sh "$preset"
say "== expected, from the start"
"$PYTHON" scripts/estimate.py "$kinds" --only "$programs" "${about[@]}" "${sweep_options[@]}"
say "== building preset $preset"
attended build_preset "$preset" OFF "$nvcc"

# The report includes failed rows (1) and lists points left over (3).
status=0
sweep_plans "$out" "$kinds" "$programs" "${sweep_options[@]}" || status=$?

if [[ -n $shard ]]; then
  say "shard $shard is in $out/points"
  exit "$status"
fi

say "== drawing"
report=${place:-$ROOT/results}/report.md
attended "$PYTHON" scripts/figures.py "${SWEPT[@]}" --report "$report"
((status != 1)) || say "some points FAILED: see the report"
say "report: ${report%.md}.html"
((status == 3)) || exit "$status"
