"""Bergmann and Hommel's procedure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from thetahat.corrections.base import count_models
from thetahat.errors import InvalidParameter
from thetahat.registry import MethodInfo
from thetahat.traits import CorrectionTraits
from thetahat.values.types import FloatArray

MAX_MODELS: Final = 9
"""Nine models have 21 147 partitions, and ten have 115 975."""


@dataclass(frozen=True, slots=True)
class BergmannHommel:
    """Bergmann and Hommel's procedure.

    I in the formula runs over the exhaustive sets: the pairs inside the groups of one partition of
    the models.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Bergmann and Hommel's procedure",
        summary=(
            "Rejects every hypothesis that is in no acceptable set of equalities that can be true "
            "together. For all pairs of at most nine models, two-sided; it bounds the chance of "
            "any false rejection."
        ),
        formula=r"\max_{I \ni i} |I| \min_{j \in I} p_j",
        references=("bergmann1988", "garcia2008"),
        assumptions="All pairs of some models, and hypotheses that are equalities.",
        errs=(
            "Conservative where p-values depend strongly on each other; never more so than shaffer."
        ),
        correction=CorrectionTraits(
            bounds_any_false_rejection=True, only_all_pairs=True, most_models=MAX_MODELS
        ),
    )

    def adjust(self, p_values: FloatArray) -> FloatArray:
        """Return the adjusted p-values of all pairs i < j, in that order."""
        name = self.info.name
        k = count_models(len(p_values), name)
        if k > MAX_MODELS:
            raise InvalidParameter(
                f"{name} goes through all partitions of the models, for at most {MAX_MODELS} of "
                f"them, and there are {k}.",
                loc=("correction",),
                value=name,
            )
        known = np.flatnonzero(~np.isnan(p_values))
        inside, raw = list_exhaustive_sets(k)[:, known], p_values[known]
        smallest = np.where(inside, raw, np.inf).min(axis=1, initial=np.inf)
        sizes = inside.sum(axis=1)
        bounds = np.where(sizes > 0, sizes, 0.0) * np.where(sizes > 0, smallest, 0.0)
        adjusted = np.full(len(p_values), np.nan)
        adjusted[known] = np.where(inside, bounds[:, np.newaxis], 0.0).max(axis=0, initial=0.0)
        return adjusted


@lru_cache(maxsize=MAX_MODELS)
def list_exhaustive_sets(k: int) -> npt.NDArray[np.bool_]:
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
