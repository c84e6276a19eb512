r"""How often at least one of k runs of an item succeeds, or all of them.

Of n runs, c of them right, the unbiased estimates are
:math:`1 - \binom{n - c}{k} / \binom{n}{k}` and :math:`\binom{c}{k} / \binom{n}{k}`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from thetahat.analyses.runs.values import RunValues
from thetahat.errors import InvalidParameter, UnsupportedCombination, run_checks
from thetahat.values.types import FloatArray, IntArray, Label


def compute_pass_at(n: IntArray, c: IntArray, k: int) -> FloatArray:
    """Return the (I,) estimated probabilities that one of k runs or more succeeds.

    Parameters
    ----------
    n, c : ndarray of int
        (I,) runs, and runs that succeed.
    k : int
        At most the number of runs of each item; NaN for an item with fewer.

    Source: chen2021.
    """
    return 1 - compute_pass_all(n, n - c, k)


def compute_pass_all(n: IntArray, c: IntArray, k: int) -> FloatArray:
    """Return the (I,) estimated probabilities that all of k runs succeed."""
    shares = np.ones(len(n))
    for i in range(k):
        shares *= np.clip(c - i, 0, None) / np.where(n > i, n - i, 1)
    return np.where(n < k, np.nan, shares)


def check_pass_at(
    ks: Sequence[int], models: Sequence[tuple[str, RunValues]], items: Sequence[Label]
) -> None:
    """Refuse numbers of runs that some item does not have, and losses that are not 0 and 1.

    Raises
    ------
    InvalidParameter
        k is below 1 or above the least number of runs.
    UnsupportedCombination
        Losses other than 0 and 1, of which there is no success.
    """

    def check(place: int, k: int) -> None:
        for name, runs in models:
            least = int(runs.counts.min())
            if not 1 <= k <= least:
                raise InvalidParameter(
                    f"pass_at has {k}, and must be from 1 to the least number of runs of an item: "
                    f"item {items[int(np.argmin(runs.counts))]!r} of {name!r} has {least}.",
                    loc=("pass_at", place),
                    value=k,
                )

    run_checks(*(partial(check, place, k) for place, k in enumerate(ks)))
    for name, runs in models:
        if ks and not runs.are_zero_one:
            raise UnsupportedCombination(
                f"pass_at counts runs that succeed, and the losses of {name!r} are not all 0 or 1.",
                loc=("pass_at",),
            )
