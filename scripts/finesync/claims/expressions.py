"""The expressions of the ledger, evaluated over recorded rows.

    {"ratio": [{"time": "lock"}, {"time": "server"}]}

A leaf names a quantity (quantities.py) and the role whose primitive has it, and may narrow the rows
by `where`. A string is the path of a published number.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..query import numbers
from ..query.numbers import Missing, Spread
from ..query.selection import Selection
from ..results.recorded import Recorded
from . import operating_point, quantities
from .ledger import Axes, Case, Expression, constant
from .operating_point import BASELINE, OperatingPoint

_OF_PAIRS: Mapping[str, Callable[[Spread, Spread], Spread]] = {
    "ratio": Spread.over, "saved": Spread.saved_by, "difference": Spread.minus}
_OF_LISTS: Mapping[str, Callable[[Sequence[Spread]], Spread]] = {
    "product": numbers.product, "greatest": numbers.greatest}
_OVER: Mapping[str, Callable[[Sequence[Spread]], Spread]] = {
    "mean": numbers.mean, "geometric_mean": numbers.geometric_mean, "most_over_least": numbers.most_over_least}
_RATIOS = ("most_over_least",)
# The value of an expression with the locks where they stood in the paper.
_AS_PUBLISHED = "at_published_latency"
OPERATIONS = (*_OF_PAIRS, *_OF_LISTS, *_OVER, "correlation", "overtakes", _AS_PUBLISHED)

# What an expression is about: a case, or several that are named.
Cases = Callable[[Any], Sequence[Case]]


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """Expressions of one case; `ours` in place of the printed forms. `group` gives the cases of a group of pairs.
    `launch`: axes that fix the launch of the locks."""

    recorded: Recorded
    case: Case
    group: Cases
    ours: bool = False
    launch: Axes = dataclasses.field(default_factory=dict)

    def value(self, expression: Expression) -> Spread:
        """The value; Missing says why there is none."""
        if isinstance(expression, (int, float, str)):
            return numbers.exactly(constant(expression))
        for name, combine in _OF_PAIRS.items():
            if name in expression:
                return combine(*numbers.of_one_card([self.value(one) for one in expression[name]]))
        for name, several in _OF_LISTS.items():
            if name in expression:
                return several([self.value(one) for one in expression[name]])
        for name, over in _OVER.items():
            if name in expression:
                values = [own.value(expression[name]) for own in self._places(expression)]
                return over(numbers.of_one_card(values) if name in _RATIOS else values)
        if "overtakes" in expression:
            points, missing = self.series(expression["overtakes"], expression["over"])
            if len(points) < 2:
                raise missing[0]
            return numbers.overtaking(points)
        if "correlation" in expression:
            places = list(self._places(expression))
            return numbers.correlation(*([own.value(one) for own in places] for one in expression["correlation"]))
        if _AS_PUBLISHED in expression:
            launch = self.operating_point().launch["axes"]
            return dataclasses.replace(self, launch=launch).value(expression[_AS_PUBLISHED])
        return self._leaf(expression)

    def operating_point(self) -> OperatingPoint:
        """Where the locks stood in the paper; Missing says why that cannot be told."""
        return operating_point.of_pair(self.case.name, self.recorded, self._selection(BASELINE, {}))

    def series(self, expression: Expression, over: Mapping[str, list[Any]]
               ) -> tuple[list[tuple[float, Spread]], list[Missing]]:
        """The values over an axis, and why points are missing. Bounds are no points of a series."""
        ((axis, steps),) = over.items()
        found, missing = [], []
        for step in steps:
            try:
                value = self._at({axis: step}).value(expression)
                if value.bound and not value.stand_in:
                    raise Missing(value.because)
                found.append((float(step), value))
            except Missing as why:
                missing.append(why)
        try:
            numbers.of_one_card([value for _, value in found])
        except Missing as why:
            return [], [why]
        return found, missing

    def _places(self, expression: Mapping[str, Any]) -> Iterator[Evaluation]:
        """The evaluations of each combination of axes, or of each case of a group."""
        over = expression["over"]
        if isinstance(over, Mapping):
            yield from (self._at(dict(zip(over, chosen))) for chosen in itertools.product(*over.values()))
        else:
            yield from (dataclasses.replace(self, case=case) for case in self.group(over))

    def _at(self, where: Mapping[str, Any]) -> Evaluation:
        case = dataclasses.replace(self.case, where={**self.case.where, **where})
        return dataclasses.replace(self, case=case)

    def _leaf(self, expression: Mapping[str, Any]) -> Spread:
        name, role = _quantity(expression)
        return quantities.read(name, self.recorded, self._selection(role, expression.get("where", {})))

    def _selection(self, role: str, narrowed: Axes) -> Selection:
        """The rows of a role, at some more axes than the case's."""
        printed = self.case.forms[role]
        form = self.case.ours.get(role, printed) if self.ours else printed
        launch = self.launch if role == BASELINE else {}
        where = self.case.axes({**self.case.where, **launch, **narrowed})
        compared = "" if role in self.case.own_grids else role
        return Selection(self.case.program, form, self.case.usual, where, compared)


def roles_of(expression: Expression) -> set[str]:
    """The roles that an expression names."""
    return {_quantity(leaf)[1] for leaf in leaves(expression)}


def quantities_of(expression: Expression) -> set[str]:
    """The quantities that an expression names."""
    return {_quantity(leaf)[0] for leaf in leaves(expression)}


def leaves(expression: Expression) -> Iterator[Mapping[str, Any]]:
    """The quantities of an expression, each with its role."""
    if not isinstance(expression, Mapping):
        return
    operation = next((name for name in OPERATIONS if name in expression), None)
    if operation is None:
        yield expression
        return
    inner = expression[operation]
    for one in inner if isinstance(inner, list) else [inner]:
        yield from leaves(one)


def _quantity(leaf: Mapping[str, Any]) -> tuple[str, str]:
    """The name of a leaf's quantity, and the role."""
    ((name, role),) = ((key, leaf[key]) for key in leaf if key != "where")
    return name, role
