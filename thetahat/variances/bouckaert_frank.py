"""Corrected variance of the mean split loss over repeated folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Needs, Target
from thetahat.variances._applicability import explain_missing_blocks, explain_wrong_block_kind
from thetahat.variances._corrected_resampling import estimate_corrected_resampled
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class BouckaertFrank:
    """Variance of the mean over r repeats of k folds, corrected for shared training data.

    :math:`S^2` is the sample variance (ddof 1) of all k r split means, and :math:`n_1, n_2` are the
    training and test sizes, so that :math:`n_2 / n_1 = 1 / (k - 1)` for equal folds. The formula is
    that of ``nadeau_bengio``.

    Deviations: where folds differ in size, :math:`n_2 / n_1` is the sum of the test sizes over the
    sum of the training sizes. WEKA does the same, and omits the correction without notice where the
    sizes are unknown; here a layout without training sizes is refused.

    Degenerate cases: equal split means give 0. One repeat is refused, because ``nadeau_bengio`` is
    the same formula.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Corrected variance of repeated folds (Bouckaert and Frank)",
        summary=(
            "The variance of all split means of repeated folds times 1/(k r) + n_test/n_train. The "
            "second term accounts for the correlation between splits that share training data."
        ),
        formula=r"\Bigl(\frac{1}{k r} + \frac{n_2}{n_1}\Bigr) S^2",
        references=("bouckaert2004", "nadeau2003"),
        assumptions=(
            "Any two split means, of one repeat or of two, correlate by the test share n_2 / (n_1 "
            "+ n_2) = 1/k."
        ),
        errs=(
            "Either way, because the correlation is a rule of thumb. It is close with ten folds "
            "and too small with five or fewer, where more repeats make it worse."
        ),
        needs=Needs.REPEATS,
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        recommended=(Recommendation(blocks=FOLDS, target=Target.THESE_SOURCES, t=20),),
        variance=VarianceTraits(shrinks_with_splits=True),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        if reason := explain_wrong_block_kind(self.info, layout):
            return reason
        if layout.n_repeats < 2:
            return (
                "bouckaert_frank needs at least two repeats of the folds, and there is one; "
                "nadeau_bengio is the same formula for one"
            )
        if layout.n_train is None:
            return "bouckaert_frank needs the training size of every split (n_train)"
        return explain_missing_blocks(self.info, layout)

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        return estimate_corrected_resampled(self.info, losses, self.inapplicable(losses.layout))
