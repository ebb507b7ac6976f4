"""One point of a sweep: a process with a time-out, and the results file that it leaves.

However the process ends, the point gets a row for every requested combination: the rows that the
program reported, and an `error` row with the reason for each missing one. If an error has left the GPU
unusable for the process, another one runs the combinations that have no row yet.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from ..results import schemas
from ..results.errors import UserError
from ..results.json_files import read_json
from ..results.partial_file import read_partial
from .plan import MACHINES, PlannedPoint, Value
from .store import Store, digest

# A killed sweep must not leave a running benchmark that disturbs the next sweep.
DIE_WITH_SWEEP = ("setpriv", "--pdeathsig", "KILL") if shutil.which("setpriv") else ()
_END_OF_MPI_S = 5.0
_GPU_IS_LOST = 3  # the exit status of a program that cannot go on after an error


def mpirun() -> list[str]:
    """The words that start processes with MPI, before their number."""
    return shlex.split(os.environ.get("FINESYNC_MPIRUN", "mpirun -np"))


@dataclass
class RunningPoint:
    """A started process, or several in a row; `poll` until it returns True, then `finish` once."""

    point: PlannedPoint
    program: Path
    machine: str
    store: Store
    started: float = field(default_factory=time.monotonic)
    timed_out: bool = False
    earlier: dict[str, Any] | None = None  # the results of processes that lost the GPU

    def __post_init__(self) -> None:
        self.output = self.store.program_output(self.point)
        self.program_sha256 = digest(self.program)
        self._start()

    def _start(self) -> None:
        self._discard_output()
        self.log: IO[bytes] = tempfile.TemporaryFile()
        self.process_started = time.monotonic()
        by_mpi = [*mpirun(), str(self.point.processes)] if self.point.processes else []
        names = dict.fromkeys(map(_asked_name, self.earlier["benchmarks"])) if self.earlier else ()
        without = [f"--benchmark_filter=-^({'|'.join(names)})$"] if names else []
        self.process = subprocess.Popen(
            [*DIE_WITH_SWEEP, *by_mpi, str(self.program), *self.point.command()[1:], *without,
             f"--benchmark_out={self.output}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log,
            start_new_session=True)

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def poll(self) -> bool:
        """Whether the last process has ended; ends it when its time is over."""
        if self.process.poll() is not None:
            return not self._goes_on()
        if time.monotonic() - self.process_started > self.point.timeout_s:
            self.timed_out = True
            self.kill()
            return True
        return False

    def _goes_on(self) -> bool:
        """Starts another process if this one could not go on, but has some rows."""
        document = self._read_output()[0] if self.process.returncode == _GPU_IS_LOST else None
        if not (document and document["benchmarks"]):
            return False
        self.earlier = self._with_earlier(document)
        self.log.close()
        self._start()
        return True

    def _with_earlier(self, document: dict[str, Any] | None) -> dict[str, Any] | None:
        rows = self.earlier["benchmarks"] if self.earlier else []
        return {**document, "benchmarks": rows + document["benchmarks"]} if document else self.earlier

    def kill(self) -> None:
        """Ends the process and all that it started."""
        if self.point.processes:
            # MPI's processes are in groups of their own. It ends them, if it is asked.
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(_END_OF_MPI_S)
                return
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def abandon(self) -> None:
        """Ends the process and forgets what it wrote."""
        self.kill()
        self._discard_output()
        self.log.close()

    def finish(self) -> dict[str, Any]:
        """The point's results, ready to be kept."""
        elapsed = self.elapsed
        document, trouble = self._read_output()
        reason = self._reason(trouble)
        wanted = MACHINES[self.machine]
        if document and document["context"]["finesync"]["machine"] != wanted:
            actual = document["context"]["finesync"]["machine"]
            document, reason = None, f"it ran on the {actual}, the plan wants the {wanted}"
        document = self._with_earlier(document) or _empty_document(self.point, wanted)
        rows = document["benchmarks"]
        rows += [error_row(self.point, combination, reason)
                 for combination in self.point.combinations()
                 if not any(_matches(row, self.point, combination) for row in rows)]
        document["context"]["sweep"] = {
            "command": self.point.command(),
            "program_sha256": self.program_sha256,
            "elapsed_s": round(elapsed, 3),
        }
        self._discard_output()
        self.log.close()
        return document

    def _reason(self, trouble: str) -> str:
        if self.timed_out:
            return f"timed out after {self.point.timeout_s:g} s"
        code = self.process.returncode
        if code < 0:
            return f"killed by {signal.Signals(-code).name}"
        if trouble and code == 0:
            return trouble
        self.log.seek(0)
        lines = self.log.read().decode("utf-8", "replace").strip().splitlines()
        last = f": {lines[-1].strip()[:300]}" if lines else ""
        return f"{trouble or 'no row in its results'} (exit status {code}{last})"

    def _read_output(self) -> tuple[dict[str, Any] | None, str]:
        """The results file, or the reason why it is not one."""
        trouble = ""
        for path, read in ((self.output, read_json), (self._partial(), read_partial)):
            if not path.exists():
                continue
            try:
                return schemas.read_results(path, read), ""
            except UserError as error:
                trouble = trouble or str(error).removeprefix(f"{path}: ")
        return None, trouble

    def _partial(self) -> Path:
        return self.output.with_name(self.output.name + ".partial")

    def _discard_output(self) -> None:
        self.output.unlink(missing_ok=True)
        self._partial().unlink(missing_ok=True)


def _asked_name(row: dict[str, Any]) -> str:
    """A row's point as a program lists it: without the axes that it chose."""
    chosen = row.get("tuned", {}).get("axes", {})
    return "/".join(part for part in row["run_name"].split("/") if part.split(":")[0] not in chosen)


def _matches(row: dict[str, Any], point: PlannedPoint, combination: dict[str, Value]) -> bool:
    # A candidate that failed while tuning also has a row, but was not requested.
    if point.tune and "tuned" not in row:
        return False
    axes = {**row.get("axes", {}), "primitive": row.get("primitive")}
    # An axis that the row lacks is one that its primitive does not have.
    return all(str(axes.get(axis.replace("-", "_"), value)) == str(value) for axis, value in combination.items())


def _empty_document(point: PlannedPoint, machine: str) -> dict[str, Any]:
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    ours = {"schema_version": schemas.RESULTS_VERSION, "program": point.program, "machine": machine}
    return {"context": {"date": now, "finesync": ours}, "benchmarks": []}


def error_row(point: PlannedPoint, combination: dict[str, Value], reason: str) -> dict[str, Any]:
    """The row of a combination that has none from its process."""
    # A program writes NAME/SIZE with a dash.
    axes = {axis.replace("-", "_"): str(value).replace("/", "-") if "/" in str(value) else value
            for axis, value in {**point.options, **combination}.items()}
    primitive = str(axes.pop("primitive", ""))
    name = "/".join([point.program, primitive, *(f"{key}:{axes[key]}" for key in axes)])
    tuned = {"tuned": {"axes": {}, "candidates_tried": 0}} if point.tune else {}
    return {
        "name": name, "run_name": name, "run_type": "iteration",
        "repetitions": point.repetitions, "repetition_index": 0,
        "error_occurred": True, "error_message": reason,
        "primitive": primitive, "axes": axes, "status": "error", "reason": reason,
        **tuned,
    }
