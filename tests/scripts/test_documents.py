"""What README and docs show, of measurements and of code, is what the repository holds."""

from __future__ import annotations

import ast
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import accepted
import pytest
from conftest import ROOT
from finesync.query.tables import Table
from finesync.report import folder_tables, fullest
from finesync.report.folder_tables import tables_of
from finesync.results import counts, revisions
from finesync.results.errors import UserError
from finesync.results.loading import load_once
from finesync.results.recorded import gpu_folders
from finesync.results.registry import workloads
from scratch import ran
from update_tables import renewed

DOCUMENTS = {str(path.relative_to(ROOT)): path for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]}
RECORDED = accepted.folders()
PROGRAMS = [*(ROOT / "docs" / "library" / "examples").glob("*.cu"),
            ROOT / "tests" / "library" / "package" / "consumer" / "counter.cu"]


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.mark.rows
def test_smaller_recorded_files_have_their_tables() -> None:
    """Of all programs but two, whose made-up results have digests."""
    for path in accepted.RESULTS.glob("*/*.json.gz"):
        if path.stat().st_size < 240_000:
            results = load_once(path)
            made = {f"{results.name}-{table.id}": table for table in tables_of(results)}
            if results.timed:
                made |= {table.id: table for tables in workloads()[results.program].paper_tables.values()
                         for table in tables(results)}
            for name, table in made.items():
                kept = path.parent / "tables" / f"{name}.md"
                assert text_of(kept) == "\n".join([table.title, "", *table.lines, ""]), kept


@pytest.mark.parametrize("of", [pytest.param(
    [one.id for one in RECORDED], marks=min((one.marks for one in RECORDED), key=len))], ids=["all"])
def test_the_recorded_tables_are_those_of_the_recorded_runs(of: list[str], tmp_path: Path) -> None:
    paths = sorted(path for name in of for path in accepted.RESULTS.glob(f"{name}/*.json.gz"))
    for folder in {path.parent for path in paths}:
        (tmp_path / folder.name).mkdir()
        for path in folder.glob(revisions.STATED):
            shutil.copy(path, tmp_path / folder.name)
        for path in folder.glob(str(counts.FILE.parent)):
            shutil.copytree(path, tmp_path / folder.name / path.name)
    shutil.copytree(accepted.RESULTS / "originals", tmp_path / "originals", ignore=shutil.ignore_patterns("tables"))
    loaded = [replace(load_once(path), path=tmp_path / path.parent.name / path.name) for path in paths]
    folder_tables.write_all(loaded)
    kept = {path.relative_to(accepted.RESULTS): text_of(path) for path in accepted.RESULTS.glob("**/tables/*.md")}
    folder_tables.write_verdicts(tmp_path / folder_tables.ALL_GPUS, gpu_folders())
    folder_tables.write_originals(tmp_path, loaded)
    of = [*of, "originals", folder_tables.ALL_GPUS]
    made = {path.relative_to(tmp_path): text_of(path) for path in tmp_path.glob("**/tables/*.md")}
    kept = {path: text for path, text in kept.items() if path.parts[0] in of}
    assert set(made) == set(kept), "scripts/figures.py writes them"
    assert made == kept, "scripts/figures.py writes them"


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_documents_include_the_recorded_tables(name: str) -> None:
    text = text_of(DOCUMENTS[name])
    assert renewed(fullest.shown(text, ROOT / "results"), ROOT / "results") == text, \
        "scripts/dev/update_tables.py writes them into the documents"


def test_a_paper_s_table_is_that_of_the_gpu_with_the_most_cells(tmp_path: Path) -> None:
    def table(gpu: str, name: str, *cells: str) -> None:
        (tmp_path / gpu / "tables").mkdir(parents=True, exist_ok=True)
        (tmp_path / gpu / "figures").mkdir(exist_ok=True)
        (tmp_path / gpu / "tables" / f"{name}.md").write_text(
            "T:\n\n| pair | 1 | 2 |\n|---|---|---|\n" + "".join(f"| a | {' | '.join(cells)} |\n"))
        (tmp_path / gpu / "figures" / f"{name}.svg").touch()
    table("nvidia-a1", "asplos19-figure7", "3x", "not recorded")
    table("nvidia-b2", "asplos19-figure7", "3x", "2x")
    table("nvidia-a1", "asplos19-table3", "2", "3")
    table("nvidia-b2", "asplos19-table3", "4", "5")
    table("nvidia-a1", "claims-asplos19", "holds", "–")
    table("nvidia-b2", "claims-asplos19", "holds", "mixed")
    text = "[Table: F (A1)](../results/nvidia-a1/{0}) ![F](results/nvidia-a1/figures/asplos19-figure7.svg)\n" \
        "<!-- table nvidia-a1/asplos19-table3 -->\n[T](results/nvidia-a1/tables/ht_gpu-overview.md)\n"
    assert fullest.shown(text.format("tables/asplos19-figure7.md"), tmp_path) == text.replace(
        "A1", "B2").replace("nvidia-a1", "nvidia-b2").format("tables/asplos19-figure7.md").replace(
            "b2/tables/ht_gpu", "a1/tables/ht_gpu")
    with pytest.raises(UserError, match="no GPU has tables/thesis-table9.md"):
        fullest.shown(text.format("tables/thesis-table9.md"), tmp_path)


@pytest.mark.parametrize("name", ["asplos19", "thesis", "artifact"])
def test_no_cell_of_a_paper_s_page_is_empty_that_another_gpu_has(name: str) -> None:
    def cells(path: Path) -> dict[tuple[str, str], str]:
        head, *rows = [[cell.strip() for cell in line.strip("| ").split(" | ")]
                       for line in text_of(path).splitlines() if line.startswith("|") and "---" not in line]
        return {(row[0], column): cell for row in rows for column, cell in zip(head[1:], row[1:])}
    for link in re.findall(r"results/[\w-]+/tables/[\w.-]+", text_of(DOCUMENTS[f"docs/suite/{name}.md"])):
        here = cells(ROOT / link)
        for path in (ROOT / "results").glob(f"nvidia-*/tables/{Path(link).name}"):
            there = cells(path)
            assert [place for place, cell in here.items() if cell == "not recorded" and there.get(place, cell) not in (
                cell, "–")] == [], f"{link}, {path}"


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_no_cell_of_a_table_is_empty(name: str) -> None:
    prose = re.sub(r"^```.*?^```$", "", text_of(DOCUMENTS[name]), flags=re.M | re.S)
    rows = [line for line in prose.splitlines()
            if line.startswith("|") and line.strip("| ")]  # a table may have no heads
    assert [line for line in rows if re.search(r"\|\s*-?\s*\|", line)] == []


def test_a_table_says_why_its_cells_are_empty() -> None:
    def below(columns: list[str], *rows: list[str], **more: Any) -> str:
        lines = Table("id", "title", "lock", columns, {name: cells for name, *cells in rows}, **more).lines
        assert not any("|  |" in line or "| - |" in line for line in lines)
        return " ".join(lines[2 + len(rows):]).strip()

    assert below(["1", "2"], ["spin", "3", "4"]) == ""
    assert below(["1", "2"], ["spin", "3", ""], ["tas", "-", "-"]) == "–: not measured."
    assert below(["1", "published"], ["spin", "3", ""]) == "–: not published."
    assert below(["1"], ["spin, published", ""], blank="not run") == "–: not published."
    assert below(["why", "1"], ["spin", "", ""], blank="not run", blanks={"why": "it is"}) == \
        '–: not run; under "why", it is.'


def places_in(text: str) -> set[str]:
    """The names by which links lead to the headings of a document."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_links_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", text_of(DOCUMENTS[name]))
    outside = ("://", "../../deployments/")  # the latter: what the code host shows beside the repository
    for link, place in links:
        if not any(part in link for part in outside):
            to = DOCUMENTS[name].parent / link if link else DOCUMENTS[name]
            assert to.exists(), link
            assert not place or place in places_in(text_of(to)), f"{link}#{place}"


def test_tables_are_put_between_their_marks_and_stay_so(tmp_path: Path) -> None:
    (tmp_path / "gpu" / "tables").mkdir(parents=True)
    (tmp_path / "gpu" / "tables" / "mutex-time.md").write_text("Time:\n\n| a |\n|---|\n| 1 |\n")
    text = "Before.\n<!-- table gpu/mutex-time -->\nold\n<!-- end of table -->\nAfter.\n"
    new = renewed(text, tmp_path)
    assert new == "Before.\n<!-- table gpu/mutex-time -->\n| a |\n|---|\n| 1 |\n" \
        "<!-- end of table -->\nAfter.\n"
    assert renewed(new, tmp_path) == new
    with pytest.raises(UserError, match="no recorded table gpu/mutex-hours"):
        renewed(text.replace("time", "hours"), tmp_path)


def test_the_script_rewrites_what_is_out_of_date_and_refuses_what_is_not_recorded(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(ROOT / "scripts", tree / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    (tree / "results" / "gpu" / "tables").mkdir(parents=True)
    (tree / "results" / "gpu" / "tables" / "t.md").write_text("T:\n\n| 1 |\n", encoding="utf-8")
    (tree / "README.md").write_text("Nothing included.\n", encoding="utf-8")
    (tree / "docs").mkdir()
    page = tree / "docs" / "page.md"
    page.write_text("<!-- table gpu/t -->\n<!-- end of table -->\n", encoding="utf-8")

    def run(code: int) -> tuple[str, str]:
        done = ran(sys.executable, tree / "scripts/dev/update_tables.py", code=code)
        return done.stdout, done.stderr

    assert run(0)[0] == f"{page}\n"
    assert text_of(page) == "<!-- table gpu/t -->\n| 1 |\n<!-- end of table -->\n"
    assert run(0)[0] == ""
    (tree / "results" / "gpu" / "tables" / "t.md").unlink()
    assert run(2)[1] == f"update_tables: {page}: there is no recorded table gpu/t\n"


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_code_is_that_of_the_programs_that_the_tests_run(name: str) -> None:
    blocks = re.findall(r"^```cpp\n(.*?)^```$", text_of(DOCUMENTS[name]), re.M | re.S)
    programs = [without_spaces(text_of(path)) for path in PROGRAMS]
    for block in blocks if name != "docs/suite/extending.md" else ():
        # A block is made of pieces that a blank line divides; each must be in one of the programs.
        for piece in filter(None, re.split(r"\n\s*\n", block.strip("\n"))):
            assert any(without_spaces(piece) in program for program in programs), piece


def test_a_user_finds_every_example() -> None:
    examples = ROOT / "docs" / "library" / "examples"
    named = set(re.findall(r"\]\((\w+\.cu)\)", text_of(examples / "README.md")))
    assert {path.name for path in examples.glob("*.cu")} == named


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_python_in_documents_compiles(name: str) -> None:
    for block in re.findall(r"^```python\n(.*?)^```$", text_of(DOCUMENTS[name]), re.M | re.S):
        compile(block, name, "exec")


def test_a_pytorch_extension_is_compiled_as_the_headers_need() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", text_of(ROOT / "docs" / "library" / "using.md"), re.M | re.S)
    called = [node for block in blocks for node in ast.walk(ast.parse(block)) if isinstance(node, ast.Call)]
    assert len(called) == 1
    given = {word.arg: ast.literal_eval(word.value) for word in called[0].keywords}
    assert given["extra_cflags"] == given["extra_cuda_cflags"] == ["-std=c++20"]
    (kernels,) = [source for source in given["sources"] if source.endswith(".cu")]
    assert (ROOT / "tests" / "library" / "package" / "extension" / kernels).exists()


def without_spaces(code: str) -> str:
    """The same, however it is indented and wherever its lines break; comments left out."""
    return re.sub(r"\s+", "", re.sub(r"//[^\n]*", "", code))


# What the documents for newcomers name, exists, and the commands that they give have such options.
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
            assert option in ran(ROOT / script, "--help").stdout, f"{script} {option}"


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
