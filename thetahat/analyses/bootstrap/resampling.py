"""Computes a statistic on bootstrap resamples, in chunks of resamples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.analyses.bootstrap.replicates import StatisticReplicates
from thetahat.errors import InvalidParameter
from thetahat.numerics.bootstrap.listed_resamples import GivenResamples
from thetahat.numerics.bootstrap.resamples import HashedResamples, few_kinds
from thetahat.numerics.loops.compiling import uses_loops
from thetahat.numerics.thresholds import MANY_DRAWS
from thetahat.statistics import Functional, FunctionalOfKinds, Sample, Statistic, SumsFunctional
from thetahat.statistics.vector_statistics import VectorStatistic
from thetahat.values.batch_sizes import NUMBERS_IN_2_MB, NUMBERS_IN_32_MB
from thetahat.values.number_text import format_number
from thetahat.values.types import FloatArray, IntArray

DEFAULT_RESAMPLES: Final = 2000
MIN_RESAMPLES: Final = 2
MAX_RESAMPLES: Final = 1_000_000
MAX_DRAWS: Final = 4_000_000_000
"""Largest number of rows times resamples: about ten seconds of one core."""
MAX_STUDENTISED: Final = 100_000_000
"""The same limit if every resample also gets a standard error, which takes several times as
long."""

_ENTRIES_OF_KINDS = 2**19
_ENTRIES_WITH_ERRORS = 2**14  # smaller, because a jackknife needs several such arrays

AnyResamples = HashedResamples | GivenResamples


def check_size(n_rows: int, n_resamples: int, *, loc: tuple[str | int, ...]) -> None:
    """Raise ``InvalidParameter`` for too few or too many resamples or draws."""
    if not MIN_RESAMPLES <= n_resamples <= MAX_RESAMPLES:
        raise InvalidParameter(
            f"n_resamples must lie in {MIN_RESAMPLES} to {MAX_RESAMPLES}, got {n_resamples}.",
            loc=loc,
            value=n_resamples,
        )
    if n_rows * n_resamples > MAX_DRAWS:
        raise InvalidParameter(
            f"{n_resamples} resamples of {n_rows} rows need "
            f"{format_number(n_rows * n_resamples)} draws, and the most is "
            f"{format_number(MAX_DRAWS)}. Request at most {MAX_DRAWS // n_rows} resamples.",
            loc=loc,
            value=n_resamples,
        )


def bootstrap_statistic(
    statistic: Statistic, sample: Sample, resamples: AnyResamples, *, with_errors: bool = False
) -> StatisticReplicates:
    """Return the statistic of every resample, computed in chunks of resamples.

    Parameters
    ----------
    statistic : Statistic
        The statistic.
    sample : Sample
        A sample of the kind that the statistic takes.
    resamples : HashedResamples or GivenResamples
        Resamples of the rows of the sample, within its strata.
    with_errors : bool
        Whether to compute the jackknife variance of every resample, for studentised intervals.

    Raises
    ------
    EvaluationError
        The statistic is undefined on the sample, or on a resample that the request lists.
    """
    n, B = int(resamples.starts[-1]), resamples.n_resamples
    functional = statistic.build_functional(sample, fast=uses_loops(n * B, MANY_DRAWS))
    base = functional.evaluate_counts(np.ones((1, n)))[0]
    scaled = np.empty(B)
    variances = np.empty(B) if with_errors else None
    n_drawn_again = 0
    faster = None if with_errors else _find_faster_computation(functional, resamples)
    at_once = _ENTRIES_WITH_ERRORS if with_errors else NUMBERS_IN_2_MB
    for part in _list_chunks(n, B, at_once) if faster is None else _list_chunks(*faster.sizes):
        counts = None
        if faster is not None:
            scaled[part] = faster.compute(part)
        else:
            counts = resamples.counts(part.start, part.stop)
            scaled[part] = functional.evaluate_counts(counts)
        n_drawn_again += _draw_again(statistic, functional, resamples, part, counts, scaled[part])
        if variances is not None and counts is not None:
            variances[part] = functional.jackknife_variances(counts)
    return StatisticReplicates(
        functional, resamples.starts, float(base), scaled, variances, n_drawn_again
    )


@dataclass(frozen=True, slots=True)
class _FasterComputation:
    """A faster way to compute the statistic, without counting every row of a resample."""

    compute: Callable[[slice], FloatArray]
    """Returns the (b,) values of a chunk of resamples."""
    sizes: tuple[int, int, int]
    """Numbers in memory for each resample, number of resamples, and numbers in memory at once."""


def _find_faster_computation(
    functional: Functional, resamples: AnyResamples
) -> _FasterComputation | None:
    """Return a way to compute the same values without a count of each row, or None."""
    if not isinstance(resamples, HashedResamples):
        return None
    n, B = int(resamples.starts[-1]), resamples.n_resamples
    if isinstance(functional, SumsFunctional):  # for few columns, adding drawn rows is faster
        columns, evaluate_sums = functional.columns, functional.evaluate_sums

        def compute_from_sums(part: slice) -> FloatArray:
            return evaluate_sums(resamples.sums(columns, part.start, part.stop))

        return _FasterComputation(compute_from_sums, (n, B, NUMBERS_IN_32_MB))
    if not isinstance(functional, FunctionalOfKinds) or not uses_loops(n * B, MANY_DRAWS):
        return None
    kinds, n_kinds = functional.kinds()
    evaluate_kinds = functional.evaluate_kinds
    if not few_kinds(n_kinds, n):
        return None

    def compute_from_kinds(part: slice) -> FloatArray:
        return evaluate_kinds(resamples.counts_by_kind(kinds, n_kinds, part.start, part.stop))

    return _FasterComputation(compute_from_kinds, (n_kinds, B, _ENTRIES_OF_KINDS))


def _list_chunks(n: int, n_resamples: int, entries: int) -> Iterator[slice]:
    step = max(1, entries // n)
    for first in range(0, n_resamples, step):
        yield slice(first, min(first + step, n_resamples))


def draw_counts_again(
    statistic: Statistic | VectorStatistic, resamples: AnyResamples, which: IntArray, attempt: int
) -> FloatArray:
    """Return (b, U) counts of new draws in the place of resamples without a value.

    Resamples of a request cannot be drawn again and are refused.
    """
    if isinstance(resamples, GivenResamples):
        at = int(which[0])
        raise InvalidParameter(
            f"Resample {at} has no value: {statistic.undefined()}", loc=("resamples", at)
        )
    return resamples.redraw_counts(which, attempt)


def _draw_again(  # noqa: PLR0913 - all parts of a chunk
    statistic: Statistic,
    functional: Functional,
    resamples: AnyResamples,
    part: slice,
    counts: FloatArray | None,
    values: FloatArray,
) -> int:
    """Draw resamples without a value again, in place, until all have one; return the number drawn.

    This ends, because at least a third of all draws have a value if the sample has one.
    """
    drawn, attempt = 0, 0
    while len(bad := np.flatnonzero(np.isnan(values))):
        attempt += 1
        drawn += len(bad)
        others = draw_counts_again(statistic, resamples, part.start + bad, attempt)
        values[bad] = functional.evaluate_counts(others)
        if counts is not None:
            counts[bad] = others
    return drawn
