"""The page for the papers' authors: short, no figure without its GPU, and dissent beside its verdict."""

from __future__ import annotations

import re
from pathlib import Path

import accepted
import pytest
from conftest import ROOT
from finesync.claims import ledger, words
from finesync.report import authors
from finesync.results.loading import load_once
from finesync.results.recorded import gpu_folders

PAGE = ROOT / "results" / authors.NAME
MOST_LINES = 120
RECORDED = accepted.folders()


@pytest.fixture(name="text", scope="module")
def fixture_text() -> str:
    return PAGE.read_text(encoding="utf-8")


def measured_without_a_gpu(text: str, gpus: set[str]) -> list[str]:
    """The lines with figures that neither the paper has nor a GPU stands beside."""
    found = []
    for line in text.split("\n## ", maxsplit=1)[1].splitlines():
        own = re.match(r"- ([A-Z]\d\d) ", line)
        claim = ledger.claims()[own[1]] if own else None
        rest = line if claim is None else line[len(own[0]):].replace(claim.text, "")
        rest = rest.partition(f"Published: {words.published(claim)}. ")[2] if claim and "Published: " in rest else rest
        told = " cannot be told: " not in line  # what is missing is no figure
        if told and re.search(r"\d", rest) and not any(gpu in line for gpu in gpus):
            found.append(line)
    return found


def test_it_is_one_page_and_has_every_claim_once(text: str) -> None:
    assert len(text.splitlines()) <= MOST_LINES
    assert sorted(re.findall(r"^- ([A-Z]\d\d) ", text, re.M)) == sorted(ledger.claims())


def test_no_figure_is_without_its_gpu(text: str) -> None:
    gpus = {load_once(min(folder.glob("*_gpu.json*"))).gpu_name for folder in gpu_folders()}
    assert measured_without_a_gpu(text, gpus) == []
    (line,) = re.findall(r"^- T02 .*$", text, re.M)
    gpu = next(gpu for gpu in gpus if gpu in line)
    assert measured_without_a_gpu(text.replace(line, line.replace(gpu, "here")), gpus) == [line.replace(gpu, "here")]


def test_t08_has_its_dissent(text: str) -> None:
    (line,) = re.findall(r"^- T08 .*$", text, re.M)
    assert re.match(r"- T08 holds; \*\*HeteroSync's SRB, CCG here: does not hold\*\*\. ", line)
    assert re.search(r", HeteroSync's SRB, CCG here: [\d.]+x at 1, .*[\d.]+x at 32\.", line)


def test_each_paper_has_its_counts_minutes_stand_ins_and_one_command(text: str) -> None:
    for paper in ledger.titles():
        (line,) = re.findall(rf"^.*`scripts/reproduce.sh {paper} --minutes N`.*$", text, re.M)
        counts = [int(number) for number in re.findall(r"(?:holds|direction|mixed|hold|told) (\d+)", line)]
        assert sum(counts) == sum(claim.paper == paper for claim in ledger.claims().values())
        assert re.search(r"took [\d.]+ minutes", line)
        assert ("Stand-ins for inputs: `" in line) == (paper != "ics15")


def test_it_is_the_first_link_on_the_papers() -> None:
    text = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    first = re.search(r"On the papers:.*?\]\(([^)]+)\)", text, re.DOTALL)
    assert first is not None and first[1] == f"../results/{authors.NAME}"


def test_without_recorded_claims_there_is_no_page(tmp_path: Path) -> None:
    assert authors.page(tmp_path) == ""


@pytest.mark.parametrize("of", [pytest.param("all", marks=min((one.marks for one in RECORDED), key=len))])
def test_it_is_that_of_the_recorded_runs(of: str, text: str) -> None:
    assert of and authors.page(ROOT / "results") == text, "scripts/dev/update_tables.py writes it"
