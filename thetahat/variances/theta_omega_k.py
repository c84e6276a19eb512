"""One variance per source, unbiased where that source's losses do not covary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cautions import DEPENDS_ON_THE_MEAN
from thetahat.registry import SOURCES, MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Target
from thetahat.variances._applicability import within_refusal
from thetahat.variances._conclusions import conclude_many
from thetahat.variances._quadratic_forms import by_source
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class ThetaOmegaK:
    r"""For each source k, the estimator that is unbiased if omega_k = 0 and the means are one.

    .. math::

        \hat\theta^\omega_k = \text{plug} - s^\omega_k
                            = V_k / M_k - (m_k - \hat\mu)(m_k + \hat\mu)

    with plug the squared macro mean, m_k the mean and V_k the variance (ddof 1) of source k.

    Assumes omega_k = 0 and one expected loss for all sources. Its bias,
    -omega_k + (1/K^2) sum over i, j of mu_i mu_j - mu_k^2, is usually far larger than the variance
    that it estimates, in either direction.

    Source: geras2013, Table 1.

    Deviations: sources of unequal size take the form with M_k. With several repeats a source's
    values are averaged over the repeats in which it is a block.

    Degenerate cases: equal losses give zeros.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="theta_omega_k",
        title="Theta omega_k, one per source",
        summary=(
            "For every source, the estimator that is unbiased if that source's losses do not "
            "covary and all sources have one mean. Shown for study; no interval is built on it."
        ),
        formula=(
            r"\hat\theta^{\omega}_{k} = \hat\mu^2 - s^{\omega}_{k}"
            r" = \frac{V_k}{M_k} - (m_k - \hat\mu)(m_k + \hat\mu)"
        ),
        references=("geras2013",),
        assumptions="Source blocks; omega_k = 0; one expected loss for all sources.",
        errs=(
            "Bias -omega_k + mean(mu)^2 - mu_k^2: either way, and usually far larger than the "
            "variance itself."
        ),
        blocks=SOURCES,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the method cannot be used on this layout, or None."""
        return within_refusal(self.info, layout)

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean, once per source."""
        layout = losses.layout
        values = np.concatenate([by_source(part) for part in losses.moments.by_repeat()])
        n = np.bincount(layout.split_block, minlength=len(layout.block_labels))
        values = np.bincount(layout.split_block, weights=values, minlength=len(n)) / n
        caution = DEPENDS_ON_THE_MEAN(mean=f"{losses.moments.macro_mean:.6g}")
        return conclude_many(self.info, losses, values, caution)


METHOD = ThetaOmegaK
