"""One variance per pair of sources, unbiased if the losses of that pair do not covary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cautions import DEPENDS_ON_THE_MEAN
from thetahat.errors import UnsupportedCombination
from thetahat.registry import SOURCES, MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Needs, Target
from thetahat.variances._building import build_estimates
from thetahat.variances._quadratic_forms import compute_by_pair
from thetahat.variances.base import BlockVariance, VarianceEstimate

_MAX_SOURCES = 256  # a larger table of pairs is too long to read and makes the result large


@dataclass(frozen=True, slots=True)
class ThetaGammaKl(BlockVariance):
    """For each pair of sources, the estimator that is unbiased if gamma_kl = 0.

    :math:`m_k` is the mean of source k. Table 1 of the source.

    Deviations: the diagonal is no pair; it is NaN here and null in a result. With several repeats
    the values of a pair are averaged over the repeats in which both sources are blocks, and NaN
    where there are none. More than 256 sources are refused.

    Degenerate cases: equal source means give zeros off the diagonal.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Theta gamma_kl, one per pair of sources",
        summary=(
            "For every pair of sources, the estimator that is unbiased if their losses do not "
            "covary and all sources have one mean. It is shown for study; no interval is built on "
            "it."
        ),
        formula=(
            r"\hat\theta^{\gamma}_{kl}"
            r" = \hat\mu^2 - \frac{s^{\gamma}_{kl} + s^{\gamma}_{lk}}{2} = \hat\mu^2 - m_k m_l"
        ),
        references=("geras2013",),
        assumptions="Source blocks; gamma_kl = 0; one expected loss for all sources.",
        errs=(
            "Bias -gamma_kl + mean(mu)^2 - mu_k mu_l: either way, and usually far larger than the "
            "variance that it estimates."
        ),
        needs=Needs.SPLITS,
        blocks=SOURCES,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        if reason := BlockVariance.inapplicable(self, layout):
            return reason
        k = len(layout.block_labels)
        if k <= _MAX_SOURCES:
            return None
        return (
            f"{self.info.name} has one value per pair, and {k} sources have {k * (k - 1) // 2} "
            f"pairs; it is computed for at most {_MAX_SOURCES} sources"
        )

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean, once per pair of sources."""
        layout = losses.layout
        if reason := self.inapplicable(layout):
            raise UnsupportedCombination(reason, loc=("block",))
        k = len(layout.block_labels)
        sums, n = np.zeros((k, k)), np.zeros((k, k))
        start = 0
        for part in losses.moments.yield_repeats():
            present = layout.split_block[start : start + part.n_blocks]
            at = np.ix_(present, present)
            sums[at] += compute_by_pair(part)
            n[at] += 1
            start += part.n_blocks
        values = np.full((k, k), np.nan)
        np.divide(sums, n, out=values, where=n > 0)
        caution = DEPENDS_ON_THE_MEAN(losses.layout.words, mean=losses.moments.macro_mean)
        return build_estimates(self.info, losses, values, caution)
