"""The report in a real browser, wide and narrow, light and dark."""

from __future__ import annotations

import gzip
import html
import json
import re
import shutil
import statistics
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest
from finesync.query.tables import three_digits
from finesync.results import recorded
from finesync.results.registry import workloads
from finesync.results.workload import GROUPS
from test_report_page import data_in, made_up, page_of

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
PROBE = Path(__file__).with_name("report_probe.js")
# Before all other scripts: what goes wrong in any of them.
WATCH = """<script>
const problems = [];
addEventListener("error", (event) => problems.push(event.message));
addEventListener("unhandledrejection", (event) => problems.push(`${event.reason}`));
console.error = (...words) => problems.push(words.join(" "));
</script>"""
FRAME = """<iframe src="probed.html{fragment}" style="width: {width}px; height: {height}px; border: 0">
</iframe><pre id="checked"></pre>
<script>
addEventListener("message", ({{ data }}) => {{
  document.getElementById("checked").textContent = data;
}});
</script>"""

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no Chromium here: apt-get install --no-install-recommends chromium")


@pytest.fixture(name="page", scope="module")
def fixture_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    path = folder / "report.html"
    paths = made_up(folder)
    (folder / "again").mkdir()
    again = shutil.copy(folder / "gpu" / "barrier_gpu.json", folder / "again")
    path.write_text(page_of(*paths, Path(again)), encoding="utf-8")
    return path


def run(folder: Path, *options: str) -> str:
    """Runs the browser without a window and without a network."""
    assert BROWSER is not None
    done = subprocess.run(
        [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder / 'profile'}",
         "--virtual-time-budget=20000", *options],
        text=True, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def looked_at(page: Path, folder: Path, width: int, height: int, dark: bool = False,
              fragment: str = "") -> dict[str, Any]:
    """What the probe saw of the page in a frame of that size: a window of Chromium is 500 pixels wide at least."""
    text = page.read_text(encoding="utf-8").replace("<head>", f"<head>{WATCH}")
    probed = folder / "probed.html"
    probed.write_text(text.replace("</body>", f"<script>{PROBE.read_text(encoding='utf-8')}"
                                              "</script></body>"), encoding="utf-8")
    frame = folder / "frame.html"
    frame.write_text(FRAME.format(width=width, height=height, fragment=fragment), encoding="utf-8")
    dom = run(folder, "--window-size=1400,1000", "--dump-dom",
              f"--blink-settings=preferredColorScheme={0 if dark else 1}", frame.as_uri())
    (found,) = re.findall(r'<pre id="checked">(.*?)</pre>', dom, re.S)
    checked: dict[str, Any] = json.loads(html.unescape(found))
    assert checked["problems"] == []
    return checked


@pytest.fixture(name="wide", scope="module")
def fixture_wide(page: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return looked_at(page, tmp_path_factory.mktemp("wide"), 1280, 800, fragment="#claims")


@pytest.fixture(name="narrow_and_dark", scope="module")
def fixture_narrow(page: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return looked_at(page, tmp_path_factory.mktemp("narrow"), 400, 800, dark=True, fragment="#runs")


def test_nothing_is_wider_than_the_window(wide: dict[str, Any], narrow_and_dark: dict[str, Any]) -> None:
    for checked, width in ((wide, 1280), (narrow_and_dark, 400)):
        assert checked["width"] == width
        assert checked["tooWide"] == [] and checked["overlapping"] == []
        assert checked["scrollWidth"] <= width and checked["openWidth"] <= width


def test_the_first_screen_has_the_answer_the_verdicts_and_the_winners(wide: dict[str, Any]) -> None:
    assert {part: bottom for part, bottom in wide["bottoms"].items() if bottom > 800} == {}


def test_the_first_screen_has_room_for_the_winners_of_all_programs(wide: dict[str, Any]) -> None:
    questions = [own.question for own in workloads().values() if own.question]
    winners = sum(1 + len(question.limited) for question in questions)
    top, height = wide["glance"]
    assert winners >= 25 and top + (winners + len(GROUPS) - 1) * height <= 800


def test_another_choice_is_another_answer(page: Path, wide: dict[str, Any]) -> None:
    needs = data_in(page.read_text(encoding="utf-8"))["places"][0]["needs"]
    first, second = needs[:2]
    answers = [list(next(iter(first["settings"].values())).values())[-1],
               next(iter(next(iter(first["settings"].values())).values())),
               list(next(iter(second["settings"].values())).values())[-1],
               list(list(second["settings"].values())[1].values())[-1]]
    assert wide["sentences"] == [own["sentence"].replace("`", "") for own in answers]
    assert wide["names"] == [own["best"] for own in answers[1:]]
    assert "need=A+barrier+of+the+whole+grid%2C+where" in wide["address"]


def test_claims_are_filtered_and_sorted(page: Path, wide: dict[str, Any]) -> None:
    claims = wide["claims"]
    data = data_in(page.read_text(encoding="utf-8"))
    judged = data["places"][0]["verdicts"]
    verdicts = [own["verdict"] for own in judged.values()]
    assert claims["why"] == [number for number, own in judged.items() if "why" in own] != []
    assert claims["all"] == len(data["claims"]) and claims["holds"] == verdicts.count("holds") > 0
    assert "T08" in claims["t08"] and claims["last"] == data["claims"][-1]["id"]


def test_a_print_of_a_page_just_opened_has_all_figures_and_no_blank_page(
        page: Path, wide: dict[str, Any], tmp_path: Path) -> None:
    """Figures are unpacked when the page has loaded, which is when a browser prints it."""
    assert wide["figures"] == [720]
    run(tmp_path, f"--print-to-pdf={tmp_path / 'page.pdf'}", "--no-pdf-header-footer", page.as_uri())
    printed = (tmp_path / "page.pdf").read_bytes()
    objects = dict(re.findall(rb"(\d+) 0 obj\s(.*?)\sendobj", printed, re.S))
    sheets = [objects[found[1]] for own in objects.values() if re.search(rb"/Type\s*/Page\b", own)
              and (found := re.search(rb"/Contents (\d+) 0 R", own))]
    texts = [zlib.decompress(sheet.partition(b"stream")[2].lstrip()).count(b"Tj") for sheet in sheets]
    assert len(texts) > 1 and min(texts) > 5


def test_addresses_and_links_land_at_their_section(wide: dict[str, Any], narrow_and_dark: dict[str, Any]) -> None:
    for checked, address in ((wide, "#claims"), (narrow_and_dark, "#runs")):
        assert checked["landed"][0] == address and 0 <= checked["landed"][1] <= 100
        assert len(checked["jumps"]) == 4 and all(-1 <= below <= 100 for below in checked["jumps"])


def test_no_choice_is_cut_off_and_targets_are_as_large_as_a_finger(
        wide: dict[str, Any], narrow_and_dark: dict[str, Any]) -> None:
    assert wide["cutOff"] == [] and narrow_and_dark["small"] == []


def test_another_run_stands_beside(wide: dict[str, Any]) -> None:
    said, bars, address = wide["beside"]
    assert said.startswith("Test GPU 9000, again, the thin bars: ") and " times as fast as " in said
    assert bars > 5 and "beside=again" in address


def test_verdicts_with_dissent_are_striped(wide: dict[str, Any]) -> None:
    before, after, dissenting = wide["striped"]
    assert len(after) == len(before) + 1 and dissenting > 0
    assert sum(f"striped: by the paper's own program otherwise {dissenting}" in own for own in after) >= 1


@pytest.mark.parametrize("place", sorted(path.parent.name for path in recorded.FOLDER.glob("*/barrier_gpu.json.gz")))
def test_the_headline_is_the_recorded_barrier_by_itself(place: str, tmp_path: Path) -> None:
    """The median of `autotuned` and its lead, from the rows, where it was run in an empty loop."""
    path = recorded.FOLDER / place / "barrier_gpu.json.gz"
    rows = json.loads(gzip.decompress(path.read_bytes()))["benchmarks"]
    times: dict[str, list[float]] = {}
    least = min(row["axes"]["ldst"] for row in rows if row["primitive"] == "autotuned")
    usual = {"tbs_per_sm": 32, "threads_per_block": 64, "sms": "all", "local_exchange": "no", "ldst": least}
    for row in rows:
        axes = {"plan_table": "auto", "barrier_form": "blocking", "work_cycles": 0, "load": "lines", "backoff": "no"}
        if {**axes, **row["axes"]}.items() >= usual.items() and "items_per_second" in row:
            times.setdefault(row["primitive"], []).append(1e6 / row["items_per_second"])
    own, library = (statistics.median(times[name]) for name in ("autotuned", "libcudacxx"))
    (tmp_path / "page.html").write_text(page_of(path), encoding="utf-8")
    dom = run(tmp_path, "--dump-dom", (tmp_path / "page.html").as_uri())
    assert f"<b>autotuned</b> takes {three_digits(own)} µs per barrier, {three_digits(library / own)} times as fast " \
        "as CUDA's <b>libcudacxx</b>" in dom


def test_texts_stand_out_and_controls_have_names(wide: dict[str, Any], narrow_and_dark: dict[str, Any]) -> None:
    for checked in (wide, narrow_and_dark):
        assert checked["contrast"]["text"] > 7
        assert min(checked["contrast"].values()) > 4.5
        assert checked["unnamed"] == 0
    assert wide["paper"] != narrow_and_dark["paper"]


def test_without_a_gpu_the_page_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "empty.html").write_text(page_of(), encoding="utf-8")
    dom = run(tmp_path, "--dump-dom", (tmp_path / "empty.html").as_uri())
    assert '<body class="empty">' in dom
    assert 'class="note scripted">There are no times of a GPU here: ' in dom


def test_the_probe_sees_what_it_looks_for(page: Path, tmp_path: Path) -> None:
    """A page with an element that is too wide, on which the choice of a load changes nothing."""
    text = page.read_text(encoding="utf-8")
    broken = tmp_path / "broken.html"
    broken.write_text(text.replace("<main>", '<main><p style="width: 2000px">wide</p>').replace(
        "pick({ load: event.target.value })", "pick({})"), encoding="utf-8")
    checked = looked_at(broken, tmp_path, 1280, 800)
    assert checked["tooWide"] and checked["scrollWidth"] > 1280
    assert checked["sentences"][0] == checked["sentences"][1]
