"""Selection of a penalty by weighted cross-validation, on very many data sets at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.analyses.importance_weighting.risk_curves import EQUAL
from thetahat.errors import InvalidParameter
from thetahat.values.types import FloatArray, IntArray
from thetahat.weighted_risks import RiskEstimator
from thetahat_replications.batches.coefficients import LinearRisk, compute_coefficients
from thetahat_replications.batches.curves_from_moments import (
    TargetMoments,
    compute_curves_by_moments,
    compute_target_moments,
)
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
    target_curve: FloatArray | None
    """(R, L) mean loss on the target of the fits on all source rows."""
    target_risks: Mapping[str, FloatArray]
    """By risk, (R,) the target risk of the fit on all source rows with the selected penalty."""
    from_rows: np.ndarray
    """(R,) whether the curves were computed from the rows, since moments would lose digits."""


def select(
    problems: Problems,
    penalties: FloatArray,
    risks: Mapping[str, RiskEstimator | LinearRisk],
    *,
    intercept: bool = False,
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
    risks : mapping of str to RiskEstimator or LinearRisk
        By name; the name ``target`` is reserved for the oracle.
    intercept : bool
        Whether to fit an intercept, which is not penalised.

    Source: kouw2019, section 5.2.

    Degenerate cases: a training part whose weights are all zero predicts 0; if all weights are
    zero, the risk is 0 for every penalty and the largest is selected.
    """
    if not (len(penalties) and penalties[0] > 0 and (np.diff(penalties) > 0).all()):
        raise InvalidParameter("penalties must ascend and be above 0.", loc=("penalties",))
    if "target" in risks:
        raise InvalidParameter(
            "The name target is reserved for the oracle. Rename the risk.", loc=("risks",)
        )
    n_curves = len(risks) + (2 if problems.target is not None else 0)
    count = len(problems.X)
    all_curves = np.empty((count, n_curves, len(penalties)))
    from_rows = np.zeros(count, dtype=np.bool_)
    p = problems.X.shape[2]
    size = max(MIN_BATCH, BATCH_NUMBERS // (problems.n_folds * p * (p + 3) // 2 * len(penalties)))
    is_shared = problems.target is not None and len(problems.target) == 1
    shared = compute_target_moments(problems, intercept=intercept) if is_shared else None
    members = problems.members() if problems.fold.ndim == 1 else None
    for start in range(0, count, size):
        part = slice(start, start + size)
        now = problems.part(part)
        all_curves[part], from_rows[part] = _compute_curves(
            now,
            shared,
            now.members() if members is None else members,
            penalties,
            risks,
            intercept=intercept,
        )
    names = [*risks] if problems.target is None else [*risks, "target"]
    curves = {name: all_curves[:, at] for at, name in enumerate(names)}
    places = {name: find_least(curve) for name, curve in curves.items()}
    if problems.target is None:
        return SelectedPenalties(
            curves=curves, places=places, target_curve=None, target_risks={}, from_rows=from_rows
        )
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


def _compute_curves(  # noqa: PLR0913 - the data sets of a batch, and what all share
    now: Problems,
    shared: TargetMoments | None,
    members: FloatArray,
    penalties: FloatArray,
    risks: Mapping[str, RiskEstimator | LinearRisk],
    *,
    intercept: bool,
) -> tuple[FloatArray, np.ndarray]:
    sums = np.stack(
        [compute_coefficients(risk, now.weights, members) for risk in risks.values()], axis=1
    )
    on_target = shared or compute_target_moments(now, intercept=intercept)
    curves, is_accurate = compute_curves_by_moments(
        now, on_target, members, sums, penalties, intercept=intercept
    )
    for r in np.flatnonzero(~is_accurate):
        curves[r] = compute_curves_from_rows(now, int(r), sums[r], penalties, intercept=intercept)
    return curves, ~is_accurate
