# What the scripts share: a start that works from everywhere, --help, and functions. Sourced, not run.
# shellcheck shell=bash

# Closed standard streams: what is said there is lost, and no file takes their places.
[[ -e /proc/$$/fd/1 ]] || exec >/dev/null
[[ -e /proc/$$/fd/2 ]] || exec 2>/dev/null
[[ -e /proc/$$/fd/0 ]] || exec </dev/null

unset CDPATH
# shellcheck disable=SC2034
CALLED_FROM=$PWD  # for arguments that are paths
SCRIPT=$(readlink -f "$0")
ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
cd "$ROOT" || exit

say() { printf '%s\n' "$*"; }

die() {
  printf '%s: %s\n' "$(basename "$SCRIPT" .sh)" "$*" >&2
  exit 2
}

# Whatever a script is doing, it ends with one line, and what it attends ends with it.
STOPPED="$(basename "$SCRIPT" .sh): stopped"
ATTENDED=""
end_with() {
  trap '' INT TERM HUP
  if [[ -n $ATTENDED ]]; then
    kill -TERM -- "-$ATTENDED" 2>/dev/null || true
    wait "$ATTENDED" 2>/dev/null || true
  fi
  say "$STOPPED" >&2
  exit "$1"
}
trap 'end_with 130' INT

# attended COMMAND...: runs it as a group of processes of its own, so that a signal to this script alone
# ends it at once, too. It has no terminal to read from.
attended() {
  local status=0
  set -m
  "$@" </dev/null &
  ATTENDED=$!
  set +m
  wait "$ATTENDED" || status=$?
  ATTENDED=""
  return "$status"
}

# --help prints the comment at the top of the script, up to an empty line, and nothing else happens.
for argument; do
  [[ $argument != --help && $argument != -h ]] || {
    sed -n '2,/^\([^#]\|$\)/s/^# \{0,1\}//p' "$SCRIPT" 2>/dev/null || die "cannot write all output"
    exit
  }
done

# takes MOST [ARGUMENT...]: refuses unknown options and more than MOST arguments.
takes() {
  local most=$1 argument
  shift
  for argument; do [[ $argument != -* ]] || die "unknown option '$argument'; see --help"; done
  (($# <= most)) || die "unexpected argument '${*:most+1:1}'; see --help"
}

# Prints the modules that a Python lacks, a line each: lacking_modules PYTHON [MODULE...]. Before them
# "python", if it is too old.
lacking_modules() {
  local modules=("${@:2}")
  ((${#modules[@]} > 0)) || modules=(numpy matplotlib pandas jsonschema pytest tomli)
  PYTHONPATH=scripts "$1" -c 'import sys; from importlib.util import find_spec
from finesync.script import LEAST_PYTHON
sys.version_info >= LEAST_PYTHON or print("python")
part_of_python = {"tomli": "tomllib"} # from 3.11 on
for name in sys.argv[1:]: find_spec(name) or find_spec(part_of_python.get(name, name)) or print(name)' "${modules[@]}" 2>/dev/null ||
    printf '%s\n' "${modules[@]}"
}

# The first python3 with all modules; else the distribution's, for which scripts/setup.sh installs
# them; else any.
find_python() {
  local python
  while read -r python; do
    [[ -n $(lacking_modules "$python") ]] || { say "$python" && return; }
  done < <(type -ap python3 && say /usr/bin/python3)
  if [[ -x /usr/bin/python3 ]]; then say /usr/bin/python3; else say python3; fi
}

PYTHON=${PYTHON:-$(find_python)}

# True when version $1 is at least version $2.
at_least() { [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]; }

# The version of a toolkit, by its nvcc: 13.0.
cuda_release() { "$1" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p'; }

# Prints the path of an nvcc of at least 12.4. Returns 1 if there is none; an older one is ignored and
# named on stderr.
find_nvcc() {
  local nvcc version
  nvcc=$(command -v nvcc || true)
  [[ -n $nvcc || ! -x /usr/local/cuda/bin/nvcc ]] || nvcc=/usr/local/cuda/bin/nvcc
  [[ -n $nvcc ]] || return 1
  version=$(cuda_release "$nvcc")
  if ! at_least "${version:-0}" 12.4; then
    say "CUDA ${version:-of unknown version} in $nvcc is older than 12.4: not used" >&2
    return 1
  fi
  say "$nvcc"
}

have_gpu() { nvidia-smi -L >/dev/null 2>&1; }

# A property of the GPU that CUDA uses: the first of CUDA_VISIBLE_DEVICES, else the first.
gpu_property() {
  nvidia-smi -i "${CUDA_VISIBLE_DEVICES:-0}" --query-gpu="$1" --format=csv,noheader | head -n 1
}

# The GPU's name as a folder: nvidia-h200.
gpu_slug() {
  gpu_property name | tr '[:upper:]' '[:lower:]' | tr -cs 'a-z0-9' '-' | sed 's/^-//; s/-$//'
}

# Configures and builds: build_preset PRESET TESTS [NVCC [TARGET [SETTING...]]]; TESTS is ON or OFF. One
# process builds at a time, also on the nodes of a cluster.
build_preset() {
  local arguments=("--preset" "$1" "-DFINESYNC_BUILD_TESTS=$2" "${@:5}" "--log-level=WARNING")
  [[ -z ${3:-} ]] || export CUDACXX=$3
  mkdir -p build
  (
    ! command -v flock >/dev/null || flock -n 9 ||
      { say "waiting for another build of build/$1" && flock 9; } || true
    cmake "${arguments[@]}" && cmake --build --preset "$1" --parallel "$(nproc)" --target "${4:-all}"
  ) 9>"build/$1.lock"
}

# Writes what the terminal shows from here on, errors too, into a file. Keeps that of the run before
# as FILE.1.
log_into() {
  mkdir -p "$(dirname "$1")"
  [[ ! -e $1 ]] || mv -f "$1" "$1.1"
  # A signal ends what is logged first. The script does not end before the last line is written.
  exec > >(trap '' TERM HUP && exec tee -i "$1") 2>&1
  LOGGER=$!
  trap 'exec >&- 2>&-; wait "$LOGGER"' EXIT
}

# Runs plans one after another: sweep_plans OUT KINDS PROGRAMS [OPTION...]; KINDS are host or those of a
# GPU (gpu,gpus), PROGRAMS are those of the plans (mutex,ht) or empty for all, options are those of
# sweep.py. Sets SWEPT to the results files. Returns 1 if rows failed, else 3 if points are left over;
# any other failure of a plan ends the script.
sweep_plans() {
  local out=$1 kinds=$2 plans name plan status number=0 worst=0
  plans=$("$PYTHON" scripts/dev/list_programs.py plans "$kinds" --only "$3") || exit
  shift 3
  SWEPT=()
  # On the host, points do not disturb each other.
  [[ $kinds != host ]] || set -- --jobs "$(nproc)" "$@"
  while read -r name plan; do
    number=$((number + 1))
    say "== plan $number of $(wc -l <<<"$plans"): $name into $out"
    status=0
    attended "$PYTHON" scripts/sweep.py "$plan" --out "$out" "$@" || status=$?
    case $status in
      0) ;;
      1) worst=1 ;;
      3) ((worst == 1)) || worst=3 ;;
      *) exit "$status" ;;
    esac
    # A time budget may end before the first point of a plan.
    [[ ! -f $out/$name.json ]] || SWEPT+=("$out/$name.json")
  done <<<"$plans"
  return "$worst"
}
