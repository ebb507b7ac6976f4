"""The inputs that can be fetched (inputs/sources.json)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from finesync.results import schemas
from finesync.results.errors import UserError
from finesync.results.json_files import read_json


@dataclass(frozen=True)
class Source:
    """One input. Without a `url` it is not available, and `not_to_be_had` says why."""

    name: str
    what: str
    entries: list[int]  # lines of the file without its header; several: the owners count in two ways
    licence: str
    url: Optional[str] = None
    checksum: Optional[str] = None  # of what is downloaded: "md5:..." or "sha256:..."
    mebibytes: Optional[float] = None  # of what is downloaded, to the hundredth
    member: Optional[str] = None  # the file in the archive; none: the download is the file
    not_to_be_had: Optional[str] = None

    @property
    def file_name(self) -> str:
        name = Path(self.member or self.url or self.name).name
        return name if self.packed is None else name.removesuffix(self.packed)

    @property
    def packed(self) -> Optional[str]:
        """The suffix of a compressed single file."""
        suffix = Path(self.url or "").suffix
        return suffix if self.member is None and suffix in (".gz", ".xz") else None


class FetchError(UserError):
    """A failed or wrong download; trying again may help."""


def load_sources(path: Path) -> dict[str, Source]:
    """All sources by name, in the order of the file."""
    document = read_json(path)
    schemas.check(path, document, "sources")
    return {each["name"]: Source(**each) for each in document["sources"]}


def chosen(sources: dict[str, Source], names: list[str]) -> list[Source]:
    """The sources with these names; a UserError for one that is unknown or not available."""
    for name in names:
        if name not in sources:
            raise UserError(f"there is no input {name!r} (known: {', '.join(sources)})")
        if sources[name].url is None:
            raise UserError(f"{name} cannot be downloaded: {sources[name].not_to_be_had}")
    return [sources[name] for name in names]
