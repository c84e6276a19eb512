"""Paired bootstrap test of the difference of two mean losses."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from thetahat.cautions import SMALLEST_P_VALUE, ZERO_VARIANCE, Caution
from thetahat.numerics.bootstrap import (
    MOST_DEFAULT_DRAWS,
    Replicates,
    SharedResamples,
    default_resamples,
    default_unit,
    of_difference,
    seed_of,
    unit_misfit,
)
from thetahat.numerics.bootstrap.cautions import check_resamples, resampling_cautions
from thetahat.paired_tests._choices import check_choice
from thetahat.paired_tests._units import count_units
from thetahat.paired_tests.base import PairBatch, PairedLosses, TestOutcome
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import UNITS, Alternative, Needs, Target, UnitName

RESAMPLES: Final = "resamples"
"""Where a batch keeps the resamples that its evaluation's intervals rest on, if there are any."""

_TIE = 1e-12  # deviations closer than this share of the largest residual are equal


@dataclass(frozen=True, slots=True)
class BootstrapDifference:
    r"""Test that the mean difference is 0, against resamples moved to have mean 0.

    .. math:: p = \frac{\#\{|D^*_b - D| \ge |D|\} + 1}{B + 1}

    with D the difference of the two means and :math:`D^*_b` the one of resample b; one-sided, the
    deviations at least as far as D in its direction are counted. Statistic: D. Drawn with
    replacement: instances within their blocks, so that D is the difference of macro means;
    clusters whole, for pooled means; blocks whole, each with its mean. All pairs share resamples
    with each other and with the intervals. But where a stratum is drawn from more than 67 million
    times (2^26), a pair whose differences have few values, as those of 0 and 1 have, has them
    counted by value, in multinomial counts of its own, which have exactly the same distribution.

    Assumes independent units. With few units it is liberal: resamples vary by a factor
    (n - 1)/n less than the difference does. Over instances of random folds it compares the fitted
    models, and is liberal as a test of the learners.

    Source: efron1993, section 16.4; davison1997 and phipson2010 for the one that is added.

    Deviations: the statistic is not studentised.

    Degenerate cases: no difference anywhere gives p = 1; a difference that is the same for every
    unit gives 1 / (B + 1), with a caution.

    Parameters
    ----------
    n_resamples : int or None
        B, in 99 to 1 000 000. Left out: 9 999, fewer for more than 1 000 units, so that n x B
        stays at ten million draws, and never below 999.
    unit : str or None
        ``instance``, ``cluster`` or ``block``. Left out: blocks for sources; else clusters,
        where they are known, or instances.
    """

    n_resamples: int | None = None
    unit: UnitName | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        name="bootstrap_difference",
        title="Paired bootstrap test",
        summary=(
            "How often the mean difference of a resample is off by as much as the difference "
            "itself."
        ),
        formula=r"p = (\#\{|D^*_b - D| \ge |D|\} + 1) / (B + 1)",
        references=("davison1997", "efron1993", "phipson2010"),
        assumptions="Independent units (instances, clusters or sources).",
        errs=(
            "Liberal with few units. Liberal over instances as a test of the learners: instances "
            "of one fold share their models."
        ),
        needs=Needs.SPLITS,
        blocks=EVERY_BLOCK_KIND,
        targets=(Target.NEW_SOURCE, Target.THESE_SOURCES, Target.THESE_MODELS),
    )

    def __post_init__(self) -> None:
        check_choice("unit", self.unit, UNITS)
        check_resamples(self.n_resamples)

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the unit cannot be drawn, or None."""
        return unit_misfit(self.info.name, layout, self.unit)

    def too_much_unasked(self, layout: Layout) -> str | None:
        """Say that there are more units than are resampled by default, or None."""
        n = count_units(layout, self.unit or default_unit(layout))
        b = default_resamples(n)
        if n * b <= MOST_DEFAULT_DRAWS:
            return None
        return f"{b} resamples of {n} units are more than is done unasked; name it to have it"

    def test(
        self, pair: PairedLosses, alternative: Alternative, rng: np.random.Generator
    ) -> TestOutcome:
        """Test that the mean difference is 0."""
        found = of_difference(pair.difference, seed_of(rng), self.n_resamples, self.unit)
        return _outcome(found, alternative)

    def test_many(
        self, batch: PairBatch, alternative: Alternative, rng: np.random.Generator
    ) -> Sequence[TestOutcome]:
        """Test every pair of a batch on the same resamples.

        Resamples of the evaluation's own are taken where they have the seed that is handed over.
        """
        key = self, seed_of(copy.deepcopy(rng))
        shared = batch.shared.get(key)
        if shared is None:
            shared = batch.shared[key] = _resamples(batch, key[1])
        if batch.n_pairs_in_all == 1 and not shared.has_drawn(self.n_resamples, self.unit):
            return [self.test(pair, alternative, rng) for pair in batch.pairs]
        names = list(shared.models)
        return [
            _outcome(
                shared.of_pair((names[i], names[j]), pair.difference, self.n_resamples, self.unit),
                alternative,
            )
            for pair, (i, j) in zip(batch.pairs, batch.positions, strict=True)
        ]


def _resamples(batch: PairBatch, seed: int) -> SharedResamples:
    own: SharedResamples | None = batch.shared.get(RESAMPLES)
    if own is not None and own.seed == seed:
        return own.unmerged()
    models = {str(i): losses for i, losses in enumerate(batch.models)}
    return SharedResamples(models, seed, merge=False)


def _outcome(replicates: Replicates, alternative: Alternative) -> TestOutcome:
    difference, n = replicates.estimate, replicates.n_resamples
    count = _count_extreme(replicates, alternative)
    return TestOutcome(
        statistic=difference,
        p_value=(count + 1) / (n + 1),
        degrees_of_freedom=None,
        target=replicates.units.target,
        unit=replicates.units.unit,
        cautions=(
            *_of_the_p_value(replicates, count),
            *resampling_cautions(replicates.units),
        ),
        details={"method": "random", "n_resamples": n, "n_units": replicates.units.n_units},
    )


def _count_extreme(replicates: Replicates, alternative: Alternative) -> int:
    """Count the resamples whose deviation is at least as far out as the difference."""
    difference, in_order = replicates.estimate, replicates.in_order
    slack = _TIE * float(np.abs(in_order[[0, -1]]).max())
    below = int(np.searchsorted(in_order, -abs(difference) + slack, side="right"))
    above = len(in_order) - int(np.searchsorted(in_order, abs(difference) - slack, side="left"))
    if alternative is Alternative.TWO_SIDED:
        return min(len(in_order), below + above)
    if alternative is Alternative.LESS:
        return int(np.searchsorted(in_order, difference + slack, side="right"))
    return len(in_order) - int(np.searchsorted(in_order, difference - slack, side="left"))


def _of_the_p_value(replicates: Replicates, count: int) -> Iterator[Caution]:
    if replicates.is_constant:
        yield ZERO_VARIANCE(
            reason="the difference is the same for every unit",
            consequence="Resampling cannot show how certain it is.",
        )
    elif count == 0:
        yield SMALLEST_P_VALUE(n_resamples=replicates.n_resamples)


METHOD = BootstrapDifference
