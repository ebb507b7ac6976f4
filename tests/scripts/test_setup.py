"""The set-up script with stand-ins for all that it calls: nothing is installed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT
from scratch import executable, ran

TOOLS = ("bash", "dirname", "readlink", "basename", "sort", "head", "tail", "sed", "mktemp", "rm", "env", "true")


class Machine:
    """A PATH with only stand-ins and a few plain tools."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.calls = folder / "calls"
        self.tools = folder / "tools"
        self.lacking = folder / "lacking"
        self.bin.mkdir()
        self.header = self.tools / "lib/python3.9/site-packages/nvidia/cu13/include/nvml.h"
        self.header.parent.mkdir(parents=True)
        self.header.touch()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(ran("which", tool).stdout.strip())
        self.stand_in("apt-get", f"""echo "apt-get $*" >>{self.calls}
[[ $2 != install ]] || echo -n >{self.lacking}""")
        for tool in ("c++", "ninja", "git", "ccache"):
            self.stand_in(tool, "")
        self.stand_in("cmake", f"""[[ $1 == -G ]] || {{ echo cmake version 3.22.1; exit; }}
while read -r name; do
  [[ "${{@: -1}};" != *[=";"]"$name;"* ]] || echo "-- missing $name"
done <{self.lacking}""")
        self.has_modules("python3")
        self.stand_in("id", "echo 0")
        self.has_cuda("11.8")  # as good as none
        self.lacks()

    def stand_in(self, name: str, body: str) -> None:
        executable(self.bin / name, f"#!{self.bin}/bash\n{body}\n")

    def lacks(self, *libraries: str) -> None:
        """CMake finds all libraries but these, until apt installs something."""
        self.lacking.write_text("".join(f"{name}\n" for name in libraries), encoding="utf-8")

    def has_modules(self, python: str, but: str = "", otherwise: str = "") -> None:
        """A Python with all modules but this one; what else it is asked to do is `otherwise`."""
        self.stand_in(python, f"""if [[ $1 != -c ]]; then {otherwise or ":"}
elif [[ " $* " == *" {but} "* ]]; then echo "{but}"; fi""")

    def has_cuda(self, release: str) -> None:
        """A toolkit of that version, without nvdisasm."""
        self.stand_in("nvcc", f"echo Cuda compilation tools, release {release}, V{release}.1")

    def has_pypi(self, answer: str, but: str = "") -> None:
        """A python3 that makes virtual environments, whose pip does so."""
        for tool in ("mkdir", "cp"):
            (self.bin / tool).symlink_to(f"/usr/bin/{tool}")
        pip = self.bin / "pip"
        self.stand_in("pip", f'echo "${{@: -1}}" >>{self.calls}\n{answer}')
        self.has_modules("python3", but, f'echo "python3 $*" >>{self.calls}\n'
                         f"mkdir -p {self.tools}/bin && cp {pip} {self.tools}/bin/python")

    def set_up(self, *preset: str, **environment: str) -> subprocess.CompletedProcess[str]:
        scratch = self.bin.parent / "scratch"
        scratch.mkdir(exist_ok=True)
        done = subprocess.run([str(ROOT / "scripts" / "setup.sh"), *preset], text=True, check=False,
                              capture_output=True, env={
                                  "PATH": str(self.bin), "PYTHON": "python3", "TMPDIR": str(scratch),
                                  "TOOLS": str(self.tools), **environment})
        assert not list(scratch.iterdir())
        return done

    def called(self) -> list[str]:
        """What apt-get, sudo, python3 and pip were called with."""
        return self.calls.read_text(encoding="utf-8").splitlines() if self.calls.exists() else []


@pytest.fixture(name="machine")
def fixture_machine(tmp_path: Path) -> Machine:
    """A machine of root's on which nothing is missing."""
    return Machine(tmp_path)


def test_with_nothing_missing_it_does_nothing(machine: Machine) -> None:
    done = machine.set_up()
    assert (done.returncode, done.stdout, done.stderr) == (0, "set-up: nothing is missing\n", "")
    assert not machine.called()


def test_it_installs_only_what_is_missing(machine: Machine) -> None:
    machine.lacks("fmt", "GTest")
    done = machine.set_up()
    assert done.returncode == 0, done.stderr
    assert machine.called() == [
        "apt-get -q update",
        "apt-get -q install -y --no-install-recommends libfmt-dev libgtest-dev"]
    assert "installing libfmt-dev libgtest-dev" in done.stdout


@pytest.mark.parametrize(("preset", "missing"), [((), ["Boost", "GTest"]), (("host",), ["Boost"]), (("cuda",), [])])
def test_a_preset_is_asked_for_what_its_benchmarks_need(
        machine: Machine, preset: tuple[str, ...], missing: list[str]) -> None:
    machine.lacks("Boost", "GTest")
    (machine.bin / "apt-get").unlink()
    done = machine.set_up(*preset)
    assert done.returncode == (2 if missing else 0)
    assert not missing or f"python3: {' '.join(missing)}; with conda" in done.stderr


def test_a_preset_must_be_one_of_ours(machine: Machine) -> None:
    done = machine.set_up("gpu")
    assert (done.returncode, done.stderr) == (
        2, "setup: no preset 'gpu'; usage: scripts/setup.sh [check | host | cuda]\n")


def test_what_is_there_from_elsewhere_will_do_if_new_enough(machine: Machine) -> None:
    (machine.bin / "apt-get").unlink()
    assert machine.set_up().returncode == 0
    machine.stand_in("cmake", "echo cmake version 3.21.1; [[ $1 != -G ]]")
    done = machine.set_up()
    assert done.returncode == 2
    assert "not found by CMake 3.22 or newer and python3: cmake fmt benchmark" in done.stderr


def test_a_library_that_is_too_old_is_named_with_the_version_it_needs(machine: Machine) -> None:
    machine.lacks("benchmark 1.7.1", "fmt")
    machine.stand_in("cmake", f"""[[ $1 == -G ]] || {{ echo cmake version 3.22.1; exit; }}
sed 's/^/-- missing /' {machine.lacking}""")
    (machine.bin / "apt-get").unlink()
    done = machine.set_up()
    assert done.returncode == 2
    assert done.stderr == (
        "setup: not found by CMake 3.22 or newer and python3: benchmark 1.7.1 or newer, fmt; with conda: "
        "conda install -c conda-forge benchmark fmt; as root: apt-get install libbenchmark-dev "
        "libfmt-dev\n")


def test_a_user_goes_through_a_sudo_that_asks_for_nothing(machine: Machine) -> None:
    machine.lacks("fmt")
    machine.stand_in("id", "echo 1000")
    machine.stand_in("sudo", f'echo "sudo $1" >>{machine.calls}\nshift\nexec "$@"')
    assert machine.set_up().returncode == 0
    assert machine.called()[:3] == ["sudo -n", "sudo -n", "apt-get -q update"]


@pytest.mark.parametrize("sudo", [None, "echo a password is required >&2; exit 1"])
@pytest.mark.parametrize("apt", [True, False])
def test_where_nothing_may_be_installed_one_line_names_what_is_missing(
        machine: Machine, sudo: str | None, apt: bool) -> None:
    machine.lacks("Boost", "fmt")
    machine.has_modules("python3", but="pandas")
    machine.stand_in("id", "echo 1000")
    (machine.bin / "git").unlink()
    if sudo:
        machine.stand_in("sudo", sudo)
    if not apt:
        (machine.bin / "apt-get").unlink()
    done = machine.set_up()
    assert (done.returncode, done.stdout, machine.called()) == (2, "", [])
    assert done.stderr == (
        "setup: not found by CMake 3.22 or newer and python3: git Boost fmt pandas; with conda: "
        "conda install -c conda-forge git libboost-devel fmt pandas; as root: apt-get install git "
        "libboost-context-dev libfmt-dev python3-pandas\n")


def test_a_failed_install_is_told(machine: Machine) -> None:
    machine.lacks("fmt")
    machine.stand_in("apt-get", "echo no network; exit 100")
    done = machine.set_up()
    assert done.returncode == 2
    assert done.stderr == "no network\nsetup: apt-get update failed\n"


def test_what_apt_did_not_bring_is_named(machine: Machine) -> None:
    machine.has_modules("python3", but="pandas")  # a Python that apt does not serve
    done = machine.set_up()
    assert machine.called()[-1].endswith(" python3-pandas")
    assert done.returncode == 2 and "and python3: pandas; with conda" in done.stderr


def test_the_python_is_the_one_named_or_the_first_with_all_modules(machine: Machine) -> None:
    def chosen(**environment: str) -> str:
        return ran("bash", "-c", "source scripts/finesync/lib.sh; echo $PYTHON", cwd=ROOT,
                   env={"PATH": f"{machine.bin}:{machine.bin}/second", **environment}).stdout.strip()

    assert chosen(PYTHON="/some/python") == "/some/python"
    assert chosen() == str(machine.bin / "python3")
    machine.has_modules("python3", but="pandas")
    (machine.bin / "second").mkdir()
    machine.has_modules("second/python3")
    assert chosen() == str(machine.bin / "second" / "python3")


def test_the_conda_environment_and_the_script_hold_what_the_build_needs() -> None:
    wanted = set(re.findall(r"^ *find_package\((\w+)", (ROOT / "CMakeLists.txt").read_text(
        encoding="utf-8"), re.MULTILINE)) - {"CUDAToolkit", "Threads", "finesync"}
    script = (ROOT / "scripts" / "setup.sh").read_text(encoding="utf-8")
    assert wanted == set(" ".join(re.findall(r"libraries\+?=\((.*?)\)", script)).split())
    conda = (ROOT / "environment.yml").read_text(encoding="utf-8")
    for name in ("libboost-devel", "fmt", "benchmark", "nlohmann_json", "cli11", "gtest", "numpy",
                 "matplotlib", "pandas", "jsonschema", "pytest", "cmake", "ninja", "cxx-compiler"):
        assert f"  - {name}" in conda


INSTALLED = "site={tools}/lib/python3.9/site-packages/nvidia/cu13/bin\n" \
            "mkdir -p $site && cp {tools}/bin/python $site/nvdisasm"


@pytest.mark.parametrize(("release", "version"), [
    ("12.4", "13.2"), ("13.0", "13.2"), ("13.2", "13.2"), ("13.5", "13.5")])
def test_nvdisasm_is_brought_once(machine: Machine, release: str, version: str) -> None:
    machine.has_cuda(release)
    machine.has_pypi(INSTALLED.format(tools=machine.tools))
    assert machine.set_up("cuda").stdout == "set-up: nothing is missing\n"
    done = machine.set_up()
    assert (done.returncode, done.stderr) == (0, "")
    calls = [f"python3 -m venv {machine.tools}", f"nvidia-cuda-nvdisasm=={version}.*"]
    assert machine.called() == calls
    assert machine.set_up().stdout == "set-up: nothing is missing\n"
    assert machine.called() == calls


def test_what_nvdisasm_needs_is_installed_only_if_a_toolkit_lacks_it(machine: Machine) -> None:
    machine.has_modules("python3", but="ensurepip")
    assert machine.set_up().stdout == "set-up: nothing is missing\n"
    machine.has_cuda("13.0")
    machine.stand_in("nvdisasm", "")
    assert machine.set_up().stdout == "set-up: nothing is missing\n"
    (machine.bin / "nvdisasm").unlink()
    machine.has_pypi(INSTALLED.format(tools=machine.tools), but="ensurepip")
    assert machine.set_up().returncode == 0
    assert machine.called()[1].endswith(" python3-venv")


@pytest.mark.parametrize("place", ["include", "targets/x86_64-linux/include"])
def test_nvml_h_is_brought_once_if_the_toolkit_lacks_it(machine: Machine, place: str) -> None:
    machine.header.unlink()
    assert machine.set_up("host").stdout == "set-up: nothing is missing\n"
    assert machine.set_up("cuda").stdout == "set-up: nothing is missing\n"  # no toolkit
    machine.has_cuda("12.4")
    of_toolkit = machine.bin.parent / place / "nvml.h"
    of_toolkit.parent.mkdir(parents=True)
    of_toolkit.touch()
    assert machine.set_up("cuda").stdout == "set-up: nothing is missing\n"
    of_toolkit.unlink()
    machine.has_pypi(f"cp /dev/null {machine.header}")
    for out in ("set-up: installing nvidia-nvml-dev 13 into ", "set-up: nothing is missing\n"):
        done = machine.set_up("cuda")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(out)
    assert machine.called() == [f"python3 -m venv {machine.tools}", "nvidia-nvml-dev==13.*"]


def test_without_nvml_h_all_else_is_set_up(machine: Machine) -> None:
    machine.header.unlink()
    machine.has_pypi("echo retrying; echo no network; exit 1")
    done = machine.set_up()
    assert (done.returncode, done.stderr) == (0, "")
    assert ("no nvml.h, so results will lack the driver, the card and its clocks: no network\n" in done.stdout)


@pytest.mark.parametrize(("has_pip", "error", "reason"), [
    (False, "no network\n", "apt-get update failed"), (True, "", "no network")])
def test_without_nvdisasm_all_else_is_set_up(machine: Machine, has_pip: bool, error: str, reason: str) -> None:
    machine.has_cuda("13.0")
    machine.stand_in("apt-get", "echo no network; exit 100")
    if has_pip:
        machine.has_pypi("echo retrying; echo no network; exit 1")
    else:
        machine.has_modules("python3", but="ensurepip")
    done = machine.set_up()
    assert (done.returncode, done.stderr) == (0, error)
    assert f"no nvdisasm, so the machine code will not be tested: {reason}\n" in done.stdout


@pytest.mark.parametrize(("release", "code", "out"), [
    ("11.8", 1, ""), ("12.3", 1, ""), ("12.4", 0, "nvcc"), ("13.0", 0, "nvcc")])
def test_an_old_cuda_counts_as_none(machine: Machine, release: str, code: int, out: str) -> None:
    machine.has_cuda(release)
    done = ran("bash", "-c", "source scripts/finesync/lib.sh; find_nvcc", code=code, cwd=ROOT,
               env={"PATH": str(machine.bin)})
    assert done.stdout.strip().endswith(out)
    assert ("older than 12.4" in done.stderr) == (code == 1)


def test_the_folder_of_a_gpu_is_its_name(machine: Machine) -> None:
    (machine.bin / "tr").symlink_to("/usr/bin/tr")
    machine.stand_in("nvidia-smi", "echo NVIDIA GeForce GTX 1080 Ti")
    done = ran("bash", "-c", "source scripts/finesync/lib.sh; gpu_slug", cwd=ROOT, env={"PATH": str(machine.bin)})
    assert done.stdout.strip() == "nvidia-geforce-gtx-1080-ti"
