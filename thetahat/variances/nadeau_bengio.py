"""Corrected resampled variance of the mean split loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, PARTITIONS, SOURCES, SUBSAMPLES, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Needs, Target
from thetahat.variances._applicability import explain_wrong_block_kind
from thetahat.variances._corrected_resampling import estimate_corrected_resampled
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class NadeauBengio:
    """Variance of the mean split loss, corrected for overlapping training sets.

    :math:`S^2` is the sample variance (ddof 1) of the J split means over all repeats, and
    :math:`n_1, n_2` are the training and test sizes.

    Deviations: where sizes differ, :math:`n_2 / n_1` is the sum of the test sizes over the sum of
    the training sizes; the source has equal sizes. The source has random splits (subsamples). For
    the folds of one partition the formula is the same with :math:`n_2 / n_1 = 1 / (K - 1)`, and for
    source blocks the sources are the sample.

    Degenerate cases: equal split means give 0; two splits leave one degree of freedom.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Corrected resampled variance (Nadeau and Bengio)",
        summary=(
            "The variance of the split means times 1/J + n_test/n_train. The second term accounts "
            "for the correlation between splits that share training data."
        ),
        formula=r"\Bigl(\frac{1}{J} + \frac{n_2}{n_1}\Bigr) S^2",
        references=("nadeau2003", "schulz2024"),
        assumptions="Any two split means correlate by the test share n_2 / (n_1 + n_2).",
        errs=(
            "Either way, because the correlation is a rule of thumb. In the largest published "
            "comparison it was slightly too small with a tenth of the data for testing, and much "
            "too small with a fifth or more, where more repeats make it worse."
        ),
        needs=Needs.SPLITS,
        blocks=PARTITIONS | SUBSAMPLES,
        targets=(Target.THESE_SOURCES, Target.NEW_SOURCE),
        mean=MeanKind.MACRO,
        recommended=(
            Recommendation(blocks=FOLDS, target=Target.THESE_SOURCES, skewed=9, t=10, normal=50),
            Recommendation(
                blocks=SOURCES, target=Target.NEW_SOURCE, t=10, normal=20, fixed_models=False
            ),
            Recommendation(
                blocks=SUBSAMPLES, target=Target.THESE_SOURCES, skewed=9, t=10, normal=20
            ),
        ),
        variance=VarianceTraits(
            shrinks_with_splits=True,
            default_of_t_test=SUBSAMPLES,
        ),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        if reason := explain_wrong_block_kind(self.info, layout):
            return reason
        if layout.n_train is None:
            return f"{self.info.name} needs the training size of every split (n_train)"
        if layout.n_splits < 2:
            return f"{self.info.name} needs at least two splits, and there is one"
        return None

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean; for source blocks as that of a new source."""
        return estimate_corrected_resampled(self.info, losses, self.inapplicable(losses.layout))
