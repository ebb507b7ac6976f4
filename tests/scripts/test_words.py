"""Where users read, nothing has a retired name or retired English."""

from __future__ import annotations

import ast
import functools
import json
import re
from collections.abc import Iterator

import pytest
from conftest import ROOT

# Retired identifiers by room: of the headers of a folder and of those below it.
ROOMS = {
    "src/finesync": "stuck_error relaxed_word load_maybe_stale kept_in_register keep_whole"
    " shared_address_in_register load_message_ahead here_together arrival_gate try_each moved_ns"
    " random_pauses passes_over_rounds doubling_bound block_slots block_prefix tell_done",
    "src/finesync/locks": "spin_ordered_lock ring_lock combining_lock carrying_lock carried_word"
    " enter_alone lock_word is_turn_of admit announce drawn front Batch batch carried arrive",
    "src/finesync/semaphores": "word_semaphore ticketed_semaphore guarded_semaphore"
    " holds_back_entries exit_failed enter_alone arrive Rank division",
    "src/finesync/multi_object": "lock_set claimable claim drop withdraw claim_order reach busy"
    " all_or_none word_pair Busy try_in_turn try_move escrow_turns TriesTogether tries_together",
    "src/finesync/barriers": "adaptive_barrier cooperative_barrier counter_meeting part_of_a_block"
    " Meeting meeting meet_for_block meet_by_all meets_in_two_parts closed overlapping splits"
    " bring overlaps combined sum_payload carries_payload carried_payload payload pass_on share"
    " carried one_hop gather_and_scatter scatter handle reduction_beside_arrivals for_ever",
    "src/finesync/dataflow": "shared_spin_channels vote_channels heralded_channels heralded herald"
    " await_herald pass_on many_tokens stage_ring may_fill is_filled emptied most_threads",
    "src/finesync/server": "delegate_server line_handler one_by_one combined_by_key visible"
    " order_of_reply earlier_writes data_travel in_messages question answering ask answer"
    " bring_home home_queue_of tide_of copy_owed count_out carries most_of_one",
    "src/finesync/conflict_free": "tournament grouped players match_of players_at match pairing"
    " busy play_by_warps play_by_blocks free_since wanted_in seat crowd crowd_among"
    " combined_sections by_barrier by_words ready_flags batch_answers answered_queues no_answers"
    " queued run_together once_per_queue once_per_block entry_stage round_stage read_at_once"
    " meeting block_stretch timetable rehearse neutral run_two",
    "src/bench": "contender machine_access interruption descent descended open_point stuck",
    "src/executor/ptx": "machine m_ref",
    "src/executor/cudart": "tell tell_race tells_host",
    "src/executor/simt": "machine trouble party_id publication gathering census stuck",
    "workloads": "contender teller idle_teller unrecorded answer_times setup_of setup"
    " transfer_probe serial_order passage brought_by uncontrolled unlocked one_offer_per_warp"
    " beside_records usual_means held_node listed_experiment no_means strays sound_ownership"
    " sound_flow tile_rater dealing held_vector asked_inputs unwatched nested_experiment",
}
# Retired English of documents and of comments. Only parts of a GPU have a place behind.
ENGLISH = re.compile(
    r"\b(anew|whoever|nobody|somebody|in[\s/]+vain|so[\s/]+many|(?:of|for)[\s/]+which|"
    r"behind(?! (?:the|an?|its) (?:L1|L2|caches?|crossbar|switch|partition)\b))\b", re.I)
# In messages and comments, too. Verdicts "cannot be told".
MESSAGES = re.compile(r"\b(?<!cannot be )told\b(?! (?:apart|from))|\b(?:the own|so many)\b|"
                      r"\b(?:plan|point|results?) (?:is|are) of\b|\bis of another\b", re.I)
HELP = ("workloads/common/axes.hpp", "src/bench/help.cpp", "src/bench/command_line.cpp")
EXEMPT = re.compile(r"<!-- table .*?<!-- end of table -->", re.S)
TOKENS = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|#include[^\n]*|"(?P<text>(?:\\.|[^"\\\n])*)"|'
                    r"(?<!\w)'(?:\\.|[^'\\])+'|(?P<name>[A-Za-z_]\w*)", re.S)


def tokens(kind: str, code: str) -> Iterator[str]:
    """Comments, text literals or names of C++ code."""
    return (found[kind] for found in TOKENS.finditer(code) if found[kind] is not None)


@functools.cache
def retired_in_text() -> re.Pattern[str]:
    """Names that are no English words."""
    names = sorted({name for room in ROOMS.values() for name in room.split() if "_" in name})
    return re.compile(rf"(?<!\w)(?<!\w-)({'|'.join(names)})(?![\w-])|"
                      r"\b(timetable|contender|contestant)s?\b", re.I)


def complaints(place: str, text: str) -> list[str]:
    """The retired names and words in a file of the repository."""
    shown, english, spoken = [], "", []
    if place.endswith(".json"):
        shown = [entry[key] for entry in json.loads(text)["primitives"] for key in entry if key in ("help", "label")]
    elif place.endswith(".py"):
        shown = [node.value for node in ast.walk(ast.parse(text))
                 if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        spoken = shown
    elif place.endswith(".md") or place.startswith("docs/"):
        shown = [english := EXEMPT.sub("", text)]
    elif place in HELP or place.endswith("main.cpp"):
        shown = [*tokens("text", text)]
    elif place.startswith("src/finesync/"):
        english = "\n".join(tokens("comment", text))
    if place.startswith(("src/", "workloads/", "inputs/")) and not place.endswith((".py", ".json")):
        spoken = [*tokens("comment", text), *tokens("text", text)]
    retired = {name for room, names in ROOMS.items() if place.startswith(f"{room}/")
               for name in names.split()} if place.endswith((".cuh", ".hpp")) else set()
    return [*(found[0] for part in shown for found in retired_in_text().finditer(part)),
            *(found[0] for found in ENGLISH.finditer(english)),
            *(found[0] for part in spoken for found in MESSAGES.finditer(part)),
            *sorted(retired & {*tokens("name", text)})]


@pytest.mark.parametrize("places", [
    "README.md", "docs/**/*.md", "docs/library/examples/*.cu", "src/catalogue/*.json",
    "workloads/**/variants.json", "workloads/*/main.cpp", *HELP, "scripts/finesync/figures/*.py",
    "scripts/finesync/figures/items/*.py", "scripts/finesync/items/*.py", "scripts/*.py", "scripts/dev/*.py",
    "scripts/finesync/sweep/*.py", "scripts/finesync/report/*.py", "scripts/finesync/compare/*.py",
    "workloads/*/report*.py", "workloads/*/report/*.py", "src/**/*.[ch]*", "workloads/**/*.[ch]*", "inputs/**/*.[ch]*"])
def test_no_retired_name_is_left(places: str) -> None:
    found = {place: complaints(place, path.read_text(encoding="utf-8"))
             for path in ROOT.glob(places) if path.is_file()
             for place in [str(path.relative_to(ROOT))]}
    assert found
    assert {place: names for place, names in found.items() if names} == {}


@pytest.mark.parametrize("place, text, names", [
    ("docs/library/locks.md", "A ring_lock, or `spin_ordered_lock`.", ["ring_lock", "spin_ordered_lock"]),
    ("docs/suite/results.md", "It tries in\nvain, by `exit_failed`.", ["exit_failed", "in\nvain"]),
    ("docs/library/barriers.md", "A one_hop <!-- table a -->anew<!-- end of table -->", ["one_hop"]),
    ("docs/library/examples/a.cu", "stuck_error stuck;", ["stuck_error"]),
    ("src/catalogue/locks.json", '{"primitives": [{"help": "all_or_none"}]}', ["all_or_none"]),
    ("workloads/ht/main.cpp", 'int lock_word = axis("see load_maybe_stale");', ["load_maybe_stale"]),
    ("src/executor/ptx/a.hpp", 'machine m;  // the own block\nrefuse("is told");',
     ["the own", "told", "machine"]),
    ("scripts/sweep.py", 'say("no point is of a, told apart")', ["point is of"]),
    ("workloads/atm/report.py", "T = f\"{one} over the timetable's\"", ["timetable"]),
    ("src/finesync/locks/a.cuh", "int lock_word;  // anew", ["anew", "lock_word"]),
    ("src/finesync/barriers/a.cuh", 'int lock_word;  // bring\nauto a = "bring";', []),
])
def test_a_retired_name_is_found(place: str, text: str, names: list[str]) -> None:
    assert complaints(place, text) == names
