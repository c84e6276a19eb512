"""Variance of a mean from the labels of a few rows and a judge's grades of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import HOLDOUT, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Target
from thetahat.variances._judged import estimate_judged, explain_missing_judge
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class PredictionPowered:
    r"""Variance of the mean of the labels, corrected by the grades of all rows.

    Y and f are label and grade of the n labelled rows, u the grades of the N others and
    :math:`\lambda` the weight of the judge.

    Deviations: variances have the divisor n - 1, the weight is clipped to 0 to 1, and intervals are
    t intervals, where the authors' code has the divisor n and normal intervals.

    Degenerate cases: labels that are all equal have the variance 0. With fewer than 20 labels, or
    fewer than ten that differ from the commonest one, no interval rests on it.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Prediction-powered variance",
        summary=(
            "The variance of the mean loss where people labelled a random part of the rows and a "
            "judge graded all: of the judge's mean, corrected by its errors on the labelled rows."
        ),
        formula=(
            r"\frac{s^2(Y - \lambda f)}{n} + \lambda^2 \frac{s^2(u)}{N}, \quad"
            r" \lambda = \frac{\operatorname{cov}(Y, f)}{(1 + n/N) s^2(f, u)}"
        ),
        references=("angelopoulos2023", "angelopoulos2023ppi", "fisch2024", "zrnic2024"),
        assumptions=(
            "The labelled rows are a random sample of all rows, or of each stratum. The judge may "
            "be biased. The target is the error of the trained models."
        ),
        errs=(
            "Slightly too small with few labels, to which the weight is fitted: t intervals "
            "covered in 92 to 95 % at level 95 % with 25 labels or in strata of 40, and in 94 to "
            "96 % with 50 or more. Wrong if people chose which rows to label."
        ),
        blocks=HOLDOUT,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        recommended=(Recommendation(blocks=HOLDOUT, target=Target.THESE_MODELS, t=4, normal=60),),
        variance=VarianceTraits(
            degrees_grow_with="instances", uses_judge=True, default_of_t_test=HOLDOUT
        ),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        reason = explain_missing_judge(self.info, layout)
        if reason is None and layout.cluster is not None:
            return f"{self.info.name} takes rows as independent; use prediction_powered_clusters"
        return reason

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the prediction-powered mean."""
        return estimate_judged(self.info, losses)
