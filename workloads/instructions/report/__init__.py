"""`instructions`: what single instructions cost (docs/suite/instructions.md, docs/library/fences.md)."""

from finesync.query.tables import Table
from finesync.results.loading import Results
from finesync.results.workload import Workload

from . import fences, prices


def tables(results: Results) -> list[Table]:
    """The price list, and the cost of fences by what came before."""
    return [*prices.tables(results), *fences.tables(results)]


WORKLOAD = Workload(
    program="instructions",
    operation="instruction",
    families={"instructions": "instruction", "fences": "fence"},
    small_run="--space global,shared,other-block --scope block,cluster,device --stride 0,4 --rounds 2 "
              "--access load,store,addition --accessor same-thread,other-warp --threads-per-block 64",
    figures={"gpu": (fences.CYCLES,)},
    tables={"gpu": tables},
)
