"""Cross-validated losses of many samples, and the moments that intervals are built from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np

from thetahat.seeds import make_random_stream
from thetahat.values.types import BoolArray, FloatArray, IntArray
from thetahat_replications.one_partition.batch_learners import LEARNERS
from thetahat_replications.one_partition.designs import N_FOLDS, DrawnPopulation

_MOST_CELLS: Final = 4_000_000
"""Largest number of pairs of rows whose distances are held at once."""
_MINUS: Final = " - "
"""Between the names of the two learners of a difference."""


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
class PairMoments:
    """What the losses of the two models of a difference have in common; arrays are (R,)."""

    largest_skewness: FloatArray
    """The larger size of their skewness."""
    are_rates: BoolArray
    """Whether all losses of both are 0 or 1."""
    only_a: IntArray
    """Rows on which the first alone has 1."""
    only_b: IntArray
    """Rows on which the second alone has 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LossSeries:
    """The losses of one learner, or the differences of two, in one design."""

    place: tuple[str, int, int, str, str]
    """Population, n, folds, loss and subject."""
    is_difference: bool
    moments: SampleMoments
    pair: PairMoments | None = None
    """The losses of the two models of a difference, where they are known."""
    diagnostics: Mapping[str, FloatArray] = field(default_factory=dict)
    """What further fits show: (R,) values by name."""

    @property
    def needed_factor(self) -> float:
        """The true variance of the mean over that of n independent losses."""
        moments = self.moments
        return float(moments.mean.var(ddof=1) / (moments.overall.mean() / moments.n))


SeriesKey: TypeAlias = tuple[str, str, bool]
"""Loss, subject, and whether it is a difference."""
ComputeSeries: TypeAlias = Callable[
    [FloatArray, FloatArray, int, np.random.Generator],
    Mapping[SeriesKey, tuple[FloatArray, ...]],
]
"""Takes features, targets, the number of folds and a generator; returns by series the (R, n) losses
and what else is computed."""


def simulate(population: DrawnPopulation, repetitions: int, seed: int) -> Iterator[LossSeries]:
    """Yield every learner and every comparison with the first one, for all sizes and folds."""

    def compute(
        x: FloatArray, y: FloatArray, n_folds: int, rng: np.random.Generator
    ) -> Mapping[SeriesKey, tuple[FloatArray, ...]]:
        del rng
        losses = list_losses(population, population.learners, x, y, n_folds)
        return {key: (values,) for key, values in losses.items()}

    for n in population.sizes:
        for n_folds in N_FOLDS:
            rng = make_random_stream(seed, f"{population.name} {n} {n_folds}")
            by_series = draw_series(population, (n, n_folds), repetitions, rng, compute)
            of_models = {key[:2]: losses for key, (losses,) in by_series.items() if not key[2]}
            for (loss, subject, is_difference), (losses,) in by_series.items():
                both = [of_models[loss, name] for name in subject.split(_MINUS)]
                yield LossSeries(
                    place=(population.name, n, n_folds, loss, subject),
                    is_difference=is_difference,
                    moments=compute_moments(losses, n_folds),
                    pair=compute_pair_moments(*both) if is_difference else None,
                )


def draw_series(  # noqa: PLR0913 - what is drawn, and what is computed of it
    population: DrawnPopulation,
    size: tuple[int, int],
    repetitions: int,
    rng: np.random.Generator,
    compute: ComputeSeries,
    most_cells: int = _MOST_CELLS,
) -> dict[SeriesKey, tuple[FloatArray, ...]]:
    """Return what is computed of all samples of one size (n and folds), drawn a part at a time."""
    n, n_folds = size
    parts: dict[SeriesKey, list[tuple[FloatArray, ...]]] = {}
    step = max(1, most_cells // n**2)
    for start in range(0, repetitions, step):
        x, y = population.draw(rng, min(step, repetitions - start), n)
        for key, computed in compute(x, y, n_folds, rng).items():
            parts.setdefault(key, []).append(computed)
    return {
        key: tuple(np.concatenate(arrays) for arrays in zip(*of_series, strict=True))
        for key, of_series in parts.items()
    }


def list_losses(
    population: DrawnPopulation,
    learners: Sequence[str],
    x: FloatArray,
    y: FloatArray,
    n_folds: int,
) -> dict[SeriesKey, FloatArray]:
    """Return the (R, n) cross-validated losses of learners, and of comparisons with the first."""
    losses: dict[tuple[str, str], FloatArray] = {}
    for learner in learners:
        predicted = LEARNERS[learner](x, y, n_folds)
        losses["squared", learner] = (predicted - y) ** 2
        if population.has_absolute_losses:
            losses["absolute", learner] = np.abs(predicted - y)
        if population.of_classes:
            losses["0/1", learner] = ((predicted > 0.5) != (y == 1)).astype(np.float64)
    first = population.learners[0]
    series: dict[SeriesKey, FloatArray] = {}
    for (loss, learner), values in losses.items():
        series[loss, learner, False] = values
        if learner != first and (loss, first) in losses:
            series[loss, f"{learner}{_MINUS}{first}", True] = values - losses[loss, first]
    return series


def compute_moments(losses: FloatArray, n_folds: int) -> SampleMoments:
    """Return the moments of (R, n) losses whose folds are runs of equal length."""
    r, n = losses.shape
    folds = losses.reshape(r, n_folds, -1)
    deviations = losses - losses.mean(axis=1, keepdims=True)
    second = (deviations**2).mean(axis=1)
    return SampleMoments(
        n=n,
        n_folds=n_folds,
        mean=losses.mean(axis=1),
        overall=second * n / (n - 1),
        within=folds.var(axis=2, ddof=1).mean(axis=1),
        between=folds.mean(axis=2).var(axis=1, ddof=1),
        is_zero_one=((losses == 0) | (losses == 1)).all(axis=1),
        skewness=_compute_skewness(deviations),
    )


def compute_pair_moments(a: FloatArray, b: FloatArray) -> PairMoments:
    """Return what the (R, n) losses of two models have in common."""
    are_rates = np.logical_and(*(((x == 0) | (x == 1)).all(axis=1) for x in (a, b)))
    only_a, only_b = (((a - b) == sign).sum(axis=1) for sign in (1, -1))
    deviations = (losses - losses.mean(axis=1, keepdims=True) for losses in (a, b))
    return PairMoments(
        largest_skewness=np.maximum(*(np.abs(_compute_skewness(of)) for of in deviations)),
        are_rates=are_rates,
        only_a=only_a,
        only_b=only_b,
    )


def _compute_skewness(deviations: FloatArray) -> FloatArray:
    second = (deviations**2).mean(axis=1)
    varies = second > 0
    third = (deviations**3).mean(axis=1)
    return np.where(varies, third / np.where(varies, second, 1.0) ** 1.5, 0.0)
