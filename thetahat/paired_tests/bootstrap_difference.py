"""Paired bootstrap test of the difference of two mean losses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import SMALLEST_P_VALUE, ZERO_VARIANCE, Caution
from thetahat.distributions import count_extreme
from thetahat.numerics.bootstrap import (
    Replicates,
    SharedResamples,
    draw_difference_replicates,
    draw_seed,
    explain_many_units,
    reason_against_units,
)
from thetahat.numerics.bootstrap.cautions import check_resamples, resampling_cautions
from thetahat.paired_tests._units import choose_unit, count_units
from thetahat.paired_tests.base import PairBatch, PairedTest, RandomStreams, TestOutcome
from thetahat.parameter_checks import check_choice
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import UNITS, Alternative, Needs, Target, UnitName

_TIE = 1e-12  # deviations closer than this share of the largest residual are equal


@dataclass(frozen=True, slots=True)
class BootstrapDifference(PairedTest):
    r"""Test that the mean difference is 0, against resamples that are shifted to have mean 0.

    In the formula D is the difference of the two means, which is the statistic, and
    :math:`D^*_b` that of resample b; one-sided tests count the deviations at least as far as D in
    its direction. Units are drawn with replacement: instances within their blocks, so that D is
    the difference of macro means; whole clusters, for pooled means; whole blocks, each with its
    mean. All pairs share resamples with each other and with the intervals. If a stratum is drawn
    from more than 67 million times (2^26), a pair whose differences have few values, as those of 0
    and 1 have, draws how often each value occurs, from the multinomial distribution: its resamples
    have exactly the same distribution.

    Deviations: the statistic is not studentised, unlike in section 16.4 of efron1993. p is at least
    that of all n units having the same sign by chance, :math:`2^{1-n}` and half of it one-sided:
    two units whose differences are similar would give 1 / (B + 1).

    Degenerate cases: no difference anywhere gives p = 1. A difference that is the same for every
    unit, or for those of each block that instances are drawn from, gives no p-value.

    Parameters
    ----------
    n_resamples : int or None
        B, from 99 to 1 000 000. By default 9 999, and fewer for more than 1 000 units, so that
        n x B stays at ten million draws, but at least 999.
    unit : str or None
        ``instance``, ``cluster`` or ``block``. By default blocks if they are sources; otherwise
        clusters if they are known, else instances.
    """

    n_resamples: int | None = None
    unit: UnitName | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Paired bootstrap test",
        summary=(
            "Returns how often the mean difference of a bootstrap resample deviates from the "
            "observed difference by at least as much as that deviates from 0."
        ),
        formula=r"p = (\#\{|D^*_b - D| \ge |D|\} + 1) / (B + 1)",
        references=("davison1997", "efron1993", "phipson2010"),
        assumptions="Independent units (instances, clusters or sources).",
        errs=(
            "Rejects too often with few units, because n resampled units vary less than the "
            "difference does, by the factor (n - 1)/n. Over instances it rejects too often as a "
            "test of the learners, because instances of one fold share their models."
        ),
        needs=Needs.SPLITS,
        blocks=EVERY_BLOCK_KIND,
        targets=(Target.NEW_SOURCE, Target.THESE_SOURCES, Target.THESE_MODELS),
    )

    def __post_init__(self) -> None:
        check_choice("unit", self.unit, UNITS)
        check_resamples(self.n_resamples)

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the units cannot be drawn, or None if they can."""
        return reason_against_units(self.info.name, layout, self.unit)

    def too_slow_by_default(self, layout: Layout) -> str | None:
        """Return why the test takes too long to be a default here, or None if it does not."""
        unit = choose_unit(layout, self.unit)
        reason = explain_many_units(count_units(layout, unit), unit)
        return None if reason is None else f"{self.info.name}: {reason}"

    def test_many(
        self, batch: PairBatch, alternative: Alternative, streams: RandomStreams
    ) -> Sequence[TestOutcome]:
        """Test every pair of the batch on the same resamples."""
        seed = draw_seed(streams())
        shared = batch.evaluation_cache.compute_once(
            (self, seed), lambda: _share_resamples(batch, seed)
        )
        if batch.n_pairs_total == 1 and not shared.has_drawn(self.n_resamples, self.unit):
            (pair,) = batch.pairs
            replicates = draw_difference_replicates(
                pair.difference, seed, self.n_resamples, self.unit
            )
            return [_build_outcome(replicates, alternative)]
        names = list(shared.models)
        return [
            _build_outcome(
                shared.of_pair((names[i], names[j]), pair.difference, self.n_resamples, self.unit),
                alternative,
            )
            for pair, (i, j) in zip(batch.pairs, batch.positions, strict=True)
        ]


def _share_resamples(batch: PairBatch, seed: int) -> SharedResamples:
    """Return the resamples of the evaluation's intervals if they have this seed, else new ones."""
    if batch.resamples is not None and batch.resamples.seed == seed:
        return batch.resamples.unmerged()
    models = {str(i): losses for i, losses in enumerate(batch.models)}
    return SharedResamples(models, seed, merge=False)


def _build_outcome(replicates: Replicates, alternative: Alternative) -> TestOutcome:
    n, deviations = replicates.n_resamples, replicates.deviations
    slack = _TIE * max(float(deviations.max()), -float(deviations.min()))
    n_extreme = count_extreme(deviations, replicates.estimate, slack, alternative)
    n_units = replicates.units.n_units
    least = 2.0 ** ((alternative is Alternative.TWO_SIDED) - n_units)
    p_value: float | None = max((n_extreme + 1) / (n + 1), least)
    if replicates.is_constant and replicates.estimate != 0:
        p_value = None
    return TestOutcome(
        statistic=replicates.estimate,
        p_value=p_value,
        target=replicates.units.target,
        unit=replicates.units.unit,
        cautions=(
            *_list_p_value_cautions(replicates, p_value),
            *resampling_cautions(replicates.units),
        ),
        details={"method": "random", "n_resamples": n, "n_units": n_units},
    )


def _list_p_value_cautions(replicates: Replicates, p_value: float | None) -> Iterator[Caution]:
    if replicates.is_constant:
        rest = "there is no p-value" if p_value is None else "the p-value is 1"
        yield ZERO_VARIANCE(
            reason="the difference is the same for every unit",
            consequence=f"Resampling cannot show how certain it is, and {rest}.",
        )
    elif p_value == 1 / (replicates.n_resamples + 1):
        yield SMALLEST_P_VALUE(n_resamples=replicates.n_resamples)
