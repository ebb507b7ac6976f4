#!/usr/bin/env bash
# Measures on a cluster: each task of a Slurm array measures a shard. Without an array it joins the
# shards, measures what they lack, and draws. Submit both in the repository, which the nodes share:
#
#   job=$(sbatch --parsable --array=1-8 scripts/packaging/slurm.sh)
#   sbatch --dependency=afterany:$job scripts/packaging/slurm.sh
#
# The first task builds; others wait for it. All need GPUs of one name: add an option such as
# --gres=gpu:h100:1 or --constraint. After a stop submit the same array again; it goes on.
#
# Plans of several GPUs need a task for each GPU, of which srun then starts as many as a point needs:
#
#   sbatch --array=1-4 --gres=gpu:h100:4 --ntasks=4 scripts/packaging/slurm.sh results/runs/several-gpus \
#     --plans gpus,nccl
#
# usage: sbatch [--array=1-N] [OPTION of sbatch...] scripts/packaging/slurm.sh [DIR [OPTION...]]
#
#   DIR      for results and report (default: results/runs/slurm)
#   OPTION   of run_all.sh, such as --only mutex,ht; the same for both
#
# In the environment: FINESYNC_MPIRUN, what starts processes (scripts/sweep.py) if srun has no PMIx here;
# NCCL_ROOT and NVSHMEM_ROOT, the folders of these libraries for --plans nccl,nvshmem.

#SBATCH --job-name=finesync
#SBATCH --nodes=1
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=8
#SBATCH --time=02:00:00
#SBATCH --output=results/slurm-%j.out

set -euo pipefail
lib=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../finesync/lib.sh
[[ -f $lib ]] || lib=${SLURM_SUBMIT_DIR:-.}/scripts/finesync/lib.sh  # Slurm runs a copy of this script
[[ -f $lib ]] || { echo "slurm: submit it in the root of the repository" >&2 && exit 2; }
# shellcheck source=../finesync/lib.sh
source "$lib"

[[ ${1:-} != -* ]] || die "unexpected option '$1' before DIR; see --help"
place=$(cd "$CALLED_FROM" && readlink -m "${1:-results/runs/slurm}")
options=("${@:2}")

# Each process sees all GPUs of the job.
export FINESYNC_MPIRUN=${FINESYNC_MPIRUN-srun --mpi=pmix --gpu-bind=none --kill-on-bad-exit \
  --cpus-per-task=${SLURM_CPUS_PER_TASK:-1} --ntasks}

if [[ -n ${SLURM_ARRAY_TASK_ID:-} ]]; then
  shards=$SLURM_ARRAY_TASK_COUNT
  ((${SLURM_ARRAY_TASK_MIN:-1} == 1 && ${SLURM_ARRAY_TASK_MAX:-shards} == shards)) ||
    die "submit a whole array, --array=1-N; finished points are kept"
  exec ./run_all.sh --out "$place/shard-$SLURM_ARRAY_TASK_ID-of-$shards" \
    --shard "$SLURM_ARRAY_TASK_ID/$shards" "${options[@]}"
fi

for points in "$place"/shard-*/points; do
  [[ ! -d $points ]] || cp -ru "$points" "$place"
done
exec ./run_all.sh --out "$place" "${options[@]}"
