"""The figures that are about all results of one folder."""

from __future__ import annotations

from . import pairs, which

SHARED = (which.WHICH, *pairs.DRAWINGS)
