"""Wilcoxon's signed-rank test."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from thetahat.distributions import compute_p_value
from thetahat.paired_tests._signed_ranks import SignedRanks, Zeros, exact_p_value, rank_values
from thetahat.paired_tests._units import (
    PairedUnits,
    batch_units,
    choose_unit,
    count_units,
    reason_against_unit,
    unit_target,
)
from thetahat.paired_tests.base import PairBatch, PairedTest, RandomStreams, TestOutcome
from thetahat.parameter_checks import check_choice
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.values.json_values import JsonValue
from thetahat.values.layout import Layout
from thetahat.values.types import UNITS, Alternative, FloatArray, Needs, Target, UnitName

_AUTO_EXACT = 50  # differences up to which the exact distribution is the default
_MAX_EXACT_UNITS = 500  # the distribution takes n^3 steps


@dataclass(frozen=True, slots=True)
class Wilcoxon(PairedTest):
    r"""Signed-rank test that the differences are symmetric about 0.

    In the formula :math:`r_i` are the mid-ranks of :math:`|d_i|`. The statistic is
    :math:`\min(R_+, R_-)` for a two-sided test and :math:`R_+` for a one-sided one; the details
    have both sums.

    Deviations: differences closer than 8 units in the last place of their losses count as ties,
    and as zeros within that of 0. With ties or zeros the exact distribution is the one given the
    ranks, with the zeros held fixed. ``demsar_split`` has the variance N(N+1)(2N+1)/24 that
    demsar2006 prints, without a correction for ties.

    Degenerate cases: no difference anywhere gives p = 1.

    Parameters
    ----------
    zeros : str
        ``wilcox`` leaves zeros out. ``pratt`` (pratt1959) ranks them, then drops their ranks.
        ``zsplit`` gives half of their ranks to each side. ``demsar_split`` (demsar2006) does the
        same and leaves one of an odd number out.
    method : str
        ``exact`` (at most 500 units), ``normal``, or ``auto``: exact if at most 50 differences
        are not 0.
    correction : bool
        Whether the normal approximation moves the sum half a rank towards its mean.
    unit : str or None
        ``instance``, ``cluster`` or ``block``. By default blocks if they are sources; otherwise
        clusters if they are known, else instances.
    """

    zeros: Zeros = "wilcox"
    method: Literal["auto", "exact", "normal"] = "auto"
    correction: bool = False
    unit: UnitName | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Wilcoxon signed-rank test",
        summary=(
            "Ranks the absolute differences of instances, clusters or sources and compares the "
            "rank sums of the two signs."
        ),
        formula=(
            r"R_+ = \sum_{d_i > 0} r_i,\quad"
            r" z = (R_+ - \tfrac12 (R_+ + R_-)) / \sqrt{\tfrac14 \sum_i r_i^2}"
        ),
        references=("demsar2006", "pratt1959", "wilcoxon1945"),
        assumptions="Independent units whose differences are symmetric about their centre.",
        errs=(
            "Over instances it rejects too often as a test of the learners, because instances of "
            "one fold share their models. With skewed differences it can reject although the means "
            "are equal. demsar_split rejects slightly too rarely if there are ties."
        ),
        needs=Needs.SPLITS,
        blocks=EVERY_BLOCK_KIND,
        targets=(Target.NEW_SOURCE, Target.THESE_SOURCES, Target.THESE_MODELS),
    )

    def __post_init__(self) -> None:
        check_choice("zeros", self.zeros, get_args(Zeros))
        check_choice("method", self.method, ("auto", "exact", "normal"))
        check_choice("unit", self.unit, UNITS)

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the units cannot be paired or are too many, or None."""
        reason = reason_against_unit(self.info.name, layout, self.unit)
        if reason is not None or self.method != "exact":
            return reason
        n = count_units(layout, choose_unit(layout, self.unit))
        if n <= _MAX_EXACT_UNITS:
            return None
        return (
            f"wilcoxon with the method exact takes at most {_MAX_EXACT_UNITS} units, but there are "
            f"{n}; use the method normal or auto"
        )

    def test_many(
        self,
        batch: PairBatch,
        alternative: Alternative,
        streams: RandomStreams,  # noqa: ARG002 - draws no random numbers
    ) -> Sequence[TestOutcome]:
        """Test every pair of the batch."""
        units = batch_units(batch, self.unit)
        target = unit_target(batch.layout, units.unit)
        return [
            self._build_outcome(units, row, target, alternative) for row in range(len(batch.pairs))
        ]

    def _build_outcome(
        self, units: PairedUnits, row: int, target: Target, alternative: Alternative
    ) -> TestOutcome:
        ranked = rank_values(units.values[row], units.roundings(row), self.zeros)
        p_value, details = self._compute_p_value(ranked, alternative)
        smaller = min(ranked.positive, ranked.negative)
        return TestOutcome(
            statistic=smaller if alternative is Alternative.TWO_SIDED else ranked.positive,
            p_value=p_value,
            target=target,
            unit=units.unit,
            cautions=units.cautions[row],
            details={
                "rank_sum_positive": ranked.positive,
                "rank_sum_negative": ranked.negative,
                "zeros": int(units.n_zeros[row]),
                "ties": ranked.has_ties,
                **details,
            },
        )

    def _is_exact(self, n_ranked: int) -> bool:
        return self.method == "exact" or (self.method == "auto" and n_ranked <= _AUTO_EXACT)

    def _compute_p_value(
        self, ranked: SignedRanks, alternative: Alternative
    ) -> tuple[float, Mapping[str, JsonValue]]:
        """Return the p-value, and how it was computed as fields of the result."""
        if self._is_exact(ranked.n_ranked):
            return exact_p_value(ranked, alternative), {"method": "exact"}
        z = _standardise(ranked, alternative, correction=self.correction)
        return compute_p_value(z, None, alternative), {"method": "normal", "z": z}


def _standardise(ranked: SignedRanks, alternative: Alternative, *, correction: bool) -> float:
    distance = ranked.positive - ranked.expected
    if ranked.variance == 0:
        return 0.0
    if correction:
        distance -= float(_compute_continuity_correction(np.array(distance), alternative))
    return distance / math.sqrt(ranked.variance)


def _compute_continuity_correction(distance: FloatArray, alternative: Alternative) -> FloatArray:
    """Return the correction to subtract: towards the mean for two sides, else one direction."""
    half = {
        Alternative.TWO_SIDED: np.copysign(np.minimum(0.5, np.abs(distance)), distance),
        Alternative.LESS: np.float64(-0.5),
        Alternative.GREATER: np.float64(0.5),
    }[alternative]
    return np.asarray(half)
