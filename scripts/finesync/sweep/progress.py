"""Progress of a sweep: one live line on a terminal, one line per point elsewhere."""

from __future__ import annotations

import shutil
import sys
import time

_BAR = 24


def duration(seconds: float) -> str:
    """A duration in words: 4.2 s, 3 min 05 s, 2 h 10 min."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


class Progress:
    """Counts finished points and estimates the remaining time from them."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.started = time.monotonic()
        self.live = sys.stdout.isatty()
        self.drawn = 0.0

    def tick(self, running: list[str]) -> None:
        """Redraws the live line, a few times a second."""
        now = time.monotonic()
        if not self.live or now - self.drawn < 0.2:
            return
        self.drawn = now
        filled = _BAR * self.done // self.total
        bar = "#" * filled + "-" * (_BAR - filled)
        line = f"[{bar}] {self.done}/{self.total}{self._eta()}  {' '.join(running)}"
        print(f"\r\033[K{line[:shutil.get_terminal_size().columns - 1]}", end="", flush=True)

    def finished(self, name: str, outcome: str, elapsed: float) -> None:
        """Notes a finished point; on a terminal only the unusual ones leave a line."""
        self.done += 1
        if not self.live:
            print(f"[{self.done}/{self.total}] {name}: {outcome}, {duration(elapsed)}{self._eta()}", flush=True)
        elif outcome != "ok":
            self.say(f"{name}: {outcome}")

    def say(self, line: str) -> None:
        """Prints a permanent line."""
        print(f"\r\033[K{line}" if self.live else line, flush=True)
        self.drawn = 0.0

    def clear(self) -> None:
        if self.live:
            print("\r\033[K", end="", flush=True)

    def _eta(self) -> str:
        left = self.total - self.done
        if self.done == 0 or left == 0:
            return ""
        return f", {duration((time.monotonic() - self.started) / self.done * left)} left"
