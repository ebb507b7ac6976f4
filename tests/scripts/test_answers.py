"""Which primitive is the fastest, and what is level with it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import synthetic
import synthetic_sync
from conftest import ROOT
from finesync.query.points import Spread
from finesync.report import examples
from finesync.report.needs import Answer, Entry, needs, sentence
from finesync.results import catalogue
from finesync.results.catalogue import all_in, looks
from finesync.results.errors import UserError
from finesync.results.registry import workloads
from finesync.results.workload import Unit
from tables import results_of

TIME, RATE = Unit("us per hand-off", 1e6), Unit("million transfers per second", 1e-6, rate=True)


def answer(unit: Unit = TIME, less: Iterable[str] = (), recommended: str = "", without: float = 0.0,
           **medians: float | str) -> Answer:
    """Entries in the order given, each with quartiles 1 % apart; a word for one that ended so."""
    entries = [Entry(name, None, value) if isinstance(value, str) else
               Entry(name, Spread(value * 0.99, value, value * 1.01), "ok", "",
                     "recommended" if name == recommended else "printed" if "_printed" in name else "",
                     Spread(without, without, without) if without else None)
               for name, value in medians.items()]
    return Answer(unit, entries, dict.fromkeys(less, "a word"), ("libcudacxx", "cub"))


def test_the_shortest_time_and_the_highest_rate_win(tmp_path: Path) -> None:
    """The same two primitives, once compared by time and once by rate."""
    rows = [*synthetic_sync.point("mutex", "array", 1.0, tbs_per_sm=1),
            *synthetic_sync.point("mutex", "mcs", 2.0, tbs_per_sm=1),
            *synthetic_sync.point("mutex", "array", 4.0, tbs_per_sm=2),
            *synthetic_sync.point("mutex", "mcs", 3.0, tbs_per_sm=2)]
    (need,) = needs(results_of(tmp_path, "mutex", rows))
    (loads,) = need.answers.values()
    assert [own.best.name for own in loads.values() if own.best] == ["array", "mcs"]
    inserts = [row for name, milliseconds in (("spin", 8.0), ("tas", 2.0), ("ttas", 4.0))
               for row in synthetic.exact_rows(name, {
                   "collision_factor": 32, "tbs_per_sm": 1, "inserts": 1000, "section_work": 0,
                   "section": "push"}, milliseconds)]
    (need,) = needs(results_of(tmp_path, "ht", inserts))
    ((found,),) = (own.values() for own in need.answers.values())
    assert [entry.name for entry in found.entries] == ["tas", "ttas", "spin"]
    assert found.best and found.best.value
    assert found.best.value.median == pytest.approx(1000 / 2e-3 / 1e9)


def test_loads_go_from_the_lightest_to_the_heaviest(tmp_path: Path) -> None:
    locks = results_of(tmp_path, "mutex", synthetic_sync.mutexes()["benchmarks"])
    table = results_of(tmp_path, "ht", synthetic.gpu_document()["benchmarks"])
    loads = {results.program: list(next(iter(needs(results)[0].answers.values()))) for results in (locks, table)}
    assert loads["mutex"][0] == "1 thread block per SM"
    assert loads["mutex"][-1] == "32 thread blocks per SM"
    setting = next(iter(needs(locks)[0].answers))
    assert needs(locks)[0].main == (setting, "32 thread blocks per SM")
    assert needs(table)[0].main[1] == "256 distinct keys"
    assert loads["ht"] == ["131,072 distinct keys", "32,768 distinct keys", "1,024 distinct keys", "256 distinct keys"]


def test_what_the_noise_hides_is_level() -> None:
    assert answer(a=1.00, b=1.015, c=1.028, d=1.06).level == ["b", "c"]
    assert answer(RATE, a=1.06, b=1.045, c=1.01).level == ["b"]
    assert answer(a=1.0, b="hung").level == []
    wide = Entry("wide", Spread(1.0, 1.3, 1.6), "ok")
    apart = Entry("apart", Spread(1.2, 1.3, 1.6), "ok")
    best = Entry("a", Spread(0.9, 1.0, 1.1), "ok")
    assert Answer(TIME, [best, wide, apart], {}, ()).level == ["wide"]


def test_of_level_ones_the_recommended_is_named_then_one_that_no_paper_prints() -> None:
    found = answer(a=1.00, b=1.015, c=1.06, libcudacxx=2.03, recommended="b")
    assert found.best and found.best.name == "b" and found.level == ["a"] and found.lead == pytest.approx(2.0)
    assert answer(a=1.00, c=1.06, recommended="c").best == found.entries[0]
    assert sentence(answer(a_printed=1.0, b=1.01, c_printed=1.01, libcudacxx=3.03)) \
        == "`b` takes 1.01 us per hand-off, 3 times as fast as CUDA's `libcudacxx`."
    assert sentence(answer(a_printed=1.0, b=1.1, libcudacxx=3.0)).startswith("`a_printed` takes 1 us")


def test_one_that_does_less_neither_wins_nor_is_level() -> None:
    found = answer(less=["bound"], bound=0.5, a=1.0, libcudacxx=3.0)
    assert found.best and found.best.name == "a" and found.level == [] and found.lead == 3.0
    assert answer(less=["bound"], a=1.0, bound=1.001).level == []


def test_a_lead_is_above_one_for_times_and_for_rates() -> None:
    assert answer(a=1.0, cub=2.0, libcudacxx=4.0).lead == 2.0
    assert answer(RATE, a=8.0, libcudacxx=2.0).lead == 4.0
    assert answer(a=1.0, libcudacxx="timed out").lead is None
    assert answer(a=1.0).lead is None


@pytest.mark.parametrize(("found", "said"), [
    (answer(a=1.5, libcudacxx=3.0),
     "`a` takes 1.5 us per hand-off, 2 times as fast as CUDA's `libcudacxx`."),
    (answer(RATE, a=8.0, b=7.9, c=7.9, libcudacxx=2.0),
     "`a` does 8 million transfers per second, 4 times as fast as CUDA's `libcudacxx`; `b` and `c` "
     "are level with it within the noise."),
    (answer(a=1.0, libcudacxx=1.01, b=1.01),
     "`a` takes 1 us per hand-off, 1.01 times as fast as CUDA's `libcudacxx`, which is level with it "
     "within the noise; `b` is level too."),
    (answer(libcudacxx=1.0, b=1.01), "`libcudacxx` takes 1 us per hand-off, and is CUDA's own; `b` "
     "is level with it within the noise."),
    (answer(a=1.0, libcudacxx="hung"),
     "`a` takes 1 us per hand-off; CUDA's `libcudacxx`: hung."),
    (answer(a=1.0), "`a` takes 1 us per hand-off; no primitive of CUDA's own was run here."),
    (answer(libcudacxx=1.5, without=1.2), "`libcudacxx` takes 1.5 us per hand-off, and is CUDA's own; the same loop "
     "without it takes 1.2 us."),
    (answer(a_printed=1.0), "`a_printed` takes 1 us per hand-off; no primitive of CUDA's own was run here; only forms "
     "that a paper prints were run here."),
    (answer(a=1.0, b=1.0, c=1.0, d=1.0, e=1.0, f=1.0, libcudacxx="hung"), "`a` takes 1 us per hand-off; CUDA's "
     "`libcudacxx`: hung; `b`, `c`, `d` and 2 others are level with it within the noise."),
    (answer(a="hung", b="timed out"), "No primitive finished here: hung, timed out.")])
def test_an_answer_is_one_sentence(found: Answer, said: str) -> None:
    assert sentence(found) == said


def test_settings_go_from_the_primitive_alone_to_those_that_few_have(tmp_path: Path) -> None:
    """Whatever the order of rows. The loop without the primitive stands beside it only where there is other work."""
    def rows(program: str, *names: str, **axes: Any) -> list[dict[str, Any]]:
        return [row for name in names for blocks in (1, 2) for row in synthetic_sync.point(
            program, name, 1.0, tbs_per_sm=blocks, unsynchronized_ns_per_operation=50.0, **axes)]
    pair = "autotuned", "flat_counters"
    (need, _) = needs(results_of(
        tmp_path, "barrier", rows("barrier", *pair, local_exchange="yes"), rows("barrier", *pair, ldst=100),
        rows("barrier", *pair), rows("barrier", *pair, "graph_relaunch", threads_per_block=256, ldst=0),
        rows("barrier", "autotuned", threads_per_block=32, ldst=0), rows("barrier", *pair, ldst=0)))
    assert list(need.answers) == [
        "64 threads per block, no loads and stores", "256 threads per block, no loads and stores",
        "64 threads per block, 10 loads and stores", "64 threads per block, 100 loads and stores",
        "64 threads per block, 10 loads and stores, local exchange", "32 threads per block, no loads and stores"]
    beside = [found.best.without for loads in need.answers.values() for found in loads.values() if found.best]
    assert [one and one.median for one in beside[::2]] == [None, None, *[pytest.approx(0.05)] * 3, None]
    (need,) = needs(results_of(tmp_path, "mutex", rows("mutex", "mcs", "array", ldst=0),
                               rows("mutex", "mcs", "array", section="empty", ldst=0)))
    assert next(iter(need.answers)) == "64 threads per block, empty section"


def test_a_queue_is_told_by_its_rate(tmp_path: Path) -> None:
    """2 ns an item; with several items in a call the answer is one of its own."""
    rows = [row | {"items_per_second": 5e8 * items} for items in (4, 1) for row in synthetic.exact_rows("slot", {
        "traffic": "both", "threads_per_block": 64, "capacity": "auto", "items": items, "item_bytes": 8,
        "tbs_per_sm": 1, "tickets": "block"}, 1.0)]
    (need,) = needs(results_of(tmp_path, "queue", rows))
    assert [sentence(found) for loads in need.answers.values() for found in loads.values()] == [
        "`slot_block` does 0.5 billion items per second.", "`slot_block` does 2 billion items per second."]


@pytest.mark.parametrize("family", "locks barriers semaphores events queues channels servers teams".split())
def test_a_family_in_use_is_read_from_its_example(family: str) -> None:
    found = examples.of_family(family)
    assert found is not None and 3 <= len(found["lines"]) <= 8
    assert {line.strip() for line in found["lines"]} <= {
        line.strip() for line in (ROOT / found["file"]).read_text(encoding="utf-8").splitlines()}


def test_words_of_no_line_of_an_example_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "example", lambda family: {"file": "relax.cu", "lines": [family]})
    for words, number in (("no such words", 0), ("barrier.join(watchdog);  // once", 0), ("steps", 4)):
        with pytest.raises(UserError, match=f"relax.cu has {number} lines"):
            examples.of_family(words)


def test_a_restricted_need_has_those_that_the_restriction_admits(tmp_path: Path) -> None:
    found = {need.name: need for need in needs(results_of(tmp_path, "mutex", synthetic_sync.mutexes()["benchmarks"]))}
    assert set(found) == {"one lock for all blocks", "one lock for all blocks, 12 bytes of data at most"}
    names = {name: {entry.name for loads in need.answers.values() for own in loads.values()
                    for entry in own.entries} for name, need in found.items()}
    assert names["one lock for all blocks, 12 bytes of data at most"] \
        - names["one lock for all blocks"] == {"value_passing"}


@pytest.mark.parametrize("program", workloads())
def test_headers_of_the_catalogue_exist(program: str) -> None:
    named = [header for entry in all_in(program) for header in entry.get("headers", ())]
    assert [header for header in named if not any((ROOT / place / header).exists() for place in ("src", "."))] == []


@pytest.mark.parametrize("program", workloads())
def test_a_question_names_primitives_of_the_catalogue(program: str) -> None:
    question = workloads()[program].question
    if question is None:
        assert program in ("instructions", "queue")  # costs; forms that differ by what the caller hands over
        return
    known = {own["name"] for entry in all_in(program) for own in looks(entry)}
    assert {*question.less, *(name for names in question.limited.values() for name in names)} <= known
