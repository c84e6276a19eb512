"""Statistics of resamples: by the service, and one by one from the drawn values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np

from thetahat.analyses.bootstrap.replicates import StatisticReplicates
from thetahat.analyses.bootstrap.resampling import bootstrap_statistic
from thetahat.numerics.bootstrap.listed_resamples import GivenResamples
from thetahat.numerics.bootstrap.resamples import HashedResamples
from thetahat.statistics import Sample, Statistic

FloatArray = np.ndarray
LAW_LSAT = np.array(
    [576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594], dtype=float
)
LAW_GPA = np.array(
    [3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96]
)
"""Efron and Tibshirani (1993), Table 3.1: the sample of 15 law schools."""


def sample(x: Any, y: Any = None) -> Sample:
    return Sample(np.array(x, dtype=float), None if y is None else np.array(y, dtype=float))


def drawn(
    statistic: Statistic,
    data: Sample,
    n_resamples: int = 200,
    *,
    seed: int = 3,
    errors: bool = False,
) -> StatisticReplicates:
    resamples = HashedResamples(statistic.strata(data), seed, n_resamples)
    return bootstrap_statistic(statistic, data, resamples, with_errors=errors)


def bootstrap_rows(
    statistic: Statistic, data: Sample, rows: Sequence[Sequence[int]], *, errors: bool = False
) -> StatisticReplicates:
    resamples = GivenResamples(np.array(rows, dtype=np.intp), statistic.strata(data))
    return bootstrap_statistic(statistic, data, resamples, with_errors=errors)


def every_resample(n: int) -> list[tuple[int, ...]]:
    return list(product(range(n), repeat=n))


def check_by_hand(
    statistic: Statistic,
    data: Sample,
    by_hand: Callable[..., Any],
    *,
    n_resamples: int = 60,
    compared: int = 60,
    rtol: float = 1e-10,
) -> None:
    """Compare replicates, and their jackknife variances, with the function on the drawn values."""
    starts = statistic.strata(data)
    resamples = HashedResamples(starts, 5, n_resamples)
    smooth = statistic.is_smooth
    replicates = bootstrap_statistic(statistic, data, resamples, with_errors=smooth)
    plain = bootstrap_statistic(statistic, data, resamples)
    counts = resamples.counts(0, compared).astype(int)
    rows = np.array([np.repeat(np.arange(starts[-1]), times) for times in counts])
    parts = [values for _, values in data.parts()]

    def value(index: FloatArray) -> float:
        if len(starts) == 2:
            return float(by_hand(*(part[index] for part in parts)))
        first = index < starts[1]
        return float(by_hand(parts[0][index[first]], parts[1][index[~first] - starts[1]]))

    everything = np.arange(starts[-1])
    np.testing.assert_allclose(replicates.estimate, value(everything), rtol=rtol)
    expected = [value(index) for index in rows]
    np.testing.assert_allclose(replicates.values[:compared], expected, rtol=rtol, atol=1e-12)
    np.testing.assert_allclose(plain.values, replicates.values, rtol=rtol, atol=1e-12)
    without = [value(np.delete(everything, i)) for i in everything[:40]]
    jackknife = (
        replicates.functional.jackknife() / replicates.functional.divisor
        + replicates.functional.shift
    )
    if len(starts) == 2:
        np.testing.assert_allclose(jackknife[:40], without, rtol=rtol, atol=1e-12)
    if not smooth:
        return
    assert replicates.variances is not None
    np.testing.assert_allclose(
        replicates.variances[:3] / replicates.functional.divisor**2,
        [spread(value, index, starts) for index in rows[:3]],
        rtol=1e-7,
        atol=1e-13,
    )


def spread(value: Callable[[FloatArray], float], index: FloatArray, starts: FloatArray) -> float:
    """Return the jackknife's variance of one resample, leaving out each draw of each sample."""
    total = 0.0
    for start, stop in pairwise(starts):
        places = np.flatnonzero((index >= start) & (index < stop))
        without = np.array([value(np.delete(index, place)) for place in places])
        n = len(places)
        total += (n - 1) / n * ((without - without.mean()) ** 2).sum()
    return float(total)
