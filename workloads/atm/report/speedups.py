"""Who is how much quicker than locks, beside what ASPLOS'19 printed."""

from __future__ import annotations

from finesync_results import published
from finesync_results.loading import Results
from finesync_results.markdown import Table, by_factor, three_digits
from finesync_results.points import Points, of, primitives, select, values

from .transfers import FULL_OCCUPANCY, LISTING_3, best, contenders, transfers

# Two locks for a transfer, whose data may be anything: what others are compared with.
LOCKS = (LISTING_3, "ttas_in_order", "ticket_in_order", "all_or_none")
# Table 4; the hardware that BOWS needs was simulated (the table's caption).
_BOWS = "BOWS, published (simulated GTX 1080 Ti)"


def speedup_tables(results: Results) -> list[Table]:
    """One, of accounts picked all alike, where Listing 3 and something else than locks were run."""
    points = select(transfers(results), skew="uniform")
    others = [name for name in primitives(points) if name not in LOCKS]
    if of(points, LISTING_3).empty or not others:
        return []
    factors = values(points, "collision_factor")
    here = {factor: select(points, collision_factor=factor) for factor in factors}
    full = {factor: contenders(own, results.gpu).get(FULL_OCCUPANCY, own[:0])
            for factor, own in here.items()}
    rows = {name: [" / ".join(_over(of(own, name), base)
                              for base in (full[factor], of(own, LISTING_3), of(own, *LOCKS)))
                   for factor, own in here.items()]
            for name in others}
    theirs = published.server_speedups(published.BANK)
    rows[f"servers, published ({published.gpu()})"] = [
        f"{theirs[factor]:.1f}x" if factor in theirs else "" for factor in factors]
    bows = published.speedups(published.BANK)["bows"]
    rows[_BOWS] = [f"{bows[factor]}x" if factor in bows else "" for factor in factors]
    return [Table(
        "asplos19-table4", f"Tables 3 and 4: speed-up over {FULL_OCCUPANCY} / over it at its best "
        f"grid / over the best lock at its best grid, on the {results.gpu_name}; published ones "
        "are over their own baselines:",
        by_factor("ATM-", factors, rows))]


def _over(points: Points, base: Points) -> str:
    """How many times less time a transfer takes; a dash where one of the two has no time."""
    quick, slow = best(points), best(base)
    if quick is None or slow is None:
        return "-"
    return f"{three_digits(slow['seconds_each'] / quick['seconds_each'])}x"
