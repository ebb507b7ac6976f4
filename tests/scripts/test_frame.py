"""Whatever happens to a script, the user sees one line: odd standard streams, Ctrl-C, an old Python."""

from __future__ import annotations

import ast
import os
import re
import signal
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest
from conftest import ROOT
from finesync.script import LEAST_PYTHON
from scratch import executable, ran
from sweep_bench import Bench, wait_until

SCRIPTS = sorted([*(ROOT / "scripts").glob("*.py"), *(ROOT / "scripts/dev").glob("*.py")])
SHELL_SCRIPTS = [ROOT / "run_all.sh", ROOT / ".ci" / "run",
                 *sorted(path for path in (ROOT / "scripts").rglob("*.sh") if path.name != "lib.sh")]
LISTS = {"mutate": ["--list"], "fetch_inputs": ["--list"], "list_programs": ["small-runs"]}


def by_name(path: Path) -> str:
    return path.name


def run_in_shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", command], text=True, capture_output=True, check=False,
                          timeout=120, env={**os.environ, **environment})


def test_an_argument_too_many_is_refused() -> None:
    done = run_in_shell(f"'{ROOT}/scripts/dev/sanitize.sh' nowhere more")
    assert (done.returncode, done.stderr) == (2, "sanitize: unexpected argument 'more'; see --help\n")


def test_help_says_the_default() -> None:
    found = []
    for path in (ROOT / "scripts").rglob("*.py"):
        for option in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            words = {word.arg: word.value for word in getattr(option, "keywords", [])}
            if "help" not in words:
                continue
            said = re.search(r"\(default:? ([\w./]+)\)", ast.unparse(words["help"]).replace("' '", ""))
            if said and isinstance(option, ast.Call) and "default" in words:
                parts = re.findall(r"(?<=')[^' ]+(?=')|\b[\d.]+", ast.unparse(words["default"]))
                percent = isinstance(words.get("type"), ast.Name) and ast.unparse(words["type"]) == "percent"
                value = f"{100 * float(parts[0]):g}" if percent else "/".join(parts)
                found.append(value)
                assert value and said[1].endswith(value), f"{path.name}: {said[0]}, but it is {value}"
    assert len(found) >= 10


@pytest.mark.parametrize("script", [*SCRIPTS, *SHELL_SCRIPTS], ids=by_name)
def test_help_and_refusals_need_no_packages(script: Path, tmp_path: Path) -> None:
    """On a Python with no package, they come at once and leave nothing behind."""
    python = executable(tmp_path / "python3", '#!/bin/sh\nexec /usr/bin/python3 -SB "$@"\n')
    bare = f"{python} " if script.suffix == ".py" else ""
    before = run_in_shell(f"git -C '{ROOT}' status --porcelain --ignored").stdout
    for arguments, code in (("--help", 0), ("--nonsense=1 a b c", 2)):
        started = os.times()
        done = run_in_shell(f"{bare}'{script}' {arguments}", PYTHON=str(python))
        ended = os.times()
        assert done.returncode == code, done.stderr
        assert len(done.stderr.splitlines()) == (code and 1) and "module" not in done.stderr
        assert ("usage" in done.stdout and len(done.stdout.splitlines()) < 60) if code == 0 else not done.stdout
        assert sum(ended[2:4]) - sum(started[2:4]) < 2, "seconds of the processor"
    assert before == run_in_shell(f"git -C '{ROOT}' status --porcelain --ignored").stdout


@pytest.mark.parametrize("script", [*SCRIPTS, *SHELL_SCRIPTS], ids=by_name)
def test_lost_output_is_said(script: Path) -> None:
    for arguments in ("--help", *(" ".join(own) for own in [LISTS.get(script.stem)] if own)):
        for unbuffered in ("", "1")[:1 + (arguments == "--help")]:
            full = run_in_shell(f"'{script}' {arguments} >/dev/full", PYTHONUNBUFFERED=unbuffered)
            assert full.returncode == 2
            assert re.fullmatch(r"\w+: cannot write all output( \(No space left on device\))?\n", full.stderr)
        closed = run_in_shell(f"'{script}' {arguments} >&-")
        assert (closed.returncode, closed.stderr) == (0, ""), "nobody asked for it"


@pytest.mark.parametrize("script", [path for path in SCRIPTS if path.stem in LISTS], ids=by_name)
def test_a_reader_that_leaves_early_is_no_error(script: Path) -> None:
    command = f"'{script}' {' '.join(LISTS[script.stem])}"
    assert run_in_shell(f"{command} | head -c 1").stderr == ""
    assert run_in_shell(f"{command} | true; exit ${{PIPESTATUS[0]}}").stderr == ""


def test_a_sweep_works_without_streams_and_in_ascii(bench: Bench) -> None:
    command = " ".join(f"'{word}'" for word in bench.command())
    closed = run_in_shell(f"{command} >&- <&-")
    assert (closed.returncode, closed.stderr) == (0, "")
    assert len(bench.ran()) == 8
    bench.out = bench.folder / "größe"
    ascii_only = ran(*bench.command(), env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert ascii_only.stderr == "" and "gr\\xf6\\xdfe" in ascii_only.stdout


@pytest.mark.parametrize(("script", "arguments"), [
    ("figures", []), ("sweep", ["PLAN", "--out", "OUT"]), ("dev/list_programs", ["small-runs"])])
def test_ctrl_c_during_the_imports_is_one_line(tmp_path: Path, script: str, arguments: list[str]) -> None:
    (tmp_path / "jsonschema.py").write_text("import time\nfrom pathlib import Path\n"
                                        f"Path({str(tmp_path / 'here')!r}).touch()\n"
                                        "time.sleep(60)\n", encoding="utf-8")
    started = subprocess.Popen(
        [sys.executable, str(ROOT / "scripts" / f"{script}.py"), *arguments], text=True, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(tmp_path)})
    wait_until((tmp_path / "here").exists)
    started.send_signal(signal.SIGINT)
    _, errors = started.communicate(timeout=15)
    assert (started.returncode, errors) == (130, f"{Path(script).name}: stopped\n")


def test_ctrl_c_in_a_shell_script_is_one_line(tmp_path: Path) -> None:
    python = executable(tmp_path / "python", f"#!/bin/sh\ntouch {tmp_path}/here; exec sleep 60\n")
    started = subprocess.Popen(
        # Tests that run in the background ignore the signal, and would pass that on.
        ["env", "--default-signal=INT", str(ROOT / "scripts/dev/nightly.sh")], text=True,
        stderr=subprocess.PIPE, env={**os.environ, "PYTHON": str(python)}, start_new_session=True)
    wait_until((tmp_path / "here").exists)
    time.sleep(0.05)
    os.killpg(started.pid, signal.SIGINT)
    _, errors = started.communicate(timeout=15)
    assert (started.returncode, errors) == (130, "nightly: stopped\n")


def test_a_missing_module_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "pandas.py").write_text("raise ModuleNotFoundError(name='pandas')\n", encoding="utf-8")
    done = run_in_shell(f"'{ROOT}/scripts/dev/list_programs.py' plans host", PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stderr) == (
        2, "list_programs: no Python module pandas in /usr/bin/python3; scripts/setup.sh "
           "installs or names what is missing\n")


@pytest.mark.parametrize("script", SCRIPTS, ids=by_name)
def test_a_script_is_run_by_the_first_python_of_the_path(script: Path) -> None:
    assert script.read_text(encoding="utf-8").startswith("#!/usr/bin/env python3\n")


@pytest.mark.skipif(sys.executable != "/usr/bin/python3", reason="it may lack the modules")
@pytest.mark.parametrize("has_modules", [True, False])
def test_without_the_modules_the_distribution_s_python_runs_it(has_modules: bool, tmp_path: Path) -> None:
    venv.create(tmp_path / "own", system_site_packages=has_modules)
    (tmp_path / "sitecustomize.py").write_text(
        f"import sys\nprint(sys.executable, file=open({str(tmp_path / 'ran')!r}, 'a'))\n",
        encoding="utf-8")
    own = tmp_path / "own" / "bin"
    done = run_in_shell(f"'{ROOT}/scripts/dev/list_programs.py' plans host --only mutex",
                        PYTHONPATH=str(tmp_path), PATH=f"{own}:{os.environ['PATH']}")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "mutex_host workloads/mutex/plans/host.json\n"
    ran = (tmp_path / "ran").read_text(encoding="utf-8").split()
    assert ran == [f"{own}/python3", *([] if has_modules else ["/usr/bin/python3"])]


@pytest.mark.parametrize("script", SCRIPTS, ids=by_name)
def test_an_old_python_is_refused_in_one_line(script: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.version_info = (3, 9, 2)\n", encoding="utf-8")
    done = run_in_shell(f"'{script}'", PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.startswith(f"{script.stem}: needs Python 3.10 or newer; this is 3.9, ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("file", [*SCRIPTS, ROOT / "scripts/finesync/__init__.py",
                                  ROOT / "scripts/finesync/script.py"], ids=by_name)
def test_what_an_old_python_meets_before_it_is_refused_has_its_syntax(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    ast.parse(text, feature_version=(3, 6))
    assert "from __future__ import annotations" not in text, "3.6 does not know it"
    first = [line for line in text.splitlines() if line.startswith(("from ", "import "))]
    found = 1 if file.parent.name == "dev" else 0  # after what finds the package
    assert file not in SCRIPTS or first[found] == "from finesync import script  # first"


def test_the_least_python_is_the_same_everywhere() -> None:
    least = ".".join(map(str, LEAST_PYTHON))
    said = {path: re.findall(r"(?:python >=|find_package\(Python3 )([\d.]+)",
                             path.read_text(encoding="utf-8"))
            for path in [ROOT / "environment.yml", *ROOT.glob("scripts/cmake/*.cmake"),
                         *ROOT.glob("tests/**/CMakeLists.txt")]}
    assert {version for versions in said.values() for version in versions} == {least}


def test_faults_are_read_without_tomllib() -> None:
    """Python 3.10 has it not; tomli is the same."""
    code = ("import sys, tomllib; sys.modules.update(tomli=tomllib, tomllib=None); "
            "from pathlib import Path; from finesync_mutation.faults import load_faults; "
            "print(len(load_faults(Path('tests'))))")
    done = ran(sys.executable, "-c", code, cwd=ROOT, env={**os.environ, "PYTHONPATH": "scripts"})
    assert int(done.stdout) > 100


@pytest.mark.parametrize("script", SHELL_SCRIPTS, ids=by_name)
def test_scripts_work_from_everywhere(script: Path, tmp_path: Path) -> None:
    link = tmp_path / "a link"
    link.symlink_to(script)
    (tmp_path / "scripts").mkdir()
    for command in (f"cd / && '{script}' --help", f"cd '{tmp_path}' && './a link' --help",
                    f"cd '{ROOT}' && bash {script.relative_to(ROOT)} --help"):
        done = run_in_shell(command, CDPATH=f".:{tmp_path}:{ROOT}")
        assert (done.returncode, done.stderr) == (0, ""), command
    (tmp_path / "b c").symlink_to(ROOT)
    assert run_in_shell(f"'{tmp_path}/b c/{script.relative_to(ROOT)}' --help").returncode == 0
