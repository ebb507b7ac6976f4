"""scripts/dev/corrupt.py, with a program that says where it accesses memory and its own addr2line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import corrupt
import pytest
from scratch import executable

# Of two places, one has too few stores and the other too few loads; an exchange has no effect.
PROGRAM = f"""#!{sys.executable}
import json, os, sys
given = dict(word[2:].split("=", 1) for word in sys.argv[1:] if "=" in word)
asked, how = given["primitive"], os.environ.get("FINESYNC_CORRUPT", "")
if how == "list":
    for place in ("0x11 30 writes 20 plain loads 9 stores", "0x21 10 writes 9 plain loads 10 stores"):
        print("finesync: place", place, file=sys.stderr)
print("finesync:", 0 if how.startswith("swap") else 3, "accesses went wrong", file=sys.stderr)
ended = [("first", "ok"), ("first", "skipped"), ("bad", "ok"), ("bad", "wrong"), ("last", "ok")]
rows = [{{"name": one, "primitive": one, "status": word, "real_time": len(how), "found": how == "stale:0x11"}}
        for one, word in ended if asked in ("all", one)]
open(given["benchmark_out"], "w").write(json.dumps({{"benchmarks": rows}}))
sys.exit(sys.argv[1:3] != ["--words", "7"] or how == "drop:0x11")
"""
LINES = {"0x10": "workloads/a.cuh:2", "0x20": "workloads/a.cuh:1"}


@pytest.mark.parametrize(("harmless", "status"), [("this line", 1), ("line", 0), ("no line", 1)])
def test_what_is_neither_noticed_nor_harmless_passes_and_is_named(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
        harmless: str, status: int) -> None:
    finder = "import sys\nfor line in sys.stdin:\n    print(line.strip(), '/x/src/executor/simt/cell.h:5', '/x/' + " \
        f"{LINES}[line.strip()], sep='\\n')\n"
    for name, text in (("program", PROGRAM), ("addr2line", f"#!{sys.executable}\n{finder}")):
        executable(tmp_path / name, text)
    for name in ("tests/suite/verifiers", "workloads"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "workloads" / "a.cuh").write_text("this line\n that line\n", encoding="utf-8")
    (tmp_path / "tests" / "suite" / "verifiers" / "harmless.json").write_text(json.dumps(
        {"workloads/a.cuh": {harmless: "drop stale: why"}}), encoding="utf-8")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(corrupt, "ROOT", tmp_path)
    monkeypatch.setattr(corrupt, "workloads", lambda: {
        name: SimpleNamespace(program=name, small_run="--words 7") for name in ("program", "other")})
    assert corrupt.main(["--programs", str(tmp_path), "--only", "program"]) == status
    passes = ["program first: stale workloads/a.cuh:2 passes: that line [other found]"] * (harmless != "line") \
        + ["program first: drop workloads/a.cuh:1 passes: this line "] * (harmless == "no line")
    harmed = 2 - len(passes)
    assert capsys.readouterr().out.splitlines() == passes + [
        f"program: of 3 places and ways with an effect 1 were noticed, {harmed} are harmless, {len(passes)} pass"]
    with pytest.raises(corrupt.UserError, match="other; build the host preset first"):
        corrupt.main(["--programs", str(tmp_path)])
    assert corrupt.parse([]).programs == Path("build/host/bin")
