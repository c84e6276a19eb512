"""Cross-validated losses of many samples, and the moments that intervals are built from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.seeds import make_random_stream
from thetahat.values.types import BoolArray, FloatArray
from thetahat_replications.one_partition.batch_learners import LEARNERS
from thetahat_replications.one_partition.designs import N_FOLDS, DrawnPopulation

_MOST_CELLS: Final = 4_000_000
"""Largest number of pairs of rows whose distances are held at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleMoments:
    """Moments of the losses of R samples; arrays are (R,)."""

    n: int
    """Number of rows of a sample."""
    n_folds: int
    """Number of folds of its one partition."""
    mean: FloatArray
    """Mean loss."""
    overall: FloatArray
    """Variance of all losses about their mean (ddof 1)."""
    within: FloatArray
    """Mean variance within folds (ddof 1)."""
    between: FloatArray
    """Variance of the fold means (ddof 1)."""
    skewness: FloatArray
    """Third central moment over the 3/2 power of the second."""
    is_zero_one: BoolArray
    """Whether all losses are 0 or 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LossSeries:
    """The losses of one learner, or the differences of two, in one design."""

    population: str
    n: int
    n_folds: int
    loss: str
    subject: str
    is_difference: bool
    moments: SampleMoments


def simulate(population: DrawnPopulation, repetitions: int, seed: int) -> Iterator[LossSeries]:
    """Yield every learner and every comparison with the first one, for all sizes and folds."""
    for n in population.sizes:
        for n_folds in N_FOLDS:
            rng = make_random_stream(seed, f"{population.name} {n} {n_folds}")
            losses: dict[tuple[str, str], list[FloatArray]] = {}
            for size in _cut(repetitions, max(1, _MOST_CELLS // n**2)):
                x, y = population.draw(rng, size, n)
                of_samples = compute_losses(population, population.learners, x, y, n_folds)
                for key, values in of_samples.items():
                    losses.setdefault(key, []).append(values)
            whole = {key: np.concatenate(parts) for key, parts in losses.items()}
            for loss, subject, is_difference, series in list_series(whole, population):
                yield LossSeries(
                    population=population.name,
                    n=n,
                    n_folds=n_folds,
                    loss=loss,
                    subject=subject,
                    is_difference=is_difference,
                    moments=compute_moments(series, n_folds),
                )


def list_series(
    losses: Mapping[tuple[str, str], FloatArray], population: DrawnPopulation
) -> Iterator[tuple[str, str, bool, FloatArray]]:
    """Yield loss, subject, whether it is a difference, and values, of learners and comparisons."""
    first = population.learners[0]
    for (loss, learner), values in losses.items():
        yield loss, learner, False, values
        if learner != first and (loss, first) in losses:
            yield loss, f"{learner} - {first}", True, values - losses[loss, first]


def _cut(repetitions: int, size: int) -> Iterator[int]:
    for start in range(0, repetitions, size):
        yield min(size, repetitions - start)


def compute_losses(
    population: DrawnPopulation,
    learners: Sequence[str],
    x: FloatArray,
    y: FloatArray,
    n_folds: int,
) -> dict[tuple[str, str], FloatArray]:
    """Return the (R, n) cross-validated losses by loss and learner."""
    losses: dict[tuple[str, str], FloatArray] = {}
    for learner in learners:
        predicted = LEARNERS[learner](x, y, n_folds)
        losses["squared", learner] = (predicted - y) ** 2
        if population.of_classes:
            losses["0/1", learner] = ((predicted > 0.5) != (y == 1)).astype(np.float64)
    return losses


def compute_moments(losses: FloatArray, n_folds: int) -> SampleMoments:
    """Return the moments of (R, n) losses whose folds are runs of equal length."""
    r, n = losses.shape
    folds = losses.reshape(r, n_folds, -1)
    deviations = losses - losses.mean(axis=1, keepdims=True)
    second = (deviations**2).mean(axis=1)
    third = (deviations**3).mean(axis=1)
    varies = second > 0
    return SampleMoments(
        n=n,
        n_folds=n_folds,
        mean=losses.mean(axis=1),
        overall=second * n / (n - 1),
        within=folds.var(axis=2, ddof=1).mean(axis=1),
        between=folds.mean(axis=2).var(axis=1, ddof=1),
        is_zero_one=((losses == 0) | (losses == 1)).all(axis=1),
        skewness=np.where(varies, third / np.where(varies, second, 1) ** 1.5, 0.0),
    )
