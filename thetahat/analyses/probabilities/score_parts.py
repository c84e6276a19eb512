r"""Scores of probabilities and their parts by isotonic recalibration (CORP).

With recalibrated probabilities r, the isotonic regression of the outcomes on p, and the share of
events :math:`\bar y` as the probability of all rows, miscalibration is :math:`S(p) - S(r)`,
discrimination :math:`S(\bar y) - S(r)` and uncertainty :math:`S(\bar y)`.

Source: dimitriadis2021.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thetahat.numerics.isotonic import fit_isotonic
from thetahat.special_functions import xlog1py, xlogy
from thetahat.values.types import FloatArray


def sum_brier(sums: FloatArray, sizes: FloatArray, p: FloatArray) -> float:
    """Return the sum of Brier scores from (m,) events, sizes and probabilities of levels."""
    return float((sums * (1 - p) ** 2 + (sizes - sums) * p**2).sum())


def sum_log(sums: FloatArray, sizes: FloatArray, p: FloatArray) -> float:
    """Return the sum of log losses; infinite where an outcome had the probability 0."""
    with np.errstate(divide="ignore"):
        return -float((xlogy(sums, p) + xlog1py(sizes - sums, -p)).sum())


SCORES = {"brier": sum_brier, "log": sum_log}


@dataclass(frozen=True, slots=True)
class PartValues:
    """A score and its parts; infinite where the log loss is."""

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def divide_scores(
    sums: FloatArray, sizes: FloatArray, p: FloatArray, names: tuple[str, ...]
) -> dict[str, PartValues]:
    """Return the parts of scores by name, from the levels of probabilities.

    Parameters
    ----------
    sums, sizes : ndarray of float
        (m,) events and rows, or their weights, of each level.
    p : ndarray of float
        (m,) probability of each level.

    Source: dimitriadis2021.
    """
    recalibrated = fit_isotonic(sums, sizes)
    n = float(sizes.sum())
    same = np.full(len(p), float(sums.sum()) / n)
    parts = {}
    for name in names:
        score, of_r, of_rate = (SCORES[name](sums, sizes, q) / n for q in (p, recalibrated, same))
        parts[name] = PartValues(score, score - of_r, of_rate - of_r, of_rate)
    return parts
