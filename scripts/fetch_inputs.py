#!/usr/bin/env python3
"""Fetches inputs that finesync may not ship, checks them and unpacks them.

Each becomes OUT/NAME/FILE, which the programs read directly. A stopped download continues. The
script prints the licence of an input before it fetches it: it is between its owner and you.

examples:
  scripts/fetch_inputs.py --list
  scripts/fetch_inputs.py movielens-10m reuters

exit status: 0 all requested inputs are here; 1 a download failed or its contents are wrong; 2 bad
usage, or an input that is not available; 130 stopped by Ctrl-C.
"""

from finesync import script  # first

import argparse
from pathlib import Path


ROOT = Path(__file__).resolve().parent.parent


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = script.Parser(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="what to fetch, see --list")
    parser.add_argument("--list", action="store_true", help="what there is, and what is here")
    parser.add_argument("--out", type=Path, default=ROOT / "inputs" / "fetched", metavar="DIR",
                        help="where to (default: inputs/fetched)")
    parser.add_argument("--sources", type=Path, default=ROOT / "inputs" / "sources.json",
                        metavar="FILE", help="what there is (default: inputs/sources.json)")
    options = parser.parse_args(arguments)
    if not options.names and not options.list:
        parser.error("name what to fetch, or say --list")
    return options


script.answer_first(parse)

from finesync_inputs.download import check, download
from finesync_inputs.sources import FetchError, Source, chosen, load_sources
from finesync_inputs.unpack import count_entries, unpack


def place_of(source: Source, out: Path) -> Path:
    """The path of the file, whether it exists or not."""
    return out / source.name / source.file_name


def state_of(source: Source, out: Path) -> str:
    """Whether an input is here, can be fetched, or is not available."""
    if source.url is None:
        return "cannot be downloaded"
    return "here" if place_of(source, out).exists() else "to be fetched"


def checked(source: Source, part: Path, new: Path) -> int:
    """Makes `new` from the download and returns its number of entries. A FetchError unless both are as expected."""
    check(source, part)
    if source.member is None and source.packed is None:
        part.replace(new)
    else:
        unpack(source, part, new)
    entries = count_entries(new)
    if entries not in source.entries:
        raise FetchError(f"{source.name}: the file has {entries:,} entries, and should have "
                         f"{source.entries[0]:,}")
    return entries


def fetch(source: Source, out: Path) -> None:
    """Puts the file of a source in its place, complete and checked, or not at all."""
    file = place_of(source, out)
    if file.exists():
        print(f"{source.name}: {file} is here already")
        return
    assert source.url is not None
    print(f"{source.name}: {source.what}\n  licence: {source.licence}\n  from {source.url}", flush=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.parent / f"{Path(source.url).name}.part"
    new = file.with_name(f"{file.name}.new")
    download(source.url, part)
    try:
        entries = checked(source, part, new)
    except FetchError as error:
        new.unlink(missing_ok=True)
        raise FetchError(f"{error}; removed, run it again") from None
    else:
        new.replace(file)
    finally:
        part.unlink(missing_ok=True)
    print(f"  {file}, {entries:,} entries")


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    try:
        sources = load_sources(options.sources)
        if options.list:
            for each in sources.values():
                print(f"{each.name:<15} {state_of(each, options.out):<14} {each.entries[0]:>11,} "
                      f"entries  {each.what}; licence: {each.licence}")
        for each in chosen(sources, options.names):
            fetch(each, options.out)
    except FetchError as error:
        script.complain(error)
        return 1
    return 0


if __name__ == "__main__":
    script.run(main, "stopped; run it again to go on")
