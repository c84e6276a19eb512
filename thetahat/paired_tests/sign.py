"""Sign test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from thetahat.distributions import compute_fair_coin_p_value
from thetahat.paired_tests._units import batch_units, reason_against_unit, unit_target
from thetahat.paired_tests.base import PairBatch, PairedTest, RandomStreams, TestOutcome
from thetahat.parameter_checks import check_choice
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import UNITS, Alternative, Needs, Target, UnitName


@dataclass(frozen=True, slots=True)
class Sign(PairedTest):
    r"""Exact test that a difference is as often positive as negative.

    In the formula :math:`n_+` counts the units with a positive difference a minus b (b has the
    smaller loss), and :math:`n_-` those with a negative one. The statistic is :math:`n_+`; the
    two-sided p-value is twice the smaller tail, at most 1.

    Deviations: a difference within 8 units in the last place of the losses counts as 0.

    Degenerate cases: no difference anywhere gives p = 1.

    Parameters
    ----------
    zeros : str
        ``drop`` leaves out units without a difference. ``split`` gives half of them to each side
        and leaves one of an odd number out.
    unit : str or None
        ``instance``, ``cluster`` or ``block``. By default blocks if they are sources; otherwise
        clusters if they are known, else instances.
    """

    zeros: Literal["drop", "split"] = "drop"
    unit: UnitName | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Sign test",
        summary=(
            "Counts the instances, clusters or sources on which each model is better, and tests "
            "whether a fair coin would give such counts. It does not use how large the "
            "differences are."
        ),
        formula=r"n_+ \sim \mathrm{Binomial}(n_+ + n_-, 1/2)",
        references=("demsar2006", "dixon1946"),
        assumptions="Independent units (instances, clusters or sources).",
        errs=(
            "Exact over sources, and rejects too rarely with few units because counts are "
            "discrete. Over instances it rejects too often as a test of the learners, because "
            "instances of one fold share their models."
        ),
        needs=Needs.SPLITS,
        blocks=EVERY_BLOCK_KIND,
        targets=(Target.NEW_SOURCE, Target.THESE_SOURCES, Target.THESE_MODELS),
    )

    def __post_init__(self) -> None:
        check_choice("zeros", self.zeros, ("drop", "split"))
        check_choice("unit", self.unit, UNITS)

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the units cannot be paired, or None if they can."""
        return reason_against_unit(self.info.name, layout, self.unit)

    def test_many(
        self,
        batch: PairBatch,
        alternative: Alternative,
        streams: RandomStreams,  # noqa: ARG002 - draws no random numbers
    ) -> Sequence[TestOutcome]:
        """Test every pair of the batch."""
        units = batch_units(batch, self.unit)
        target = unit_target(batch.layout, units.unit)
        counts = np.stack([units.n_positive, units.n_negative, units.n_zeros], axis=1).tolist()
        outcomes = []
        for pair, (n_positive, n_negative, n_zeros), cautions in zip(
            batch.pairs, counts, units.cautions, strict=True
        ):
            half = n_zeros // 2 if self.zeros == "split" else 0
            heads, tosses = n_positive + half, n_positive + n_negative + 2 * half
            better = [n_positive, n_negative] if pair.higher_is_better else [n_negative, n_positive]
            outcomes.append(
                TestOutcome(
                    statistic=float(heads),
                    p_value=compute_fair_coin_p_value(heads, tosses, alternative),
                    target=target,
                    unit=units.unit,
                    cautions=cautions,
                    details={"a_better": better[0], "b_better": better[1], "ties": n_zeros},
                )
            )
        return outcomes
