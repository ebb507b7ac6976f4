"""What the documents for newcomers name, exists, and the commands that they give have such options."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

GUIDES = [ROOT / name for name in ("README.md", "docs/run.md", "docs/installing.md", "docs/contributing.md")]


def named(text: str) -> set[str]:
    """The paths of the repository in code, without those of a GPU."""
    code = [*re.findall(r"```sh\n(.*?)```", text, re.S), *re.findall(r"`([^`\n]+)`", text)]
    paths = {path for part in code
             for path in re.findall(r"(?<![\w/<>-])(?:\./)?((?:scripts|tests|results|docs|\.github)"
                                    r"/[\w./-]+|run_all\.sh|environment\.yml)(?![\w<*-])", part)}
    return {path.rstrip(".") for path in paths if not path.startswith("results/runs")}


def commands(text: str) -> list[tuple[str, str]]:
    """The scripts that are run, each with the rest of its line."""
    return re.findall(r"(?<![\w/])(?:\./)?(scripts/\w+\.(?:sh|py)|run_all\.sh)((?: [^`\n|&;#]+)?)", text)


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.name)
def test_what_a_guide_names_exists(guide: Path) -> None:
    paths = named(guide.read_text(encoding="utf-8"))
    assert len(paths) > 4
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.name)
def test_the_options_of_a_guide_are_known(guide: Path) -> None:
    for script, rest in commands(guide.read_text(encoding="utf-8")):
        for option in re.findall(r"(?<= )--[a-z-]+", rest):
            shown = subprocess.run([str(ROOT / script), "--help"], text=True, check=True, capture_output=True).stdout
            assert option in shown, f"{script} {option}"


def blocks(text: str, kind: str) -> list[str]:
    return [block for of, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S) if of == kind]


def test_the_first_page_shows_what_the_tests_run() -> None:
    """Its C++ is checked with that of all documents, and its report by nvcc where there is one."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    package = ROOT / "tests" / "library" / "package"
    (cmake,) = blocks(text, "cmake")
    assert set(cmake.splitlines()) <= set((package / "consumer/CMakeLists.txt").read_text("utf-8").splitlines())
    lock, race, report = blocks(text, "")
    assert f'RUNS counter "{lock[:-len(" increments ")]}' in (package / "CMakeLists.txt").read_text("utf-8")
    assert report == "report: .../finesync/results/report.html\n"
    assert race in blocks((ROOT / "docs/check/check.md").read_text(encoding="utf-8"), "")
    (line,) = re.findall(r"^lock\.cu:(\d+): error", race, re.M)
    program = (ROOT / "tests/executor/check/programs/lock.cu").read_text(encoding="utf-8").splitlines()
    assert program[int(line) - 1].endswith("// reported")


def test_a_user_finds_every_script() -> None:
    pages = [*GUIDES[:3], *(ROOT / "docs" / "suite" / f"{name}.md" for name in ("results", "artifact", "inputs"))]
    told = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert [path.name for path in (ROOT / "scripts").glob("*.*") if f"scripts/{path.name}" not in told] == []


def test_a_wrong_path_and_a_wrong_option_are_found() -> None:
    assert named("`scripts/none.sh`, see `results/<gpu>/x`; scripts/prose.sh") == {"scripts/none.sh"}
    assert commands("`scripts/claims.py --nonsense X`, `./run_all.sh --quick`") == [
        ("scripts/claims.py", " --nonsense X"), ("run_all.sh", " --quick")]
