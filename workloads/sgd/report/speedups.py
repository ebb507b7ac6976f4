"""ASPLOS'19 figure 7, gradient descent: who is how much quicker than locks."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure

from finesync_results import collisions
from finesync_results.claims import verdict
from finesync_results.figures import speedup
from finesync_results.figures.styles import Style
from finesync_results.loading import Results
from finesync_results.markdown import Table, by_name, three_digits
from finesync_results.points import Points, Spread, of, primitives, select, values
from finesync_results.workload import Claim, Drawing

from .epochs import SERVERS, locks, single

LISTING_3 = "listing3"
BEST_GRID, BEST_LOCK = "Listing 3 at its best grid", "the best lock"
_PANELS = speedup.Panels(
    labels={BEST_GRID: "over Listing 3 at\nits best grid (x)",
            BEST_LOCK: "over the best lock (x)"},
    others={BEST_GRID: (BEST_LOCK,), BEST_LOCK: ()},
    styles={BEST_LOCK: Style(BEST_LOCK, "#9ecae1", "d", "////", "-")},
    named=BEST_LOCK)


def baselines(points: Points) -> dict[str, Points]:
    """The points of each baseline; it is the best of them."""
    return {BEST_GRID: of(points, LISTING_3), BEST_LOCK: of(points, *locks(points))}


def draw(results: Results) -> Figure | None:
    """Bars by input, a panel for each baseline."""
    points = single(results)
    others = _others(points)
    groups = {name: select(points, input=name) for name in values(points, "input")}
    if not groups or not others or not locks(points):
        return None
    return speedup.draw(results, _PANELS,
                        {name: baselines(own) for name, own in groups.items()},
                        {name: {who: of(own, who) for who in others}
                         for name, own in groups.items()},
                        "Matrix factorisation, speed-up over locks", "input", 3)


def speedup_tables(results: Results) -> list[Table]:
    """One, where something that is no lock was run beside locks."""
    points = single(results)
    others = _others(points)
    inputs = values(points, "input")
    if not inputs or not others or not locks(points):
        return []
    here = [select(points, input=name) for name in inputs]
    return [Table(
        "asplos19-figure7", f"Figure 7: speed-up over {BEST_GRID} / over {BEST_LOCK} at its best "
        f"grid, on the {results.gpu_name}; the published bars have no numbers:",
        by_name("SGD-", inputs, {
            who: [" / ".join(_over(of(own, who), base) for base in baselines(own).values())
                  for own in here] for who in others}))]


def _others(points: Points) -> list[str]:
    return [name for name in primitives(points) if name not in locks(points)]


def _over(points: Points, base: Points) -> str:
    found = collisions.ratio(points, base)
    return "-" if isinstance(found, str) else f"{three_digits(found.median)}x"


def claims_of(recorded: Mapping[str, Results]) -> list[Claim]:
    """That of section 5.1, about servers."""
    if "sgd_gpu" not in recorded:
        return []
    points = single(recorded["sgd_gpu"])
    here = {name: select(points, input=name) for name in values(points, "input")}
    gains = {name: found for name, own in here.items() if isinstance(
        found := collisions.ratio(of(own, SERVERS), of(own, LISTING_3)), Spread)}
    return [Claim("gradient descent gains by servers on each input", "figure 7", verdict(
        [gain.median > 1 for gain in gains.values()],
        ", ".join(f"{three_digits(gain.median)}x over Listing 3 at its best grid, "
                  f"{_over(of(here[name], SERVERS), of(here[name], *locks(points)))} over the "
                  f"best lock ({name})" for name, gain in gains.items())))]


SPEEDUP = Drawing("speedup", "a lock, and something that is no lock", draw)
