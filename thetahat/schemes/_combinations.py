"""Splits for every possible set of test rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, islice

import numpy as np

from thetahat.errors import InsufficientData, Loc
from thetahat.parameter_checks import MAX_SPLITS
from thetahat.schemes.base import Split, list_other_rows


def count_splits(n: int, n_test: int, loc: Loc) -> int:
    """Return C(n, n_test), the number of splits; raise if it is above ``MAX_SPLITS``."""
    digits = (
        math.lgamma(n + 1) - math.lgamma(n_test + 1) - math.lgamma(n - n_test + 1)
    ) / math.log(10)
    few = digits < 15  # a longer number would be slow to compute and hard to read
    total = math.comb(n, n_test) if few else 0
    if not few or total > MAX_SPLITS:
        shown = f"{total}" if few else f"about 10^{digits:.0f}"
        raise InsufficientData(
            f"{n} rows can be parted in {shown} ways with {n_test} rows for test, more than the "
            f"{MAX_SPLITS} splits that are done. random_subsampling draws some of them.",
            loc=loc,
            value=n_test,
        )
    return total


def yield_all_splits(n: int, n_test: int, start: int, stop: int | None) -> Iterator[Split]:
    """Yield the splits from ``start`` to ``stop``.

    They are in lexicographic order of the test rows, or of the training rows if there are fewer of
    those, because the splits before ``start`` are then counted faster.
    """
    tests_are_chosen = n_test <= n - n_test
    chosen = combinations(range(n), n_test if tests_are_chosen else n - n_test)
    for split, part in enumerate(islice(chosen, start, stop), start):
        few = np.array(part, dtype=np.intp)
        many = list_other_rows(few, n)
        train, test = (many, few) if tests_are_chosen else (few, many)
        yield Split(0, split, split, train, test)
