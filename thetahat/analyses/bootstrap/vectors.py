"""The bootstrap of a statistic with several components, all from the same resamples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from thetahat.analyses.bootstrap.intervals import (
    BcaInterval,
    StatisticInterval,
    StudentisedInterval,
    build_intervals,
    needs_errors,
)
from thetahat.analyses.bootstrap.replicates import StatisticReplicates
from thetahat.analyses.bootstrap.resampling import AnyResamples, draw_counts_again
from thetahat.cautions import FEW_UNITS, INTERVALS_ONE_BY_ONE, RESAMPLES_DRAWN_AGAIN, Caution
from thetahat.statistics.vector_statistics import VectorSample, VectorStatistic
from thetahat.statistics.vector_statistics.base import Component
from thetahat.values.batch_sizes import NUMBERS_IN_2_MB
from thetahat.values.types import Alternative, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComponentEstimate:
    """One component of a vector or a matrix, and what its resamples show of its distribution."""

    name: str
    """Name of the component: of a column, or of two columns with a comma between."""
    columns: tuple[str, ...]
    """The columns that it is about: one, or the row and the column of a matrix."""
    estimate: float
    """The component of the sample."""
    replicates_mean: float
    """Mean of the component over the resamples."""
    bias: float
    """That mean minus the estimate."""
    variance: float | None
    """Variance of the component over the resamples (ddof 1)."""
    standard_error: float | None
    """Root of the variance."""
    bias_corrected: float
    """The estimate minus the bias."""
    intervals: tuple[BcaInterval | StudentisedInterval | StatisticInterval, ...]
    """Intervals about the component."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VectorEstimate:
    """A vector or matrix of a sample, and what its resamples show of its distribution."""

    statistic: str
    """Name of the statistic."""
    n: int
    """Number of rows of the sample."""
    n_resamples: int
    """Number of resamples."""
    components: tuple[ComponentEstimate, ...]
    """Every component; of a symmetric matrix those on and above the diagonal."""
    covariance_of_components: tuple[tuple[float, ...], ...]
    """(q, q) covariance matrix of the q components over the resamples (ddof 1), in their order."""
    drawn_again: int
    """Number of draws that had no value and were drawn again."""
    cautions: tuple[Caution, ...]
    """What to know before using the numbers."""


def bootstrap_vector(
    statistic: VectorStatistic,
    sample: VectorSample,
    resamples: AnyResamples,
    *,
    with_errors: bool = False,
) -> tuple[StatisticReplicates, ...]:
    """Return the replicates of each component; they have the same resamples in the same order.

    Parameters
    ----------
    statistic : VectorStatistic
        The statistic.
    sample : VectorSample
        A sample of the kind that the statistic takes.
    resamples : HashedResamples or GivenResamples
        Resamples of the rows, at least two.
    with_errors : bool
        Whether to compute the jackknife variances of every resample, for studentised intervals.
    """
    functional = statistic.on(sample)
    n, B, q = sample.n, resamples.n_resamples, len(functional.shifts)
    values, variances = np.empty((B, q)), np.empty((B, q)) if with_errors else None
    n_drawn_again = 0
    entries = n * max(functional.columns.shape[1], q) if with_errors else n
    step = max(1, NUMBERS_IN_2_MB // entries)
    for first in range(0, B, step):
        part = slice(first, min(first + step, B))
        counts = resamples.counts(part.start, part.stop)
        values[part] = functional.evaluate_counts(counts)
        attempt = 0
        while len(bad := np.flatnonzero(np.isnan(values[part]).any(axis=1))):
            attempt += 1
            n_drawn_again += len(bad)
            counts[bad] = draw_counts_again(statistic, resamples, part.start + bad, attempt)
            values[part.start + bad] = functional.evaluate_counts(counts[bad])
        if variances is not None:
            variances[part] = functional.jackknife_variances(counts)
    base = functional.evaluate_counts(np.ones((1, n)))[0]
    starts: IntArray = np.array([0, n], dtype=np.intp)
    return tuple(
        StatisticReplicates(
            Component(functional, j),
            starts,
            float(base[j]),
            np.ascontiguousarray(values[:, j]),
            None if variances is None else np.ascontiguousarray(variances[:, j]),
            n_drawn_again,
        )
        for j in range(q)
    )


def estimate_vector(  # noqa: PLR0913 - the statistic, its sample, and how intervals are built
    statistic: VectorStatistic,
    sample: VectorSample,
    resamples: AnyResamples,
    methods: Sequence[str],
    level: float,
    alternative: Alternative,
) -> VectorEstimate:
    """Return every component with its intervals, and the covariance of the components."""
    replicates = bootstrap_vector(
        statistic, sample, resamples, with_errors=any(map(needs_errors, methods))
    )
    names = statistic.list_components(list(sample.columns))
    components = tuple(
        ComponentEstimate(
            name=", ".join(columns),
            columns=columns,
            estimate=one.estimate,
            replicates_mean=one.replicates_mean,
            bias=one.bias,
            variance=one.variance,
            standard_error=one.standard_error,
            bias_corrected=one.estimate - one.bias,
            intervals=build_intervals(one, statistic, methods, level, alternative),
        )
        for columns, one in zip(names, replicates, strict=True)
    )
    n_drawn_again = replicates[0].n_drawn_again
    return VectorEstimate(
        statistic=statistic.info.name,
        n=sample.n,
        n_resamples=resamples.n_resamples,
        components=components,
        covariance_of_components=_compute_covariance(replicates),
        drawn_again=n_drawn_again,
        cautions=tuple(_list_cautions(statistic, sample, len(components), n_drawn_again)),
    )


def _compute_covariance(replicates: Sequence[StatisticReplicates]) -> tuple[tuple[float, ...], ...]:
    """Return the (q, q) covariance of the replicates; its diagonal is exactly their variances."""
    deviations = np.stack([one.scaled - one.base for one in replicates], axis=1)
    covariance = np.atleast_2d(np.cov(deviations, rowvar=False, ddof=1))
    np.fill_diagonal(covariance, [one.variance or 0.0 for one in replicates])
    return tuple(tuple(row) for row in covariance.tolist())


def _list_cautions(
    statistic: VectorStatistic, sample: VectorSample, n_components: int, n_drawn_again: int
) -> Iterator[Caution]:
    if sample.n < FEW_UNITS.threshold:
        yield FEW_UNITS(
            subject="The bootstrap",
            n=sample.n,
            units="rows",
            consequence="the replicates vary too little and show little of the tails",
        )
    if n_drawn_again:
        yield RESAMPLES_DRAWN_AGAIN(n=n_drawn_again, reason=statistic.undefined())
    if n_components > 1:
        yield INTERVALS_ONE_BY_ONE(n=n_components)
