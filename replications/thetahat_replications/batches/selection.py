"""Selection of a penalty by weighted cross-validation, on very many data sets at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.analyses.importance_weighting.risk_curves import EQUAL
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.batches.coefficients import LossCoefficients
from thetahat_replications.batches.curves_from_moments import compute_curves_by_moments
from thetahat_replications.batches.problems import Problems
from thetahat_replications.batches.single_problem import compute_curves_from_rows

BATCH_NUMBERS: Final = 2**18
"""Largest number of values of a batch over all penalties: two megabytes, which fit in the cache."""

MIN_BATCH: Final = 16
"""Smallest number of data sets in a batch, so that the overhead of numpy calls is small."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SelectedPenalties:
    """The results of weighted cross-validation over a grid of penalties on R data sets."""

    curves: Mapping[str, FloatArray]
    """By risk, (R, L); ``target`` is the mean loss of the folds' fits on the labelled target, the
    oracle of the paper."""
    places: Mapping[str, IntArray]
    """By risk, (R,) the position of the penalty with the least risk; of equal ones the largest."""
    target_curve: FloatArray
    """(R, L) mean loss on the target of the fits on all source rows."""
    target_risks: Mapping[str, FloatArray]
    """By risk, (R,) the target risk of the fit on all source rows with the selected penalty."""
    from_rows: np.ndarray
    """(R,) whether the curves were computed from the rows, since moments would lose digits."""


def select(
    problems: Problems, penalties: FloatArray, risks: Mapping[str, LossCoefficients]
) -> SelectedPenalties:
    r"""Select a penalty of the weighted ridge classifier by each risk, on each data set.

    The numbers are those of separate fits for every data set, fold and penalty, up to rounding,
    however the data sets are cut into batches. A data set whose moments would lose digits, because
    its products are ill-conditioned or its fit nearly perfect, is computed from its rows and marked
    in ``from_rows``.

    Parameters
    ----------
    problems : Problems
        R data sets.
    penalties : ndarray of float
        (L,) ascending, above 0.
    risks : mapping of str to callable
        The coefficients of their losses by name; the name ``target`` is that of the oracle.

    Source: kouw2019, section 5.2.

    Degenerate cases: a training part whose weights are all zero predicts 0; if all weights are
    zero, the risk is 0 for every penalty and the largest is selected.
    """
    count, _, p = problems.X.shape
    all_curves = np.empty((count, len(risks) + 2, len(penalties)))
    from_rows = np.zeros(count, dtype=np.bool_)
    size = max(MIN_BATCH, BATCH_NUMBERS // (problems.n_folds * p * (p + 3) // 2 * len(penalties)))
    for start in range(0, count, size):
        part = slice(start, start + size)
        all_curves[part], from_rows[part] = _compute_curves(problems.part(part), penalties, risks)
    curves = {name: all_curves[:, at] for at, name in enumerate([*risks, "target"])}
    places = {name: find_least(curve) for name, curve in curves.items()}
    refits = all_curves[:, -1]
    return SelectedPenalties(
        curves=curves,
        places=places,
        target_curve=refits,
        target_risks={name: refits[np.arange(count), at] for name, at in places.items()},
        from_rows=from_rows,
    )


def find_least(curves: FloatArray) -> IntArray:
    """Return the position of the least risk of each curve; of equal risks the larger penalty.

    See ``thetahat.analyses.importance_weighting.risk_curves.find_smallest_risk``.
    """
    lowest = curves.min(axis=1, keepdims=True)
    equal = curves <= lowest + EQUAL * np.abs(lowest)
    return np.asarray(curves.shape[1] - 1 - np.argmax(equal[:, ::-1], axis=1))


def _compute_curves(
    now: Problems, penalties: FloatArray, risks: Mapping[str, LossCoefficients]
) -> tuple[FloatArray, np.ndarray]:
    members = now.members()
    sums = np.stack([compute(now.weights, members) for compute in risks.values()], axis=1)
    curves, is_accurate = compute_curves_by_moments(now, members, sums, penalties)
    for r in np.flatnonzero(~is_accurate):
        curves[r] = compute_curves_from_rows(now, int(r), sums[r], penalties)
    return curves, ~is_accurate
