"""Interval for the mean error rate over sources, from the errors in each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from thetahat.distributions import compute_tail_probability, compute_upper_quantile
from thetahat.intervals.base import Interval, ZeroOneInterval
from thetahat.registry import SOURCES, MethodInfo
from thetahat.traits import Recommendation
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, BlockKind, FloatArray, IntArray, MeanKind, Target

PSEUDO_ERRORS: Final = 2.0
"""Errors, and correct predictions, that are added over all sources together."""


@dataclass(frozen=True, slots=True)
class PriceBonett(ZeroOneInterval):
    r"""Mean of the error rates of K sources, each with a few errors added.

    :math:`x_k` of :math:`n_k` losses of source k are 1, and :math:`z` is the normal quantile.

    Deviations: the source divides by :math:`\tilde n_k` in the place of :math:`\tilde n_k - 1`,
    with which intervals over 20 or 50 sources of two or three rows covered in .85 to .92, and with
    this divisor in .95 to .99 (table ``rare_errors_over_sources`` of ``docs/results/edges``). The
    interval always holds the observed mean.

    Degenerate cases: without errors the lower end is 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Interval for a mean of error rates (after Price and Bonett)",
        summary=(
            "An interval for the mean error rate over these sources of a model that was not "
            "trained on them, from zero-one losses. It counts 2/K errors and 2/K correct "
            "predictions more in each source, so a source without errors is not taken as known."
        ),
        formula=(
            r"\frac{1}{K} \sum_k \tilde p_k \pm z \sqrt{\frac{1}{K^2} \sum_k "
            r"\frac{\tilde p_k (1 - \tilde p_k)}{\tilde n_k - 1}}, \quad "
            r"\tilde p_k = \frac{x_k + 2/K}{\tilde n_k}, \quad \tilde n_k = n_k + 4/K"
        ),
        references=("price2004",),
        assumptions=(
            "Source blocks of independent instances, each with a loss of 0 or 1, and models that "
            "were not trained on any of them; the target is these sources and no others."
        ),
        errs=(
            "At or above its level in the studied designs (.94 to 1.00), and up to 2.4 times as "
            "long as an interval with the true standard deviation where errors are very rare."
        ),
        blocks=SOURCES,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        recommended=(
            Recommendation(blocks=SOURCES, target=Target.THESE_SOURCES, own=5, fixed_models=True),
        ),
        only_zero_one=True,
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the layout has no sources that are independent of the models, or None."""
        if layout.kind is not BlockKind.SOURCE:
            return f"{self.info.name} is for source blocks, and these are {layout.words.kind}"
        if reason := ZeroOneInterval.inapplicable(self, layout):
            return reason
        if not layout.has_fixed_models:
            return f"{self.info.name} is for models that were not trained on any of these instances"
        if layout.n_repeats > 1:
            return f"{self.info.name} is for one partition, and there are {layout.n_repeats}"
        return None

    def build_from_losses(
        self, losses: BlockLosses, level: float, alternative: Alternative
    ) -> Interval | None:
        """Build the interval; None if a loss is neither 0 nor 1."""
        values = losses.values
        if values is None or self.inapplicable(losses.layout) is not None:
            return None
        if not np.all((values == 0) | (values == 1)):
            return None
        n_blocks = losses.layout.n_blocks
        sizes = losses.layout.n_test
        errors = np.bincount(losses.layout.get_split_of_row(), values, minlength=n_blocks)
        z = compute_upper_quantile(compute_tail_probability(level, alternative), None)
        ends = compute_ends(errors, sizes, z)
        mean = float((errors / sizes).mean())
        built = self.with_ends(mean, (min(ends[0], mean), max(ends[1], mean)), level, alternative)
        return replace(built, target=Target.THESE_SOURCES, mean=MeanKind.MACRO, cautions=())


def compute_ends(
    errors: FloatArray | IntArray, sizes: FloatArray | IntArray, z: float
) -> tuple[float, float]:
    """Return the ends for (K,) numbers of errors in sources of (K,) sizes."""
    n_sources = len(sizes)
    added = PSEUDO_ERRORS / n_sources
    enlarged = sizes + 2 * added
    rates = (errors + added) / enlarged
    variance = float((rates * (1 - rates) / (enlarged - 1)).sum()) / n_sources**2
    reach = z * variance**0.5
    centre = float(rates.mean())
    return centre - reach, centre + reach
