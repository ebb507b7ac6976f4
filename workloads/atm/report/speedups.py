"""Who is how much quicker than locks, beside what ASPLOS'19 printed: figure 7, tables 3 and 4."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync_results import collisions, published
from finesync_results.figures import speedup
from finesync_results.figures.styles import Style
from finesync_results.loading import Results
from finesync_results.markdown import Table, by_factor, three_digits
from finesync_results.points import Points, median, of, primitives, select
from finesync_results.workload import Drawing

from .transfers import (BEST_GRID, BEST_LOCK, FULL_OCCUPANCY, LISTING_3, LOCKS, SERVERS, baselines,
                        transfers)

# Table 4; the hardware that BOWS needs was simulated (the table's caption).
_BOWS = "BOWS, published (simulated GTX 1080 Ti)"
_PANELS = speedup.Panels(
    labels={FULL_OCCUPANCY: "over Listing 3 at\nfull occupancy (x)",
            BEST_GRID: "over Listing 3 at\nits best grid (x)",
            BEST_LOCK: "over the best lock (x)"},
    others={FULL_OCCUPANCY: (BEST_GRID, BEST_LOCK), BEST_GRID: (BEST_LOCK,), BEST_LOCK: ()},
    styles={BEST_GRID: Style(BEST_GRID, "#b5b5b5", "o", "", "-"),
            BEST_LOCK: Style(BEST_LOCK, "#9ecae1", "d", "////", "-")},
    named=BEST_LOCK, full=FULL_OCCUPANCY)


def draw(results: Results) -> Figure | None:
    """Bars by number of accounts, a panel for each baseline."""
    points = select(transfers(results), skew="uniform")
    others = _others(points)
    if of(points, LISTING_3).empty or not others:
        return None
    groups = collisions.by_factor(points)
    return speedup.draw(
        results, _PANELS,
        {factor: baselines(here, results.gpu) for factor, here in groups.items()},
        {factor: {name: of(here, name) for name in others} for factor, here in groups.items()},
        "Bank transfers, speed-up over locks", "collision factor (accounts)", 3,
        published.server_speedups(published.BANK))


SPEEDUP = Drawing("speedup", "Listing 3, and something that is no lock", draw)


def speedup_tables(results: Results) -> list[Table]:
    """Of accounts picked all alike, where Listing 3 and something else than locks were run; lock
    transfers where they were timed."""
    points = select(transfers(results), skew="uniform")
    others = _others(points)
    if of(points, LISTING_3).empty or not others:
        return []
    groups = collisions.by_factor(points)
    bases = {factor: baselines(here, results.gpu) for factor, here in groups.items()}
    rows = {name: [" / ".join(_over(of(here, name), base) for base in bases[factor].values())
                   for factor, here in groups.items()] for name in others}
    theirs = published.server_speedups(published.BANK)
    rows[f"servers, published ({published.gpu()})"] = [
        f"{theirs[factor]:.1f}x" if factor in theirs else "" for factor in groups]
    bows = published.speedups(published.BANK)["bows"]
    rows[_BOWS] = [f"{bows[factor]}x" if factor in bows else "" for factor in groups]
    tables = [Table(
        "asplos19-table4", f"Tables 3 and 4: speed-up over {FULL_OCCUPANCY} / over it at its best "
        f"grid / over the best lock at its best grid, on the {results.gpu_name}; published ones "
        "are over their own baselines:",
        by_factor("ATM-", list(groups), rows))]
    if points["lock_transfer_cycles"].notna().any():
        tables.append(_latencies(results, groups, bases))
    return tables


def _latencies(results: Results, groups: dict[int, Points],
               bases: dict[int, dict[str, Points]]) -> Table:
    theirs = published.latency(published.BANK)
    rows = {name: [_latency(bases[factor][name], bases[factor]) for factor in groups]
            for name in (FULL_OCCUPANCY, BEST_GRID, BEST_LOCK)}
    for server in SERVERS:
        if any(not of(here, server).empty for here in groups.values()):
            rows[server] = [_latency(of(here, server), bases[factor])
                            for factor, here in groups.items()]
    for whose, time in (("baseline", lambda entry: 1.0),
                        ("server", lambda entry: entry["run_time_normalised"])):
        rows[f"{whose}, published ({published.gpu()})"] = [
            f"{theirs[factor][whose]:,} / {time(theirs[factor]):.2f}" if factor in theirs else ""
            for factor in groups]
    return Table(
        "asplos19-table3", f"Table 3: lock-transfer latency in cycles / run time over that of "
        f"{FULL_OCCUPANCY} / over that of {BEST_GRID}, on the {results.gpu_name}; published ones "
        "are over their own baseline:",
        by_factor("accounts", list(groups), rows))


def _latency(own: Points, bases: dict[str, Points]) -> str:
    best = collisions.best(own)
    if best is None:
        return "-"
    cycles = median(best, "lock_transfer_cycles")
    return " / ".join([f"{cycles:,.0f}" if cycles else "-",
                       *(_ratio(bases[name], own) for name in (FULL_OCCUPANCY, BEST_GRID))])


def _others(points: Points) -> list[str]:
    return [name for name in primitives(points) if name not in LOCKS]


def _over(points: Points, base: Points) -> str:
    """How many times less time a transfer takes; a dash where one of the two has no time."""
    found = _ratio(points, base)
    return found if found == "-" else f"{found}x"


def _ratio(points: Points, base: Points) -> str:
    found = collisions.ratio(points, base)
    return "-" if isinstance(found, str) else three_digits(found.median)
