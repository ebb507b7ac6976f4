"""The figures of all results of one folder."""

from __future__ import annotations

from . import asplos19_figures, fastest_chart

SHARED = (fastest_chart.WHICH, *asplos19_figures.DRAWINGS)
