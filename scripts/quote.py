#!/usr/bin/python3
"""Brings the tables that README and docs quote up to date with the recorded runs.

A quote stands between the markers that finesync_results/quotes.py describes. Prints the documents
that it rewrites and the runs that are quoted and not recorded, whose quotes it leaves alone.

exit status: 0 all that is recorded is quoted as it is; 2 a quote of what the report does not say.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from finesync_results.errors import UserError
from finesync_results.quotes import Recorded, quotes, renewed

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(
        prog="quote.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args(arguments)
    recorded = Recorded(ROOT / "results")
    missing: dict[str, None] = {}
    for document in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = document.read_text(encoding="utf-8")
        try:
            new = renewed(text, recorded)
        except UserError as error:
            print(f"quote: {document}: {error}", file=sys.stderr)
            return 2
        missing |= dict.fromkeys(name for name, _ in quotes(text) if not recorded.has(name))
        if new != text:
            document.write_text(new, encoding="utf-8")
            print(document)
    for name in missing:
        print(f"not recorded: {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
