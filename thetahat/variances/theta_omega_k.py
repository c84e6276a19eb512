"""One variance per source, unbiased if the losses of that source do not covary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cautions import DEPENDS_ON_THE_MEAN
from thetahat.registry import SOURCES, MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.types import MeanKind, Target
from thetahat.variances._building import build_estimates
from thetahat.variances._quadratic_forms import compute_by_source
from thetahat.variances.base import BlockVariance, VarianceEstimate


@dataclass(frozen=True, slots=True)
class ThetaOmegaK(BlockVariance):
    """For each source, the estimator that is unbiased if omega_k = 0 and the means are equal.

    :math:`m_k` is the mean and :math:`V_k` the variance (ddof 1) of source k. Table 1 of the
    source.

    Deviations: sources of unequal size take the form with :math:`M_k`. With several repeats the
    values of a source are averaged over the repeats in which it is a block.

    Degenerate cases: equal losses give zeros.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Theta omega_k, one per source",
        summary=(
            "For every source, the estimator that is unbiased if the losses of that source do not "
            "covary and all sources have one mean. It is shown for study; no interval is built on "
            "it."
        ),
        formula=(
            r"\hat\theta^{\omega}_{k} = \hat\mu^2 - s^{\omega}_{k}"
            r" = \frac{V_k}{M_k} - (m_k - \hat\mu)(m_k + \hat\mu)"
        ),
        references=("geras2013",),
        assumptions="Source blocks; omega_k = 0; one expected loss for all sources.",
        errs=(
            "Bias -omega_k + mean(mu)^2 - mu_k^2: either way, and usually far larger than the "
            "variance that it estimates."
        ),
        blocks=SOURCES,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
    )

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean, once per source."""
        layout = losses.layout
        values = np.concatenate(
            [compute_by_source(part) for part in losses.moments.yield_repeats()]
        )
        n = np.bincount(layout.split_block, minlength=len(layout.block_labels))
        values = np.bincount(layout.split_block, weights=values, minlength=len(n)) / n
        caution = DEPENDS_ON_THE_MEAN(losses.layout.words, mean=losses.moments.macro_mean)
        return build_estimates(self.info, losses, values, caution)
