"""Shaffer's static procedure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from thetahat.corrections.base import adjust_in_ascending_order, count_models
from thetahat.registry import MethodInfo
from thetahat.traits import CorrectionTraits
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True)
class Shaffer:
    """Shaffer's static procedure.

    :math:`t_j` in the formula is the largest number of equalities that can be true when j - 1 are
    not, and at most the number of p-values that are left.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Shaffer's static procedure",
        summary=(
            "Holm's procedure, but it counts only as many hypotheses as can be true together: if a "
            "equals b and b equals c, a equals c. For all pairs, two-sided; it bounds the chance "
            "of any false rejection."
        ),
        formula=r"\max_{j \le i} t_j \, p_{(j)}",
        references=("shaffer1986", "garcia2008"),
        assumptions="All pairs of some models, and hypotheses that are equalities.",
        errs="Conservative where p-values depend strongly on each other; never more so than holm.",
        correction=CorrectionTraits(bounds_any_false_rejection=True, only_all_pairs=True),
    )

    def adjust(self, p_values: FloatArray) -> FloatArray:
        """Return the (m,) adjusted p-values in the order of the p-values."""
        n_pairs = len(p_values)  # with those that have no p-value
        possible = count_equal_pairs(count_models(n_pairs, self.info.name))

        def adjust_ordered(ordered: FloatArray) -> FloatArray:
            before = np.arange(len(ordered))
            t = possible[np.searchsorted(possible, n_pairs - before, side="right") - 1]
            return np.asarray(np.maximum.accumulate(ordered * np.minimum(t, len(ordered) - before)))

        return adjust_in_ascending_order(p_values, adjust_ordered)


@lru_cache(maxsize=32)
def count_equal_pairs(k: int) -> FloatArray:
    """Return the numbers of pairs that can be equal at once among k models, ascending.

    The equal pairs are those inside the groups of a partition of the models. A group of j models
    has j (j - 1) / 2 pairs and leaves k - j models to be grouped. Sets of numbers are kept as the
    bits of an integer, so that adding j (j - 1) / 2 is a shift.
    """
    reachable = [1]  # no models: zero pairs
    for models in range(1, k + 1):
        bits = 0
        for j in range(1, models + 1):
            bits |= reachable[models - j] << (j * (j - 1) // 2)
        reachable.append(bits)
    digits = np.frombuffer(bin(reachable[k])[:1:-1].encode(), dtype=np.uint8) == ord("1")
    return np.flatnonzero(digits).astype(np.float64)
