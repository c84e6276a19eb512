"""Sign test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from thetahat.cautions import Caution
from thetahat.distributions import fair_coin_p_value
from thetahat.paired_tests._choices import check_choice
from thetahat.paired_tests._units import (
    paired_units,
    unit_cautions,
    unit_refusal,
    unit_target,
    units_of_batch,
)
from thetahat.paired_tests.base import PairBatch, PairedLosses, TestOutcome
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import UNITS, Alternative, Needs, Target, UnitName


@dataclass(frozen=True, slots=True)
class Sign:
    r"""Exact test that a difference is as often positive as negative.

    .. math:: n_+ \sim \mathrm{Binomial}(n_+ + n_-, 1/2)

    with :math:`n_+` the units where b has the smaller loss and :math:`n_-` those where a has.
    Statistic: :math:`n_+`. Two-sided p is twice the smaller tail, at most 1.

    Assumes independent units. Says nothing of how large the differences are. Exact over sources;
    over instances of random folds it compares the fitted models, and is liberal as a test of the
    learners.

    Source: dixon1946; demsar2006 for counts of wins.

    Deviations: a difference within 8 units in the last place of the losses counts as 0.

    Degenerate cases: no difference anywhere gives p = 1.

    Parameters
    ----------
    zeros : str
        ``drop``: units without a difference are left out. ``split``: half of them go to each
        side, and of an odd number one is left out.
    unit : str or None
        ``instance``, ``cluster`` or ``block``. Left out: blocks for sources; else clusters,
        where they are known, or instances.
    """

    zeros: Literal["drop", "split"] = "drop"
    unit: UnitName | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        name="sign",
        title="Sign test",
        summary=(
            "Counts the instances, clusters or sources where each model has the smaller loss, and "
            "asks whether a fair coin would do that."
        ),
        formula=r"n_+ \sim \mathrm{Binomial}(n_+ + n_-, 1/2)",
        references=("demsar2006", "dixon1946"),
        assumptions="Independent units (instances, clusters or sources).",
        errs=(
            "Conservative with few units, since the counts are discrete. Liberal over instances "
            "as a test of the learners: instances of one fold share their models."
        ),
        needs=Needs.SPLITS,
        blocks=EVERY_BLOCK_KIND,
        targets=(Target.NEW_SOURCE, Target.THESE_SOURCES, Target.THESE_MODELS),
    )

    def __post_init__(self) -> None:
        check_choice("zeros", self.zeros, ("drop", "split"))
        check_choice("unit", self.unit, UNITS)

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the unit cannot be paired, or None."""
        return unit_refusal(self.info.name, layout, self.unit)

    def test(
        self,
        pair: PairedLosses,
        alternative: Alternative,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> TestOutcome:
        """Test that positive and negative differences are equally likely."""
        units = paired_units(pair, self.unit)
        positive, negative = int((units.values > 0).sum()), int((units.values < 0).sum())
        layout = pair.difference.layout
        cautions = unit_cautions(layout, units)
        return self._outcome(
            positive,
            negative,
            units.n_zeros,
            alternative,
            layout,
            units.unit,
            cautions,
            higher_is_better=pair.higher_is_better,
        )

    def test_many(
        self,
        batch: PairBatch,
        alternative: Alternative,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> Sequence[TestOutcome]:
        """Test every pair of a batch."""
        units = units_of_batch(batch, self.unit)
        counts = zip(
            units.n_positive.tolist(),
            units.n_negative.tolist(),
            units.n_zeros.tolist(),
            units.cautions,
            batch.pairs,
            strict=True,
        )
        layout = batch.models[0].layout
        return [
            self._outcome(
                positive,
                negative,
                zeros,
                alternative,
                layout,
                units.unit,
                cautions,
                higher_is_better=pair.higher_is_better,
            )
            for positive, negative, zeros, cautions, pair in counts
        ]

    def _outcome(  # noqa: PLR0913 - three counts and where they are from
        self,
        positive: int,
        negative: int,
        zeros: int,
        alternative: Alternative,
        layout: Layout,
        unit: UnitName,
        cautions: tuple[Caution, ...],
        *,
        higher_is_better: bool,
    ) -> TestOutcome:
        a_better, b_better = (positive, negative) if higher_is_better else (negative, positive)
        half = zeros // 2 if self.zeros == "split" else 0
        heads, tosses = positive + half, positive + negative + 2 * half
        return TestOutcome(
            statistic=float(heads),
            p_value=fair_coin_p_value(heads, tosses, alternative),
            degrees_of_freedom=None,
            target=unit_target(layout, unit),
            unit=unit,
            cautions=cautions,
            details={"a_better": a_better, "b_better": b_better, "ties": zeros},
        )


METHOD = Sign
