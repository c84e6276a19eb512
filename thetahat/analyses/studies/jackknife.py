"""Monte-Carlo errors of any statistic of the records, by leaving out groups of repetitions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from thetahat.analyses.studies.base import Records
from thetahat.analyses.studies.tables import MonteCarloNumber
from thetahat.values.types import FloatArray

GROUPS: Final = 40
"""Enough for an error good to a ninth part, and few enough to be quick."""

Statistics = Mapping[str, FloatArray]


def jackknife(
    statistics: Callable[[Records], Statistics], records: Records, n_groups: int = GROUPS
) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    r"""Return statistics of all repetitions, and the standard error of each.

    .. math:: \widehat{se}^2 = \frac{G - 1}{G} \sum_g (t_{(g)} - \bar t)^2

    with :math:`t_{(g)}` the statistic without group g of consecutive repetitions. It is for smooth
    functions of means (moments, covariances, ratios), not for quantiles.

    Parameters
    ----------
    statistics : callable
        Takes records and gives arrays by name, of the same shapes for any number of repetitions.
    records : mapping of str to ndarray
        (R, ...) each.
    n_groups : int
        G; fewer where there are fewer repetitions.

    Returns
    -------
    tuple of dict
        Values, and standard errors of the same shapes; NaN with fewer than four repetitions.
    """
    rows = len(next(iter(records.values())))
    values = {name: np.asarray(v, dtype=np.float64) for name, v in statistics(records).items()}
    groups = min(n_groups, rows // 2)
    if groups < 2:
        return values, {name: np.full(v.shape, math.nan) for name, v in values.items()}
    edges = [rows * g // groups for g in range(groups + 1)]
    left: dict[str, list[FloatArray]] = {name: [] for name in values}
    for g in range(groups):
        kept = np.r_[0 : edges[g], edges[g + 1] : rows]
        without = statistics({name: v[kept] for name, v in records.items()})
        for name, v in without.items():
            left[name].append(np.asarray(v, dtype=np.float64))
    errors = {}
    for name, of_groups in left.items():
        t = np.stack(of_groups)
        squares = ((t - t.mean(axis=0)) ** 2).sum(axis=0)
        errors[name] = np.sqrt((groups - 1) / groups * squares)
    return values, errors


def number_at(
    values: Mapping[str, FloatArray],
    errors: Mapping[str, FloatArray],
    name: str,
    at: int | tuple[int, ...] = (),
) -> MonteCarloNumber:
    """Return one entry as a ``MonteCarloNumber``; what is not finite is None."""
    value, error = float(values[name][at]), float(errors[name][at])
    return MonteCarloNumber(
        value if math.isfinite(value) else None, error if math.isfinite(error) else None
    )
