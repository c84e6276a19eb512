"""Bootstrap replicates of one statistic, with its bias, variance and acceleration."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thetahat.numerics.bootstrap.interval_ends import compute_rounding
from thetahat.statistics import Functional
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class StatisticReplicates:
    """Values of one statistic on B resamples."""

    functional: Functional
    """The statistic on the sample."""
    starts: IntArray
    """(S + 1,) first row of each stratum, and the number of rows; strata are resampled
    separately."""
    base: float
    """The scaled statistic of the sample itself."""
    scaled: FloatArray
    """(B,) scaled statistics of the resamples: (statistic - shift) times divisor."""
    variances: FloatArray | None
    """(B,) jackknife variances of ``scaled``, NaN if undefined; None if not requested."""
    n_drawn_again: int
    """Number of resamples without a value that were replaced by new ones."""

    @property
    def n_resamples(self) -> int:
        """Number of resamples, B."""
        return len(self.scaled)

    @property
    def estimate(self) -> float:
        """The statistic of the sample."""
        return self.functional.shift + self.base / self.functional.divisor

    @cached_property
    def values(self) -> FloatArray:
        """(B,) the statistic of each resample."""
        return np.asarray(self.functional.shift + self.scaled / self.functional.divisor)

    @cached_property
    def sorted_deviations(self) -> FloatArray:
        """(B,) replicates minus the estimate, in ascending order."""
        return np.sort(self.scaled - self.base) / self.functional.divisor

    @property
    def rounding(self) -> float:
        """The largest deviation that is a rounding error."""
        return compute_rounding(self.sorted_deviations, self.base / self.functional.divisor)

    @cached_property
    def bias(self) -> float:
        r"""Mean of the replicates minus the estimate.

        Exact for integers up to the one division at the end.
        """
        off = math.fsum(self.scaled - self.base)
        return off / (self.functional.divisor * self.n_resamples)

    @property
    def replicates_mean(self) -> float:
        """Mean of the replicates."""
        functional = self.functional
        mean = math.fsum(self.scaled) / (functional.divisor * self.n_resamples)
        return functional.shift + mean

    @cached_property
    def variance(self) -> float | None:
        """Sample variance (ddof 1) of the replicates; None for a single replicate."""
        if self.n_resamples < 2:
            return None
        spread, power = self._spread
        return spread * power**2 / self.functional.divisor**2

    @property
    def standard_error(self) -> float | None:
        """Square root of the variance, accurate even if the variance itself underflows."""
        if self.n_resamples < 2:
            return None
        spread, power = self._spread
        return math.sqrt(spread) * power / self.functional.divisor

    @cached_property
    def _spread(self) -> tuple[float, float]:
        """Variance of ``scaled`` divided by a power of 2, and that power."""
        off = self.scaled - self.base
        power = 2.0 ** max(math.frexp(float(np.abs(off).max()))[1], -1000)
        return float((off / power).var(ddof=1)), power

    @cached_property
    def is_constant(self) -> bool:
        """Whether all replicates equal the estimate."""
        return bool((self.scaled == self.base).all())

    @cached_property
    def acceleration(self) -> float | None:
        r"""Acceleration of BCa, from the jackknife; None if the jackknife is undefined.

        .. math:: a = \frac{\sum_k n_k^{-3} \sum_{i \in k} U_i^3}
            {6 (\sum_k n_k^{-2} \sum_{i \in k} U_i^2)^{3/2}}, \qquad
            U_i = (n_k - 1)(\bar\theta_{(\cdot)} - \theta_{(-i)})

        over the strata k, which are resampled separately.
        """
        without = self.functional.jackknife()
        if not np.isfinite(without).all():
            return None
        influences = []
        for start, stop in zip(self.starts[:-1], self.starts[1:], strict=True):
            part = without[start:stop]
            n = stop - start
            off = part - part[0]  # a large common value would cost digits
            influences.append((n - 1) / n * (off.mean() - off))
        U = np.concatenate(influences)
        size = float(np.abs(U).max())
        if size == 0:
            return 0.0
        U = U / size
        return float((U**3).sum() / (6 * (U**2).sum() ** 1.5))

    @cached_property
    def sample_standard_error(self) -> float | None:
        """Jackknife standard error of the sample; None if it is undefined."""
        counts = np.ones((1, int(self.starts[-1])))
        variance = float(self.functional.jackknife_variances(counts)[0])
        return math.sqrt(variance) / self.functional.divisor if math.isfinite(variance) else None

    @cached_property
    def ratios(self) -> FloatArray:
        """(B,) sorted (replicate - estimate) / standard error; infinite if that is not positive."""
        assert self.variances is not None  # noqa: S101 - computed for studentised intervals
        off = self.scaled - self.base
        errors = np.sqrt(np.nan_to_num(self.variances, nan=0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.sort(np.where(off == 0, 0.0, off / errors))
