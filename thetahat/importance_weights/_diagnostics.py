"""What a set of importance weights looks like, and what to think of it."""

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
from thetahat.importance_weights._kernels import nearest_distances
from thetahat.importance_weights.base import Samples
from thetahat.values.types import FloatArray


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
        share_above_10=float((weights > LARGE_WEIGHTS.threshold).mean()),
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
    if abs(mean - 1) > MEAN_WEIGHT_NOT_ONE.threshold:
        yield MEAN_WEIGHT_NOT_ONE(mean=f"{mean:.4g}")
    if effective < FEW_EFFECTIVE_INSTANCES.threshold * n:
        yield FEW_EFFECTIVE_INSTANCES(effective=f"{effective:.4g}", n=n)
    if largest_share > ONE_WEIGHT_DOMINATES.threshold and n > 1 / ONE_WEIGHT_DOMINATES.threshold:
        yield ONE_WEIGHT_DOMINATES(row=int(np.argmax(weights)), share=f"{largest_share:.0%}")
    n_large = int((weights > LARGE_WEIGHTS.threshold).sum())
    if n_large:
        yield LARGE_WEIGHTS(n_large=n_large, n=n, largest=f"{weights.max():.4g}")


def _of_coverage(coverage: float) -> Iterator[Caution]:
    if coverage < TARGET_NOT_COVERED.threshold:
        yield TARGET_NOT_COVERED(share=f"{1 - coverage:.0%}")


MOST_ROWS = 3000
"""Rows of a sample that are compared; of a larger one so many are drawn."""
_SHARE = 0.95


def share_covered(samples: Samples, rng: np.random.Generator) -> tuple[float, tuple[Caution, ...]]:
    """Share of the target rows whose nearest source row is as near as source rows are.

    Near is a distance that 95 % of the source rows have to their nearest other source row, in
    features divided by their pooled standard deviation. Without a shift about 95 % are covered.
    """
    source, target = _standardised(samples)
    drawn = [rows if len(rows) <= MOST_ROWS else _drawn(rows, rng) for rows in (source, target)]
    reach = float(np.quantile(nearest_distances(drawn[0]), _SHARE, method="higher"))
    covered = float((nearest_distances(drawn[1], drawn[0]) <= reach).mean())
    if max(len(source), len(target)) <= MOST_ROWS:
        return covered, ()
    return covered, (COVERAGE_OF_A_SAMPLE(n=MOST_ROWS),)


def _standardised(samples: Samples) -> tuple[FloatArray, FloatArray]:
    pooled = np.concatenate([samples.source, samples.target])
    centred = pooled - pooled.mean(axis=0)
    scale = centred.std(axis=0)
    standard = np.divide(centred, scale, out=np.zeros_like(centred), where=scale > 0)
    return standard[: samples.n], standard[samples.n :]


def _drawn(rows: FloatArray, rng: np.random.Generator) -> FloatArray:
    return rows[np.sort(rng.choice(len(rows), MOST_ROWS, replace=False))]
