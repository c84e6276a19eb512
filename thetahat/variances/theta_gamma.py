"""Variance of the mean over sources that are themselves a sample of sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import LIBERAL_IF_BLOCKS_COVARY, PESSIMISTIC_FOR_THESE_SOURCES, Caution
from thetahat.registry import SOURCES, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Needs, Target
from thetahat.variances._building import build_estimate_between_blocks
from thetahat.variances._quadratic_forms import average_over_repeats, compute_between_blocks
from thetahat.variances.base import BlockVariance, VarianceEstimate


@dataclass(frozen=True, slots=True)
class ThetaGamma(BlockVariance):
    """Variance of the source means over their number.

    B is the variance of the K source means (ddof 1). Table 1 of the source.

    Degenerate cases: equal source means give 0. Sources of one instance and one score per split are
    enough.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Theta gamma, the sources as the sample",
        summary=(
            "The variance of the K source means over K. For a new source the sources are the "
            "sample, and this is the variance of their mean."
        ),
        formula=(
            r"\hat\theta^{\gamma} = \hat\mu^2 - \frac{1}{K(K-1)} \sum_{k \neq l} s^{\gamma}_{kl}"
            r" = \frac{B}{K}"
        ),
        references=("geras2013",),
        assumptions=(
            "Sources drawn from the same population as the sources to come; losses of different "
            "sources do not covary (gamma = 0)."
        ),
        errs=(
            "For a new source too small by gamma, the covariance through shared training sources "
            "(liberal where gamma is positive). For these sources too large: it counts their "
            "lasting differences as chance, and does not fall to zero with more instances."
        ),
        needs=Needs.SPLITS,
        blocks=SOURCES,
        targets=(Target.NEW_SOURCE,),
        mean=MeanKind.MACRO,
        recommended=(Recommendation(blocks=SOURCES, target=Target.NEW_SOURCE, t=30, normal=40),),
        variance=VarianceTraits(is_between_sources=True),
    )

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean as an estimate for a new source."""
        value = average_over_repeats(losses.moments, compute_between_blocks)
        return build_estimate_between_blocks(
            self.info,
            losses,
            value,
            *_build_shared_training_caution(losses.layout),
            PESSIMISTIC_FOR_THESE_SOURCES(losses.layout.words),
        )


def _build_shared_training_caution(layout: Layout) -> tuple[Caution, ...]:
    """Return the caution that the models were trained on each other's sources."""
    if layout.has_fixed_models:
        return ()
    return (LIBERAL_IF_BLOCKS_COVARY(layout.words, subject="the variance"),)
