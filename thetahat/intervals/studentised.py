"""Studentised bootstrap interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import RESAMPLES_WITHOUT_SPREAD, Caution
from thetahat.intervals.base import ResampledInterval
from thetahat.numerics.bootstrap import Replicates, default_unit
from thetahat.numerics.bootstrap.interval_ends import (
    EndDistances,
    ratios_in_order,
    studentised_reach,
)
from thetahat.registry import FOLDS, HOLDOUT, SOURCES, MethodInfo
from thetahat.traits import IntervalTraits, Recommendation, ReplicateForm
from thetahat.values.layout import Layout
from thetahat.values.types import Needs, Target
from thetahat.variances._applicability import explain_missing_block_variance

_WITHOUT_SPREAD = RESAMPLES_WITHOUT_SPREAD()


@dataclass(frozen=True, slots=True)
class Studentised(ResampledInterval):
    r"""Mean plus and minus standard errors, with t quantiles from resamples.

    :math:`t^* = (\hat\mu^* - \hat\mu) / \hat s^*`, with :math:`\hat s` the standard error by
    formula (from the variances within blocks, or the cluster-robust one where units differ in size)
    and :math:`\hat s^*` the same of each resample. Resamples are drawn as for ``percentile``.
    Section 12.5 of efron1993 (bootstrap-t) and section 5.2 of davison1997.

    Deviations: quantiles are interpolated between replicates (numpy's default).

    Degenerate cases: losses that do not vary give no interval. A resample without a spread counts
    as infinitely far from the mean; an end that reaches it is open, with a caution.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Studentised bootstrap interval",
        summary=(
            "The mean plus and minus standard errors, with quantiles of t from resamples that are "
            "each divided by their own standard error."
        ),
        formula=(
            r"\left[\hat\mu - t^*_{(1-\alpha/2)} \hat s, \hat\mu - t^*_{(\alpha/2)} \hat s\right]"
        ),
        references=("davison1997", "efron1993"),
        assumptions=(
            "Independent units (instances, clusters or sources), at least two in every block."
        ),
        errs=(
            "Second-order correct and close to its level even with few units, but long, and its "
            "ends are unstable where a resample often holds one unit many times. It leaves out "
            "how much results change with other training data."
        ),
        needs=Needs.SPLITS,
        targets=(Target.NEW_SOURCE, Target.THESE_MODELS),
        recommended=(
            Recommendation(blocks=FOLDS | HOLDOUT, target=Target.THESE_MODELS, own=90),
            Recommendation(blocks=SOURCES, target=Target.NEW_SOURCE, own=90),
        ),
        interval=IntervalTraits(from_replicates=ReplicateForm.STUDENTISED),
    )
    needs_errors: ClassVar[bool] = True

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why there is nothing to resample, or None."""
        if reason := ResampledInterval.inapplicable(self, layout):
            return reason
        within = default_unit(layout) == "instance" and layout.has_one_row_each
        return explain_missing_block_variance(self.info, layout) if within else None

    def find_ends(
        self, replicates: Replicates, tail: float
    ) -> tuple[EndDistances, tuple[Caution, ...]]:
        """Return the distances between the ends and the mean, and the cautions about them."""
        error = replicates.standard_error
        ratios = ratios_in_order(replicates.deviations, replicates.errors)
        reach = studentised_reach(ratios, error, tail)
        return reach, () if None not in reach else (_WITHOUT_SPREAD,)
