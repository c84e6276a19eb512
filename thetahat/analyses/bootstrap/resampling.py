"""The bootstrap of any statistic of a sample: every resample's value, some at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.analyses.bootstrap.replicates import StatisticReplicates
from thetahat.errors import InvalidParameter
from thetahat.numerics.bootstrap.given_resamples import GivenResamples
from thetahat.numerics.bootstrap.resamples import MANY_DRAWS, HashedResamples, few_kinds
from thetahat.statistics import Functional, FunctionalOfKinds, OfSums, Sample, Statistic
from thetahat.values.number_text import format_number
from thetahat.values.types import FloatArray

FEWEST_RESAMPLES: Final = 2
MOST_RESAMPLES: Final = 1_000_000
MOST_DRAWS: Final = 4_000_000_000
"""Rows times resamples: some ten seconds of one core."""
MOST_STUDENTISED: Final = 100_000_000
"""The same where every resample gets a standard error of its own, which takes several times as
long."""

_ENTRIES_AT_ONCE = 2**18  # 2 MB: a chunk of resamples stays in the cache
_ENTRIES_OF_SUMS = 2**22  # of which nothing is kept but the sums
_ENTRIES_OF_KINDS = 2**19
_ENTRIES_WITH_ERRORS = 2**14  # a jackknife has several arrays of them

AnyResamples = HashedResamples | GivenResamples


def check_size(n_rows: int, n_resamples: int, *, loc: tuple[str | int, ...]) -> None:
    """Refuse what would take too long."""
    if not FEWEST_RESAMPLES <= n_resamples <= MOST_RESAMPLES:
        raise InvalidParameter(
            f"n_resamples must lie in {FEWEST_RESAMPLES} to {MOST_RESAMPLES}, got {n_resamples}",
            loc=loc,
            value=n_resamples,
        )
    if n_rows * n_resamples > MOST_DRAWS:
        raise InvalidParameter(
            f"{n_resamples} resamples of {n_rows} rows need "
            f"{format_number(n_rows * n_resamples)} draws, and the most is "
            f"{format_number(MOST_DRAWS)}; request at most {MOST_DRAWS // n_rows} resamples",
            loc=loc,
            value=n_resamples,
        )


def bootstrap_statistic(
    statistic: Statistic, sample: Sample, resamples: AnyResamples, *, with_errors: bool = False
) -> StatisticReplicates:
    """Compute the statistic of every resample, some resamples at a time.

    Parameters
    ----------
    statistic : Statistic
        What is computed.
    sample : Sample
        Of the statistic's kind.
    resamples : HashedResamples or GivenResamples
        Of the sample's rows, in its strata.
    with_errors : bool
        Whether every resample gets its jackknife variance, for studentised intervals.

    Raises
    ------
    EvaluationError
        The statistic is not defined on the sample, or on a resample that is given.
    """
    n, B = int(resamples.starts[-1]), resamples.n_resamples
    functional = statistic.on(sample, fast=n * B >= MANY_DRAWS)
    base = functional.of_counts(np.ones((1, n)))[0]
    scaled = np.empty(B)
    variances = np.empty(B) if with_errors else None
    again = 0
    uncounted = None if with_errors else _without_counting(functional, resamples)
    at_once = _ENTRIES_WITH_ERRORS if with_errors else _ENTRIES_AT_ONCE
    for part in _parts(n, B, at_once) if uncounted is None else _parts(*uncounted.sizes):
        counts = None
        if uncounted is not None:
            scaled[part] = uncounted.of(part)
        else:
            counts = resamples.counts(part.start, part.stop)
            scaled[part] = functional.of_counts(counts)
        again += _draw_again(statistic, functional, resamples, part, counts, scaled[part])
        if variances is not None and counts is not None:
            variances[part] = functional.jackknife_variances(counts)
    return StatisticReplicates(functional, resamples.starts, float(base), scaled, variances, again)


@dataclass(frozen=True, slots=True)
class _Uncounted:
    """The values of resamples whose rows need not be counted one by one.

    Parameters
    ----------
    of : callable
        (b,) values of the resamples of a part.
    sizes : tuple of int
        Numbers held for each resample, how many resamples, and numbers held at once.
    """

    of: Callable[[slice], FloatArray]
    sizes: tuple[int, int, int]


def _without_counting(functional: Functional, resamples: AnyResamples) -> _Uncounted | None:
    """Return how the same values come from fewer numbers than a count of each row, if they do."""
    if not isinstance(resamples, HashedResamples):
        return None
    n, B = int(resamples.starts[-1]), resamples.n_resamples
    if isinstance(functional, OfSums):  # adding what is drawn beats counting it, for few columns
        columns, of_sums = functional.columns, functional.of_sums

        def summed(part: slice) -> FloatArray:
            return of_sums(resamples.sums(columns, part.start, part.stop))

        return _Uncounted(summed, (n, B, _ENTRIES_OF_SUMS))
    if not isinstance(functional, FunctionalOfKinds) or n * B < MANY_DRAWS:
        return None
    kinds, n_kinds = functional.kinds()
    of_kinds = functional.of_kinds
    if not few_kinds(n_kinds, n):
        return None

    def of_few(part: slice) -> FloatArray:
        return of_kinds(resamples.counts_by_kind(kinds, n_kinds, part.start, part.stop))

    return _Uncounted(of_few, (n_kinds, B, _ENTRIES_OF_KINDS))


def _parts(n: int, n_resamples: int, entries: int) -> Iterator[slice]:
    step = max(1, entries // n)
    for first in range(0, n_resamples, step):
        yield slice(first, min(first + step, n_resamples))


def _draw_again(  # noqa: PLR0913 - what a chunk consists of
    statistic: Statistic,
    functional: Functional,
    resamples: AnyResamples,
    part: slice,
    counts: FloatArray | None,
    values: FloatArray,
) -> int:
    """Replace draws without a value, in place, until all have one; return how many draws it took.

    At least one of three draws has a value where the sample itself has one, so that this ends.
    """
    drawn, attempt = 0, 0
    while len(bad := np.flatnonzero(np.isnan(values))):
        if isinstance(resamples, GivenResamples):
            at = part.start + int(bad[0])
            raise InvalidParameter(
                f"resample {at} has no value: {statistic.undefined()}", loc=("resamples", at)
            )
        attempt += 1
        drawn += len(bad)
        others = resamples.counts_again(part.start + bad, attempt)
        values[bad] = functional.of_counts(others)
        if counts is not None:
            counts[bad] = others
    return drawn
