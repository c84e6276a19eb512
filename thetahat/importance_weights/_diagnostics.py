"""What a set of importance weights looks like, and what to think of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from thetahat.importance_weights._coverage import share_covered
from thetahat.importance_weights.base import Samples
from thetahat.values.types import Caution, FloatArray

LARGE = 10.0
"""The weight above which the source text cuts."""
_MEAN_APART = 0.2
_FEW_EFFECTIVE = 0.1
_DOMINANT = 0.2
_UNCOVERED = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostics:
    """Numbers that tell whether weights can be trusted.

    Parameters
    ----------
    mean : float
        Should be near 1: the density ratio has mean 1 over the source.
    variance : float
        Sample variance (ddof 1).
    largest : float
        The largest weight.
    effective_sample_size : float
        (sum w)^2 / sum w^2, between 1 and n: how many equal weights would be as good.
    share_above_10, share_zero : float
        Share of the source rows whose weight is above 10, and zero.
    largest_share : float
        Share of the largest weight in the sum of all.
    coverage : float
        Share of the target rows that have a source row near them; see ``share_covered``.
    cautions : tuple of Caution
        What these numbers mean for the use of the weights.
    """

    mean: float
    variance: float
    largest: float
    effective_sample_size: float
    share_above_10: float
    share_zero: float
    largest_share: float
    coverage: float
    cautions: tuple[Caution, ...] = ()


def diagnose(weights: FloatArray, samples: Samples, rng: np.random.Generator) -> Diagnostics:
    """Describe (n,) weights of the source rows; ``rng`` draws rows where there are very many."""
    n, top = len(weights), float(weights.max())
    w = weights / top  # squares of small or large weights neither vanish nor overflow
    coverage, cautions = share_covered(samples, rng)
    mean = float(weights.mean())
    effective = float(w.sum() ** 2 / (w @ w))
    return Diagnostics(
        mean=mean,
        variance=float(weights.var(ddof=1)),
        largest=top,
        effective_sample_size=effective,
        share_above_10=float((weights > LARGE).mean()),
        share_zero=float((weights == 0).mean()),
        largest_share=float(1 / w.sum()),
        coverage=coverage,
        cautions=(
            *_of_weights(weights, mean, effective, float(1 / w.sum()), n),
            *_of_coverage(coverage),
            *cautions,
        ),
    )


def _of_weights(
    weights: FloatArray, mean: float, effective: float, largest_share: float, n: int
) -> Iterator[Caution]:
    if abs(mean - 1) > _MEAN_APART:
        yield Caution(
            "mean_weight_not_one",
            f"the mean weight is {mean:.4g}, and that of a density ratio is 1 over the source: the "
            "ratio is badly estimated, or the source sample misses a part of the target",
        )
    if effective < _FEW_EFFECTIVE * n:
        yield Caution(
            "few_effective_instances",
            f"the weights leave an effective sample size of {effective:.4g} of {n} rows: weighted "
            "means are as uncertain as means of so few",
        )
    if largest_share > _DOMINANT and n > 1 / _DOMINANT:
        yield Caution(
            "one_weight_dominates",
            f"source row {int(np.argmax(weights))} alone has {largest_share:.0%} of the sum of the "
            "weights",
        )
    n_large = int((weights > LARGE).sum())
    if n_large:
        yield Caution(
            "large_weights",
            f"{n_large} of {n} weights are above {LARGE:g}, the largest is {weights.max():.4g}: "
            "the controlled risk is less disturbed by them than the weighted one",
        )


def _of_coverage(coverage: float) -> Iterator[Caution]:
    if coverage < _UNCOVERED:
        yield Caution(
            "target_not_covered",
            f"{1 - coverage:.0%} of the target rows lie farther from every source row than nearly "
            "all source rows lie from each other: no weights tell what holds there",
        )
