"""Permutation test of the means of two independent samples."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from typing import ClassVar, Final, Literal, get_args

import numpy as np

from thetahat.cautions import FEW_UNITS, Caution
from thetahat.distributions import count_extreme
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.parameter_checks import check_choice, check_range
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.statistics.base import Sample
from thetahat.two_sample_tests.base import TwoSampleOutcome
from thetahat.values.batch_sizes import NUMBERS_IN_32_MB
from thetahat.values.types import Alternative, FloatArray

Variant = Literal["welch", "plain"]

_MAX_ENUMERATED: Final = 100_000
"""Divisions of the rows in two samples up to which all are counted: ten rows and nine."""
_DEFAULT_RESAMPLES: Final = 9999
_MIN_RESAMPLES: Final = 999
_MAX_DEFAULT_DRAWS: Final = 200_000_000
"""Rows times permutations that are drawn without a number in the request: some seconds."""
_MAX_DRAWS: Final = 4_000_000_000
"""Rows times permutations at most, as of a bootstrap: a minute or two."""
_TIE: Final = 1e-9
"""Statistics are equal if they differ by at most this, relative to the larger of 1 and theirs:
rounding in the sums of a million values is smaller."""


@dataclass(frozen=True, slots=True)
class TwoSamplePermutation:
    r"""Test that two independent samples come from populations with the same mean.

    In the formula n and m are the sizes of the samples, :math:`s^2` their variances (ddof 1) and
    :math:`T_b` the statistic after the rows were divided anew in samples of n and m. If there are
    at most 100 000 divisions all are counted and :math:`p = \#\{|T_b| \ge |T|\} / \binom{n+m}{n}`.

    Deviations: statistics that differ by 1e-9, relative to the larger of 1 and the statistic, count
    as equal.

    Degenerate cases: where both variances are 0 T is 0 for equal means and infinite for others; an
    infinite statistic is left out, and its p-value is the share of divisions that are infinite too.

    Parameters
    ----------
    variant : str
        ``welch`` is studentised: it divides the difference by its standard error, as Welch's t
        does. ``plain`` is the difference itself.
    n_resamples : int or None
        Number B of divisions that are drawn if they are too many to count. By default 9999, and
        down to 999 for samples of more than 20 000 rows.
    """

    variant: Variant = "welch"
    n_resamples: int | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Permutation test of two independent samples",
        summary=(
            "Returns how often the difference of two means, in units of its standard error, would "
            "be at least as large if the rows were divided in two samples at random. It is for "
            "models that were measured on different instances."
        ),
        formula=(
            r"T = \frac{\bar x - \bar y}{\sqrt{s_x^2 / n + s_y^2 / m}},\quad"
            r" p = (\#\{|T_b| \ge |T|\} + 1) / (B + 1)"
        ),
        references=("chung2013", "fisher1935", "janssen1997", "phipson2010"),
        assumptions=(
            "The two samples are independent of each other, and so are the rows of each. Losses "
            "of two models on the same instances are pairs: use the test permutation for them."
        ),
        errs=(
            "Exact if under the null the two populations are the same. If only their means are "
            "the same, the studentised form keeps its level with many rows, whatever the "
            "variances. The plain form needs equal variances: it rejects too often if the smaller "
            "sample varies more, and too rarely if it varies less."
        ),
        blocks=EVERY_BLOCK_KIND,
    )

    def __post_init__(self) -> None:
        check_choice("variant", self.variant, get_args(Variant))
        check_range("n_resamples", self.n_resamples, 99, 1_000_000)

    def inapplicable(self, n_x: int, n_y: int) -> str | None:
        """Return why the samples are too small or too large, or None."""
        least = 2 if self.variant == "welch" else 1
        if min(n_x, n_y) < least:
            return f"{self.info.name} needs {least} values or more in each sample"
        return None

    def test(
        self, sample: Sample, alternative: Alternative, rng: np.random.Generator
    ) -> TwoSampleOutcome:
        """Test that the samples x and y have the same mean."""
        if sample.y is None:
            raise InvalidParameter(f"{self.info.name} needs a second sample, y", loc=("y",))
        n, m = len(sample.x), len(sample.y)
        reason = self.inapplicable(n, m)
        if reason is not None:
            raise InsufficientData(reason, loc=("x" if n <= m else "y",), value=min(n, m))
        pooled = np.concatenate([sample.x, sample.y])
        values = _standardise(pooled)
        observed = self._compute(values, np.arange(n)[np.newaxis])[0]
        n_divisions = math.comb(n + m, n)
        is_exact = n_divisions <= _MAX_ENUMERATED
        B = n_divisions if is_exact else self._choose_n_resamples(n + m)
        divisions = _enumerate(n + m, n) if is_exact else _draw(n + m, n, B, rng)
        slack = _TIE * max(1.0, abs(observed)) if math.isfinite(observed) else 0.0
        count = sum(
            count_extreme(self._compute(values, chosen), observed, slack, alternative)
            for chosen in divisions
        )
        p = count / B if is_exact else (count + 1) / (B + 1)
        difference = float(sample.x.mean() - sample.y.mean())
        statistic = float(observed) if self.variant == "welch" else difference
        return TwoSampleOutcome(
            difference=difference,
            statistic=statistic if math.isfinite(statistic) else None,
            alternative=alternative,
            p_value=p,
            monte_carlo_error=0.0 if is_exact else math.sqrt(p * (1 - p) / B),
            method="exact" if is_exact else "random",
            n_permutations=B,
            cautions=self._find_cautions(min(n, m)),
        )

    def _choose_n_resamples(self, n_rows: int) -> int:
        """Return the requested B, or one by the size of the samples."""
        if self.n_resamples is None:
            fitting = _MAX_DEFAULT_DRAWS // n_rows
            return max(_MIN_RESAMPLES, min(_DEFAULT_RESAMPLES, fitting))
        if self.n_resamples * n_rows > _MAX_DRAWS:
            raise InvalidParameter(
                f"{self.n_resamples} permutations of {n_rows} rows are more than "
                f"{_MAX_DRAWS} draws; use fewer permutations",
                loc=("n_resamples",),
                value=self.n_resamples,
            )
        return self.n_resamples

    def _compute(self, values: FloatArray, chosen: np.ndarray) -> FloatArray:
        """Return (b,) statistics; the (b, n) chosen rows of (N,) values are the first sample.

        The values have mean 0, so that the sums of the second sample follow from the first.
        """
        N, n = len(values), chosen.shape[1]
        m = N - n
        first = values[chosen]
        x_sum, x_squares = first.sum(axis=1), np.einsum("bi,bi->b", first, first)
        y_sum, y_squares = values.sum() - x_sum, values @ values - x_squares
        difference = x_sum / n - y_sum / m
        if self.variant == "plain":
            return np.asarray(difference)
        x_variance = (x_squares - x_sum**2 / n) / (n - 1)
        y_variance = (y_squares - y_sum**2 / m) / (m - 1)
        # values have a mean square of 1: anything smaller is the rounding of the sums
        rounding = 16 * np.finfo(np.float64).eps * N
        x_variance[x_variance <= rounding] = 0.0
        y_variance[y_variance <= rounding] = 0.0
        difference[np.abs(difference) <= rounding] = 0.0
        error = np.sqrt(x_variance / n + y_variance / m)
        infinite = np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
        return np.asarray(np.divide(difference, error, out=infinite, where=error > 0))

    def _find_cautions(self, smallest: int) -> tuple[Caution, ...]:
        if smallest >= FEW_UNITS.threshold:
            return ()
        consequence = "the level of the test holds only if the two populations are the same"
        return (FEW_UNITS(subject="The test", n=smallest, units="rows", consequence=consequence),)


def _standardise(pooled: FloatArray) -> FloatArray:
    """Return the values with mean 0 and mean square 1; zeros if all are equal."""
    centred = pooled - pooled[0]
    centred = centred - centred.mean()
    size = math.sqrt(float(centred @ centred) / len(centred))
    largest = float(np.abs(pooled).max())
    if size <= 8 * np.finfo(np.float64).eps * largest:
        return np.zeros(len(pooled))
    return np.asarray(centred / size)


def _enumerate(N: int, n: int) -> Iterator[np.ndarray]:
    """Yield (b, n) row numbers of the first sample, every division once."""
    every = combinations(range(N), n)
    step = max(1, NUMBERS_IN_32_MB // N)
    while chunk := list(islice(every, step)):
        yield np.array(chunk, dtype=np.intp)


def _draw(N: int, n: int, B: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield (b, n) row numbers of the first sample of B random divisions."""
    step = max(1, NUMBERS_IN_32_MB // N)
    for start in range(0, B, step):
        keys = rng.random((min(step, B - start), N))
        yield np.argpartition(keys, n - 1, axis=1)[:, :n]
