"""What is reported of rules that are compared over one partition, on groups of designs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple
from typing import Final, Protocol, TypeAlias

import numpy as np

from thetahat.values.types import FloatArray
from thetahat_replications.edges.table import Table, TableRow
from thetahat_replications.one_partition.designs import (
    CHOOSING,
    CHOOSING_TAILS,
    UNSEEN,
    DrawnPopulation,
)
from thetahat_replications.one_partition.measures import (
    OF_SERIES,
    SUMMARY_COLUMNS,
    Measures,
    measure_interval,
    summarise,
)
from thetahat_replications.one_partition.simulation import LossSeries, simulate

SETS: Final = {"choosing": (*CHOOSING, *CHOOSING_TAILS), "unseen": UNSEEN}


class IntervalRule(Protocol):
    """An interval by name."""

    @property
    def name(self) -> str:
        """As the tables name it."""
        ...

    def build_ends(self, series: LossSeries) -> tuple[FloatArray, FloatArray]:
        """Return the (R,) ends."""
        ...


ON_GROUPS: Final = """
*Heavy* are the designs with a noise whose squares have no variance or a huge one (t with 3 and 4
degrees, log-normal, Pareto, Weibull). *Drop* is the mean of today's coverage less the rule's over
the designs, *most* its largest value. Target, *length* and *power* are those of the other pages.
{repetitions} samples of each design, so that the coverage of one design has a standard error of
{error:.3f}, and all rules have the same samples.
"""
Compared: TypeAlias = tuple[Sequence[DrawnPopulation], Sequence[IntervalRule]]
"""Designs, and the rules that are compared on them; the first is that of today."""


def compare(
    title: str, about: str, compared: Compared, drawn: tuple[int, int], *, by_rows: bool
) -> Table:
    """Return coverage, length and power of rules over groups of designs.

    ``drawn`` are the repetitions and the seed; heavy designs may be grouped by their rows.
    """
    by_group: dict[tuple[str, str], list[list[Measures]]] = {}
    for of, group, measured in _measure(compared, *drawn, by_rows=by_rows):
        by_group.setdefault((of, group), []).append(measured)
    rows: list[TableRow] = []
    for (of, group), of_designs in sorted(by_group.items(), key=_order):
        before = np.array([measured[0].coverage for measured in of_designs])
        for place, rule in enumerate(compared[1]):
            of_rule = [measured[place] for measured in of_designs]
            drop = before - [m.coverage for m in of_rule]
            measures = (*astuple(summarise(of_rule)), float(drop.mean()), float(drop.max()))
            rows.append((of, group, rule.name, len(of_designs), *measures))
    return Table(
        title=title,
        about=about,
        columns=("of", "designs of", "rule", *SUMMARY_COLUMNS[2:], "drop", "most"),
        rows=tuple(rows),
    )


def _measure(
    compared: Compared, repetitions: int, seed: int, *, by_rows: bool
) -> Iterator[tuple[str, str, list[Measures]]]:
    """Yield what each rule reaches, with the kind of series and the groups that it counts in."""
    kinds = {is_difference: of for of, is_difference in OF_SERIES.items()}
    populations, rules = compared
    for population in populations:
        for series in simulate(population, repetitions, seed):
            measured = [measure_interval(series.moments, rule.build_ends(series)) for rule in rules]
            n, loss = series.place[1], series.place[3]
            if population.is_heavy:
                yield (
                    kinds[series.is_difference],
                    f"heavy, {n} rows" if by_rows else "heavy",
                    measured,
                )
            else:
                yield kinds[series.is_difference], "ordinary", measured
                yield kinds[series.is_difference], f"ordinary, {loss} losses", measured


def _order(group: tuple[tuple[str, str], list[list[Measures]]]) -> tuple[bool, bool, int, str]:
    (of, name), _ = group
    heavy = name.startswith("heavy")
    digits = "".join(c for c in name.partition(",")[2] if c.isdigit()) if heavy else ""
    return OF_SERIES[of], heavy, int(digits or 0), name
