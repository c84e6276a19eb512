"""Corrections for all pairs that know that equality is transitive.

Of the equalities of k models not any number can be true: if a equals b and b equals c, then a
equals c. The true ones are the pairs inside the groups of a partition of the models, which leaves
fewer hypotheses to correct for than Holm's procedure counts. This needs all pairs, and equalities:
one-sided and equivalence hypotheses have no such relations.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from thetahat.errors import InvalidParameter
from thetahat.values.types import FloatArray

LARGEST_EXHAUSTIVE: Final = 9
"""Most models for Bergmann and Hommel's procedure: 21 147 partitions, 115 975 for one more."""


def models_of(n_pairs: int, correction: str) -> int:
    """Return the k whose pairs they are; ``InvalidParameter`` where there is none."""
    k = (1 + math.isqrt(1 + 8 * n_pairs)) // 2
    if k * (k - 1) // 2 != n_pairs:
        raise InvalidParameter(
            f"{correction} is for all pairs of some models, and {n_pairs} is not a number of pairs",
            loc=("correction",),
            value=correction,
        )
    return k


def shaffer(ordered: FloatArray, n_pairs: int) -> FloatArray:
    r"""Shaffer's static procedure on (m,) ascending p-values of ``n_pairs`` pairs.

    .. math:: \max_{j \le i} t_j p_{(j)}

    with :math:`t_j` the largest number of equalities that can be true when j - 1 are not, and no
    more than the p-values that are left. Source: shaffer1986, garcia2008.
    """
    possible = true_counts(models_of(n_pairs, "shaffer"))
    before = np.arange(len(ordered))
    t = possible[np.searchsorted(possible, n_pairs - before, side="right") - 1]
    return np.asarray(np.maximum.accumulate(ordered * np.minimum(t, len(ordered) - before)))


@lru_cache(maxsize=32)
def true_counts(k: int) -> FloatArray:
    """Return the numbers of pairs that can be equal at once among k models, ascending.

    A group of j models takes j (j - 1) / 2 pairs and leaves k - j models to be grouped. Sets of
    numbers are kept as the bits of a whole number, so that adding j (j - 1) / 2 is a shift.
    """
    reachable = [1]  # no models: zero pairs
    for models in range(1, k + 1):
        bits = 0
        for j in range(1, models + 1):
            bits |= reachable[models - j] << (j * (j - 1) // 2)
        reachable.append(bits)
    digits = np.frombuffer(bin(reachable[k])[:1:-1].encode(), dtype=np.uint8) == ord("1")
    return np.flatnonzero(digits).astype(np.float64)


def bergmann_hommel(p_values: FloatArray) -> FloatArray:
    r"""Bergmann and Hommel's procedure on the p-values of all pairs i < j, in that order.

    .. math:: \max_{I \ni ij} |I| \min_{h \in I} p_h

    over the exhaustive sets I: the pairs inside the groups of one partition of the models. NaN
    stands for a p-value that is not there, which does not count. Source: bergmann1988,
    garcia2008.
    """
    k = models_of(len(p_values), "bergmann_hommel")
    if k > LARGEST_EXHAUSTIVE:
        raise InvalidParameter(
            f"bergmann_hommel goes through all partitions of the models, for at most "
            f"{LARGEST_EXHAUSTIVE}, and there are {k}",
            loc=("correction",),
            value="bergmann_hommel",
        )
    known = np.flatnonzero(~np.isnan(p_values))
    inside, given = exhaustive_sets(k)[:, known], p_values[known]
    smallest = np.where(inside, given, np.inf).min(axis=1, initial=np.inf)
    sizes = inside.sum(axis=1)
    bounds = np.where(sizes > 0, sizes, 0.0) * np.where(sizes > 0, smallest, 0.0)
    adjusted = np.full(len(p_values), np.nan)
    adjusted[known] = np.where(inside, bounds[:, np.newaxis], 0.0).max(axis=0, initial=0.0)
    return adjusted


@lru_cache(maxsize=LARGEST_EXHAUSTIVE)
def exhaustive_sets(k: int) -> npt.NDArray[np.bool_]:
    """Return for each partition of k models which pairs i < j are in one group.

    (number of partitions, k (k - 1) / 2). Partitions are written as the group of each model,
    which is one of those before it or the next new one.
    """
    groups = np.zeros((1, 1), dtype=np.intp)
    for _ in range(1, k):
        choices = groups.max(axis=1) + 2
        rows = np.repeat(np.arange(len(groups)), choices)
        first = np.repeat(np.cumsum(choices) - choices, choices)
        groups = np.column_stack([groups[rows], np.arange(len(rows)) - first])
    a, b = np.triu_indices(k, 1)
    return np.asarray(groups[:, a] == groups[:, b])
