"""Monte-Carlo errors of any statistic of the records, by leaving out groups of repetitions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from thetahat.analyses.studies.base import Records
from thetahat.analyses.studies.claims import ClaimCase
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat.values.types import FloatArray

N_GROUPS: Final = 40
"""Groups of repetitions: enough for a standard error that is itself known to about 11 %, and few
enough to be quick."""

Statistics: TypeAlias = Mapping[str, FloatArray]
"""Statistics of the records by name, each an array of any shape."""


@dataclass(frozen=True, slots=True, eq=False)
class JackknifedStatistics:
    """Statistics of all repetitions with their Monte-Carlo standard errors."""

    values: Mapping[str, FloatArray]
    errors: Mapping[str, FloatArray]
    """Both by name, arrays of the same shape; an error is NaN with fewer than four repetitions."""

    def get_number(self, name: str, at: int | tuple[int, ...] = ()) -> MonteCarloNumber:
        """Return one entry of a statistic; values that are not finite become None."""
        value, error = float(self.values[name][at]), float(self.errors[name][at])
        return MonteCarloNumber(
            value if math.isfinite(value) else None, error if math.isfinite(error) else None
        )

    def get_numbers(self, name: str, n: int, at: tuple[int, ...] = ()) -> list[MonteCarloNumber]:
        """Return the first ``n`` entries along the first axis, each at ``at`` of the others."""
        return [self.get_number(name, (i, *at)) for i in range(n)]

    def build_case(
        self, at: int | tuple[int, ...], fields: Mapping[str, str | float], prefix: str = ""
    ) -> ClaimCase[str]:
        """Return the case whose quantities are the entries at ``at`` of the statistics computed.

        ``fields`` fill the braces of the claims' texts, and ``prefix`` precedes the name of a
        quantity in the statistics' names.
        """

        def get_number(quantity: str) -> MonteCarloNumber | None:
            name = prefix + quantity
            return self.get_number(name, at) if name in self.values else None

        return ClaimCase(get_number, fields)


def jackknife(
    statistics: Callable[[Records], Statistics], records: Records, n_groups: int = N_GROUPS
) -> JackknifedStatistics:
    r"""Return statistics of all repetitions, with the standard error of each.

    .. math:: \widehat{se}^2 = \frac{G - 1}{G} \sum_g (t_{(g)} - \bar t)^2

    with :math:`t_{(g)}` the statistic without group g of consecutive repetitions. The error is
    right for smooth functions of means (moments, covariances, ratios), not for quantiles.

    Parameters
    ----------
    statistics : callable
        Takes records and returns arrays by name, of the same shapes for any number of repetitions.
    records : mapping of str to ndarray
        (R, ...) each.
    n_groups : int
        G; fewer groups are used if there are fewer repetitions.
    """
    n = len(next(iter(records.values())))
    values = {name: np.asarray(v, dtype=np.float64) for name, v in statistics(records).items()}
    groups = min(n_groups, n // 2)
    if groups < 2:
        unknown = {name: np.full(v.shape, math.nan) for name, v in values.items()}
        return JackknifedStatistics(values, unknown)
    edges = [n * g // groups for g in range(groups + 1)]
    left_out: dict[str, list[FloatArray]] = {name: [] for name in values}
    for g in range(groups):
        kept = np.r_[0 : edges[g], edges[g + 1] : n]
        without = statistics({name: v[kept] for name, v in records.items()})
        for name, v in without.items():
            left_out[name].append(np.asarray(v, dtype=np.float64))
    errors = {}
    for name, by_group in left_out.items():
        t = np.stack(by_group)
        squares = ((t - t.mean(axis=0)) ** 2).sum(axis=0)
        errors[name] = np.sqrt((groups - 1) / groups * squares)
    return JackknifedStatistics(values, errors)
