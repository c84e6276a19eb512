"""Shorter intervals over one partition that leave losses with a tail as they are.

``python -m thetahat_replications.one_partition --shorter`` writes its pages. An interval is made
shorter only where it rests on the variance over instances today, and where the losses show no tail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from typing import Final

import numpy as np
from scipy.special import fdtrc

from thetahat.cautions import FOLDS_DIFFER, HEAVY_TAILED_LOSSES
from thetahat.values.types import BoolArray, FloatArray
from thetahat_replications.edges.table import Table, TableRow
from thetahat_replications.one_partition.candidates import Candidate, estimate_as_recommended
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
from thetahat_replications.one_partition.simulation import SampleMoments, simulate

SETS: Final = {"choosing": (*CHOOSING, *CHOOSING_TAILS), "unseen": UNSEEN}


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What training adds, as shares of the variance of independent losses."""

    of_losses: float
    """For a model."""
    of_zero_one: float
    """For a model whose losses are all 0 or 1."""
    of_unrelated: float
    """For a difference of two models whose losses are not correlated; of others it is 1 - r times
    that, r being the correlation, at least 0."""

    def compute(self, moments: SampleMoments) -> FloatArray:
        """Return the (R,) shares."""
        if moments.correlation is None:
            return np.where(moments.is_zero_one, self.of_zero_one, self.of_losses)
        return self.of_unrelated * (1 - np.clip(moments.correlation, 0.0, 1.0))

    def __str__(self) -> str:
        return f"{self.of_losses:g}, {self.of_zero_one:g}, {self.of_unrelated:g} (1 - r)"


@dataclass(frozen=True, slots=True, kw_only=True)
class TailGuard:
    """The losses that keep the interval of today."""

    least_skewness: float = np.inf
    """The size of the skewness of the losses from which they do."""
    least_kurtosis: float = np.inf
    """Their fourth central moment over the square of the second, from which they do."""

    def find(self, moments: SampleMoments) -> BoolArray:
        """Return which of the (R,) samples keep it."""
        shows_tail = (np.abs(moments.skewness) >= self.least_skewness) | (
            moments.kurtosis >= self.least_kurtosis
        )
        return np.asarray(shows_tail & ~moments.is_zero_one)

    def __str__(self) -> str:
        limits = {"skewness": self.least_skewness, "kurtosis": self.least_kurtosis}
        shown = [f"{name} {limit:g}" for name, limit in limits.items() if np.isfinite(limit)]
        return " or ".join(shown) or "none"


def estimate_shorter(
    moments: SampleMoments, allowance: Allowance, guard: TailGuard
) -> tuple[FloatArray, FloatArray]:
    """Return the variance of today, or that with an allowance where no reason speaks against it."""
    variance, degrees = estimate_as_recommended(moments)
    size = moments.n // moments.n_folds
    ratio = size * moments.between / np.where(moments.within > 0, moments.within, np.inf)
    differ = fdtrc(moments.n_folds - 1, moments.n - moments.n_folds, ratio) < FOLDS_DIFFER.threshold
    skewness_of_mean = np.abs(moments.skewness) / np.sqrt(moments.n)
    has_tail = (skewness_of_mean >= HEAVY_TAILED_LOSSES.threshold) & ~moments.is_zero_one
    keeps = differ | has_tail | guard.find(moments)
    factor = 1 + allowance.compute(moments) * moments.n / (moments.n - 1)
    return (
        np.where(keeps, variance, factor * moments.overall / moments.n),
        np.where(keeps, degrees, moments.n - 1.0),
    )


TODAY: Final = "today"
LAST: Final = Allowance(of_losses=0.5, of_zero_one=0.75, of_unrelated=1.25)
"""The allowances that were recommended for an hour on 27 November 2026."""
LONGER: Final = Allowance(of_losses=0.75, of_zero_one=0.9, of_unrelated=1.5)
GUARDS: Final = (
    TailGuard(),
    TailGuard(least_skewness=5),
    TailGuard(least_skewness=3),
    TailGuard(least_kurtosis=20),
    TailGuard(least_kurtosis=10),
)
RULES: Final = (
    Candidate(name=TODAY, rule=estimate_as_recommended),
    *(
        Candidate(
            name=f"{allowance}; tail: {guard}",
            rule=partial(estimate_shorter, allowance=allowance, guard=guard),
        )
        for allowance in (LAST, LONGER)
        for guard in GUARDS
    ),
)
"""The rules that are compared."""

ABOUT: Final = """
The three numbers of a rule are its allowances: what training adds to the variance of independent
losses, for a model, for a model whose losses are all 0 or 1, and for a difference of two models
whose losses have the correlation r. `tail` says which samples keep the interval of today: those
whose losses have such a skewness or kurtosis (fourth central moment over the square of the second),
losses of 0 and 1 excepted. All rules keep it where the folds differ or the caution
`heavy_tailed_losses` is given. Target, *length* and *power* are those of the other pages; *heavy*
are the designs with a noise whose squares have no variance or a huge one (t with 3 and 4 degrees,
log-normal, Pareto), by the number of rows. *Lower* is the share of the designs in which the rule
covers less often than today's by .01 or more. {repetitions} samples of each design.
"""


def build_table(name: str, repetitions: int, seed: int) -> Table:
    """Return coverage, length and power of the rules over groups of designs of one set."""
    by_group: dict[tuple[str, str], list[list[Measures]]] = {}
    for of, group, measured in _measure(SETS[name], repetitions, seed):
        by_group.setdefault((of, group), []).append(measured)
    rows: list[TableRow] = []
    for (of, group), of_designs in sorted(by_group.items(), key=_order):
        for place, rule in enumerate(RULES):
            summary = summarise([measured[place] for measured in of_designs])
            lower = np.mean([m[place].coverage <= m[0].coverage - 0.01 for m in of_designs])
            rows.append((of, group, rule.name, len(of_designs), *astuple(summary), float(lower)))
    return Table(
        title=f"A shorter interval over one partition, {name}",
        about=ABOUT.format(repetitions=repetitions),
        columns=("of", "designs of", "rule", *SUMMARY_COLUMNS[2:], "lower"),
        rows=tuple(rows),
    )


def _measure(
    populations: Sequence[DrawnPopulation], repetitions: int, seed: int
) -> Iterator[tuple[str, str, list[Measures]]]:
    """Yield what each rule reaches, with the kind of series and the groups that it counts in."""
    kinds = {is_difference: of for of, is_difference in OF_SERIES.items()}
    for population in populations:
        for series in simulate(population, repetitions, seed):
            measured = [measure_interval(series.moments, rule.build_ends(series)) for rule in RULES]
            n, loss = series.place[1], series.place[3]
            if population.is_heavy:
                yield kinds[series.is_difference], f"heavy, {n} rows", measured
            else:
                yield kinds[series.is_difference], "ordinary", measured
                yield kinds[series.is_difference], f"ordinary, {loss} losses", measured


def _order(group: tuple[tuple[str, str], list[list[Measures]]]) -> tuple[bool, bool, int, str]:
    (of, name), _ = group
    digits = "".join(c for c in name.partition(",")[2] if c.isdigit())
    heavy = name.startswith("heavy")
    return OF_SERIES[of], heavy, int(digits) if heavy else 0, name
