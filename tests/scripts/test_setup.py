"""The set-up script with stand-ins for all that it calls: nothing is installed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

TOOLS = ("bash", "dirname", "basename", "sort", "head", "tail", "sed", "mktemp", "rm", "env")


class Machine:
    """A PATH with only stand-ins and a few plain tools."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.calls = folder / "calls"
        self.tools = folder / "tools"
        self.bin.mkdir()
        for tool in TOOLS:
            found = subprocess.run(["which", tool], text=True, capture_output=True, check=True)
            (self.bin / tool).symlink_to(found.stdout.strip())
        self.stand_in("apt-get", f'echo "apt-get $*" >>{self.calls}')
        self.stand_in("cmake", "echo cmake version 3.25.1")
        self.stand_in("id", "echo 0")
        self.has_cuda("11.8")  # as good as none
        self.lacks()

    def stand_in(self, name: str, body: str) -> None:
        """A command of the machine."""
        path = self.bin / name
        path.write_text(f"#!{self.bin}/bash\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def lacks(self, *packages: str) -> None:
        """Everything is installed but these."""
        tests = "".join(f'[[ "$*" == *" {package}" ]] && exit 1\n' for package in packages)
        self.stand_in("dpkg-query", f"{tests}echo -n installed")

    def has_cuda(self, release: str) -> None:
        """A toolkit of that version, without nvdisasm."""
        self.stand_in("nvcc", f"echo Cuda compilation tools, release {release}, V{release}.1")

    def has_pypi(self, answer: str) -> None:
        """A python3 that makes virtual environments, whose pip does so."""
        for tool in ("mkdir", "cp"):
            (self.bin / tool).symlink_to(f"/usr/bin/{tool}")
        pip = self.bin / "pip"
        self.stand_in("pip", f'echo "${{@: -1}}" >>{self.calls}\n{answer}')
        self.stand_in("python3", f'echo "python3 $*" >>{self.calls}\n'
                                 f"mkdir -p {self.tools}/bin && cp {pip} {self.tools}/bin/python")

    def set_up(self) -> subprocess.CompletedProcess[str]:
        """Runs the script on this machine."""
        return subprocess.run([str(ROOT / "scripts" / "setup.sh")], text=True, check=False,
                              capture_output=True, env={
                                  "PATH": str(self.bin), "PYTHON": "python3",
                                  "TOOLS": str(self.tools)})

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
    machine.lacks("libfmt-dev", "python3-numpy")
    done = machine.set_up()
    assert done.returncode == 0, done.stderr
    assert machine.called() == [
        "apt-get -q update",
        "apt-get -q install -y --no-install-recommends libfmt-dev python3-numpy"]
    assert "installing libfmt-dev python3-numpy" in done.stdout


def test_a_cmake_from_elsewhere_will_do_if_new_enough(machine: Machine) -> None:
    machine.lacks("cmake")
    machine.set_up()
    assert not machine.called()
    machine.stand_in("cmake", "echo cmake version 3.22.1")
    done = machine.set_up()
    assert machine.called()[-1].endswith(" cmake")
    assert (done.returncode, done.stderr) == (
        2, "setup: cmake 3.22.1 is too old: 3.25 or newer is needed\n")


def test_a_user_goes_through_sudo(machine: Machine) -> None:
    machine.lacks("git")
    machine.stand_in("id", "echo 1000")
    done = machine.set_up()
    assert done.returncode == 2
    assert done.stderr == "setup: not root and no sudo; as root: apt-get install git\n"
    assert not machine.called()

    machine.stand_in("sudo", f'echo sudo >>{machine.calls}\nexec "$@"')
    assert machine.set_up().returncode == 0
    assert machine.called()[:2] == ["sudo", "apt-get -q update"]


def test_a_failed_install_is_told(machine: Machine) -> None:
    machine.lacks("git")
    machine.stand_in("apt-get", "echo no network; exit 100")
    done = machine.set_up()
    assert done.returncode == 2
    assert done.stderr == "no network\nsetup: apt-get update failed\n"


def test_another_distribution_is_told_what_it_needs(machine: Machine) -> None:
    (machine.bin / "apt-get").unlink()
    done = machine.set_up()
    assert done.returncode == 2
    assert "only Debian and Ubuntu" in done.stderr
    assert len(done.stderr.splitlines()) == 1


INSTALLED = "site={tools}/lib/python3.9/site-packages/nvidia/cu13/bin\n" \
            "mkdir -p $site && cp {tools}/bin/python $site/nvdisasm"


@pytest.mark.parametrize(("release", "version"), [
    ("12.4", "13.2"), ("13.0", "13.2"), ("13.2", "13.2"), ("13.5", "13.5")])
def test_nvdisasm_is_brought_once(machine: Machine, release: str, version: str) -> None:
    machine.has_cuda(release)
    machine.has_pypi(INSTALLED.format(tools=machine.tools))
    done = machine.set_up()
    assert (done.returncode, done.stderr) == (0, "")
    calls = [f"python3 -m venv {machine.tools}", f"nvidia-cuda-nvdisasm=={version}.*"]
    assert machine.called() == calls
    assert machine.set_up().stdout == "set-up: nothing is missing\n"
    assert machine.called() == calls


def test_a_toolkit_with_nvdisasm_needs_no_other(machine: Machine) -> None:
    machine.has_cuda("13.0")
    machine.stand_in("nvdisasm", "")
    assert machine.set_up().stdout == "set-up: nothing is missing\n"


def test_what_nvdisasm_needs_is_installed_too(machine: Machine) -> None:
    machine.lacks("python3-venv")
    assert machine.set_up().stdout == "set-up: nothing is missing\n"
    machine.has_cuda("13.0")
    machine.has_pypi(INSTALLED.format(tools=machine.tools))
    assert machine.set_up().returncode == 0
    assert machine.called()[1].endswith(" python3-venv")


def test_without_what_nvdisasm_needs_all_else_is_set_up(machine: Machine) -> None:
    machine.lacks("python3-venv")
    machine.has_cuda("13.0")
    machine.stand_in("apt-get", "echo no network; exit 100")
    done = machine.set_up()
    assert (done.returncode, done.stderr) == (0, "")
    assert "will not be tested: apt-get update failed\n" in done.stdout


def test_without_a_network_all_else_is_set_up(machine: Machine) -> None:
    machine.has_cuda("13.0")
    machine.has_pypi("echo retrying; echo no network; exit 1")
    done = machine.set_up()
    assert (done.returncode, done.stderr) == (0, "")
    assert "no nvdisasm, so the machine code will not be tested: no network\n" in done.stdout


@pytest.mark.parametrize(("release", "code", "out"), [
    ("11.8", 1, ""), ("12.3", 1, ""), ("12.4", 0, "nvcc"), ("13.0", 0, "nvcc")])
def test_an_old_cuda_counts_as_none(machine: Machine, release: str, code: int, out: str) -> None:
    machine.has_cuda(release)
    done = subprocess.run(["bash", "-c", "source scripts/lib.sh; find_nvcc"], cwd=ROOT, text=True,
                          capture_output=True, check=False, env={"PATH": str(machine.bin)})
    assert done.returncode == code
    assert done.stdout.strip().endswith(out)
    assert ("older than 12.4" in done.stderr) == (code == 1)


def test_the_folder_of_a_gpu_is_its_name(machine: Machine) -> None:
    (machine.bin / "tr").symlink_to("/usr/bin/tr")
    machine.stand_in("nvidia-smi", "echo NVIDIA GeForce GTX 1080 Ti")
    done = subprocess.run(["bash", "-c", "source scripts/lib.sh; gpu_slug"], cwd=ROOT, text=True,
                          capture_output=True, check=True, env={"PATH": str(machine.bin)})
    assert done.stdout.strip() == "nvidia-geforce-gtx-1080-ti"
