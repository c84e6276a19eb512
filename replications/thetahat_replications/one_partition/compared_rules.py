"""What is reported of rules that are compared over one partition, on groups of designs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple
from typing import Final, Protocol, TypeAlias

import numpy as np

from thetahat.values.types import BoolArray, FloatArray
from thetahat_replications.edges.table import Table, TableRow
from thetahat_replications.one_partition.designs import DrawnPopulation
from thetahat_replications.one_partition.measures import (
    OF_SERIES,
    SUMMARY_COLUMNS,
    Measures,
    measure_interval,
    summarise,
)
from thetahat_replications.one_partition.simulation import LossSeries, simulate


class IntervalRule(Protocol):
    """An interval by name."""

    @property
    def name(self) -> str:
        """As the tables name it."""
        ...

    def build_ends(self, series: LossSeries) -> tuple[FloatArray, FloatArray]:
        """Return the (R,) ends."""
        ...

    def find_warned(self, series: LossSeries) -> BoolArray:
        """Return in which of the R samples a caution says that losses or folds are unusual."""
        ...


MORE_COLUMNS: Final = ("drop", "most", "below .85", "warned")
LOW: Final = 0.85
"""Coverage below which few designs should fall."""
ON_GROUPS: Final = """
*Heavy* are the designs with a noise whose squares have no variance or a huge one (t with 4
degrees or fewer, log-normal, Pareto, Weibull, inverse gamma). *Drop* is the mean of today's
coverage less the rule's over the designs, and *most* its largest value. Target, *length* and
*power* are those of the other pages. {repetitions} samples of each design, so that the coverage of
one design has a standard error of {error:.3f}, and all rules have the same samples.
"""
WarnedMeasures: TypeAlias = tuple[Measures, float]
"""What a rule reaches, with the share of the samples in which there is a caution."""
Compared: TypeAlias = tuple[Sequence[DrawnPopulation], Sequence[IntervalRule]]
"""Designs, and the rules that are compared on them; the first is that of today."""


def compare(title: str, about: str, compared: Compared, drawn: tuple[int, int]) -> Table:
    """Return coverage, length and power of rules over groups of designs.

    ``drawn`` are the repetitions and the seed.
    """
    by_group: dict[tuple[str, str], list[list[WarnedMeasures]]] = {}
    for of, group, measured in _measure(compared, *drawn):
        by_group.setdefault((of, group), []).append(measured)
    rows: list[TableRow] = []
    for (of, group), of_designs in sorted(by_group.items(), key=_order):
        before = np.array([measured[0][0].coverage for measured in of_designs])
        for place, rule in enumerate(compared[1]):
            of_rule = [measured[place][0] for measured in of_designs]
            drop = before - np.array([m.coverage for m in of_rule])
            warned = float(np.mean([measured[place][1] for measured in of_designs]))
            measures = (*astuple(summarise(of_rule)), float(drop.mean()), float(drop.max()))
            low = float(np.mean([m.coverage < LOW for m in of_rule]))
            rows.append((of, group, rule.name, len(of_designs), *measures, low, warned))
    return Table(
        title=title,
        about=about,
        columns=(
            "of",
            "designs of",
            "rule",
            *SUMMARY_COLUMNS[2:],
            "drop",
            "most",
            "below .85",
            "warned",
        ),
        rows=tuple(rows),
    )


def _measure(
    compared: Compared, repetitions: int, seed: int
) -> Iterator[tuple[str, str, list[WarnedMeasures]]]:
    """Yield what each rule reaches, with the kind of series and the groups that it counts in."""
    kinds = {is_difference: of for of, is_difference in OF_SERIES.items()}
    populations, rules = compared
    for population in populations:
        for series in simulate(population, repetitions, seed):
            measured = [
                (
                    measure_interval(series.moments, rule.build_ends(series)),
                    float(rule.find_warned(series).mean()),
                )
                for rule in rules
            ]
            kind = kinds[series.is_difference]
            if population.is_heavy:
                yield kind, "heavy", measured
            else:
                yield kind, "ordinary", measured
                yield kind, f"ordinary, {series.place[3]} losses", measured


def _order(group: tuple[tuple[str, str], list[list[WarnedMeasures]]]) -> tuple[bool, bool, str]:
    (of, name), _ = group
    return OF_SERIES[of], name == "heavy", name
