"""Diagnostics of importance weights, with cautions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from thetahat.cautions import (
    COVERAGE_OF_A_SAMPLE,
    FEW_EFFECTIVE_INSTANCES,
    LARGE_WEIGHTS,
    MEAN_WEIGHT_NOT_ONE,
    ONE_WEIGHT_DOMINATES,
    TARGET_NOT_COVERED,
    Caution,
)
from thetahat.importance_weights._kernels import compute_nearest_distances
from thetahat.importance_weights.base import Samples
from thetahat.values.number_text import format_percent
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostics:
    """Numbers that show whether weights can be trusted."""

    mean: float
    """Should be near 1: the density ratio has mean 1 over the source."""
    variance: float
    """Sample variance (ddof 1)."""
    largest: float
    """The largest weight."""
    effective_sample_size: float
    """(sum w)^2 / sum w^2, between 1 and n: how many equal weights would be as good."""
    share_above_10: float
    """Share of the source rows whose weight is above 10."""
    share_zero: float
    """Share of the source rows whose weight is zero."""
    largest_share: float
    """Largest weight over the sum of the weights."""
    coverage: float
    """Share of the target rows that have a source row near them; see ``measure_coverage``."""
    cautions: tuple[Caution, ...] = ()
    """Cautions that follow from these numbers."""


def diagnose(weights: FloatArray, samples: Samples, rng: np.random.Generator) -> Diagnostics:
    """Return the diagnostics of (n,) weights; ``rng`` draws a subset of very many rows."""
    n, largest = len(weights), float(weights.max())
    w = weights / largest  # so that squares neither underflow nor overflow
    coverage, cautions = measure_coverage(samples, rng)
    mean = float(weights.mean())
    effective_size = float(w.sum() ** 2 / (w @ w))
    return Diagnostics(
        mean=mean,
        variance=float(weights.var(ddof=1)),
        largest=largest,
        effective_sample_size=effective_size,
        share_above_10=float((weights > LARGE_WEIGHTS.threshold).mean()),
        share_zero=float((weights == 0).mean()),
        largest_share=float(1 / w.sum()),
        coverage=coverage,
        cautions=(
            *_check_weights(weights, mean, effective_size, float(1 / w.sum()), n),
            *_check_coverage(coverage),
            *cautions,
        ),
    )


def _check_weights(
    weights: FloatArray, mean: float, effective_size: float, largest_share: float, n: int
) -> Iterator[Caution]:
    if abs(mean - 1) > MEAN_WEIGHT_NOT_ONE.threshold:
        yield MEAN_WEIGHT_NOT_ONE(mean=mean)
    if effective_size < FEW_EFFECTIVE_INSTANCES.threshold * n:
        yield FEW_EFFECTIVE_INSTANCES(effective=effective_size, n=n)
    if largest_share > ONE_WEIGHT_DOMINATES.threshold and n > 1 / ONE_WEIGHT_DOMINATES.threshold:
        yield ONE_WEIGHT_DOMINATES(
            row=int(np.argmax(weights)), share=format_percent(round(largest_share, 2))
        )
    n_large = int((weights > LARGE_WEIGHTS.threshold).sum())
    if n_large:
        yield LARGE_WEIGHTS(n_large=n_large, n=n, largest=float(weights.max()))


def _check_coverage(coverage: float) -> Iterator[Caution]:
    if coverage < TARGET_NOT_COVERED.threshold:
        yield TARGET_NOT_COVERED(share=format_percent(round(1 - coverage, 2)))


MAX_ROWS = 3000
"""Largest number of rows of a sample that are compared; a larger sample is thinned at random."""
_SHARE = 0.95


def measure_coverage(
    samples: Samples, rng: np.random.Generator
) -> tuple[float, tuple[Caution, ...]]:
    """Return the share of the target rows with a source row near them, and cautions.

    Two rows are near if their distance is at most the 95 % quantile of the source rows' distances
    to their nearest other source row, in features divided by their pooled standard deviation.
    Without a shift about 95 % are covered.
    """
    source, target = _standardise(samples)
    compared = [
        rows if len(rows) <= MAX_ROWS else _draw_rows(rows, rng) for rows in (source, target)
    ]
    largest_distance = float(
        np.quantile(compute_nearest_distances(compared[0]), _SHARE, method="higher")
    )
    covered = float(
        (compute_nearest_distances(compared[1], compared[0]) <= largest_distance).mean()
    )
    if max(len(source), len(target)) <= MAX_ROWS:
        return covered, ()
    return covered, (COVERAGE_OF_A_SAMPLE(n=MAX_ROWS),)


def _standardise(samples: Samples) -> tuple[FloatArray, FloatArray]:
    pooled = np.concatenate([samples.source, samples.target])
    centred = pooled - pooled.mean(axis=0)
    scale = centred.std(axis=0)
    standard = np.divide(centred, scale, out=np.zeros_like(centred), where=scale > 0)
    return standard[: samples.n], standard[samples.n :]


def _draw_rows(rows: FloatArray, rng: np.random.Generator) -> FloatArray:
    return rows[np.sort(rng.choice(len(rows), MAX_ROWS, replace=False))]
