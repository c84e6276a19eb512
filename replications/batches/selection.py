"""Weighted cross-validation over penalties on very many data sets at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from replications.batches.by_moments import TargetMoments, curves_by_moments, target_moments
from replications.batches.coefficients import coefficients
from replications.batches.problems import Problems
from replications.batches.single_problem import curves_of_one
from thetahat.analyses.importance_weighting.choosing import EQUAL
from thetahat.errors import InvalidParameter
from thetahat.values.types import FloatArray, IntArray
from thetahat.weighted_risks import RiskEstimator

CELLS: Final = 2**18
"""Numbers that a stretch of data sets has for all penalties: two megabytes stay near."""

LEAST_AT_ONCE: Final = 16
"""Data sets of a stretch at least, so that the calls of numpy cost little beside their work."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Selected:
    """What weighted cross-validation over a grid gives on each of R data sets.

    Parameters
    ----------
    curves : mapping of str to ndarray of float
        By risk, (R, L); ``target`` is the mean loss of the folds' fits on the labelled target,
        the oracle of the source.
    places : mapping of str to ndarray of int
        By risk, (R,) the place of the penalty of least risk; of equal risks the largest.
    target_curve : ndarray of float or None
        (R, L) mean loss on the target of the fits on all source rows.
    target_risks : mapping of str to ndarray of float
        By risk, (R,) what the fit on all source rows with the selected penalty has there.
    plain : ndarray of bool
        (R,) where the rows themselves were decomposed, since moments would have lost digits.
    """

    curves: Mapping[str, FloatArray]
    places: Mapping[str, IntArray]
    target_curve: FloatArray | None
    target_risks: Mapping[str, FloatArray]
    plain: np.ndarray


def select(
    problems: Problems,
    penalties: FloatArray,
    risks: Mapping[str, RiskEstimator],
    *,
    intercept: bool = False,
) -> Selected:
    r"""Select a penalty of the weighted ridge classifier by each risk, on each data set.

    The same numbers as the loops of ``tests/thetahat/naive/importance_selection.py`` but for
    rounding, and the same for
    any cut into stretches. A data set on which moments would lose digits, because its products
    are ill-conditioned or its fit nearly perfect, is done from its rows, and counted in ``plain``.

    Parameters
    ----------
    problems : Problems
        R data sets.
    penalties : ndarray of float
        (L,) ascending, above 0.
    risks : mapping of str to RiskEstimator
        By name; ``target`` is taken.
    intercept : bool
        Whether there is one; it is not penalised.

    Source: kouw2019, section 5.2.

    Degenerate cases: a training part without weight predicts 0; weights that are all zero have
    risk 0 everywhere, and the largest penalty is selected.
    """
    if not (len(penalties) and penalties[0] > 0 and (np.diff(penalties) > 0).all()):
        raise InvalidParameter("penalties must ascend and be above 0", loc=("penalties",))
    if "target" in risks:
        raise InvalidParameter("the name target is that of the oracle", loc=("risks",))
    n_curves = len(risks) + (2 if problems.target is not None else 0)
    count = len(problems.X)
    found = np.empty((count, n_curves, len(penalties)))
    plain = np.zeros(count, dtype=np.bool_)
    p = problems.X.shape[2]
    at_once = max(LEAST_AT_ONCE, CELLS // (problems.n_folds * p * (p + 3) // 2 * len(penalties)))
    is_shared = problems.target is not None and len(problems.target) == 1
    shared = target_moments(problems, intercept=intercept) if is_shared else None
    members = problems.members() if problems.fold.ndim == 1 else None
    for start in range(0, count, at_once):
        part = slice(start, start + at_once)
        now = problems.part(part)
        found[part], plain[part] = _stretch(
            now,
            shared,
            now.members() if members is None else members,
            penalties,
            risks,
            intercept=intercept,
        )
    names = [*risks] if problems.target is None else [*risks, "target"]
    curves = {name: found[:, at] for at, name in enumerate(names)}
    places = {name: least_places(curve) for name, curve in curves.items()}
    if problems.target is None:
        return Selected(
            curves=curves, places=places, target_curve=None, target_risks={}, plain=plain
        )
    refits = found[:, -1]
    return Selected(
        curves=curves,
        places=places,
        target_curve=refits,
        target_risks={name: refits[np.arange(count), at] for name, at in places.items()},
        plain=plain,
    )


def least_places(curves: FloatArray) -> IntArray:
    """Return the place of the least risk of each curve; of equal risks the larger penalty wins.

    See ``thetahat.analyses.importance_weighting.choosing.least_place``.
    """
    lowest = curves.min(axis=1, keepdims=True)
    equal = curves <= lowest + EQUAL * np.abs(lowest)
    return np.asarray(curves.shape[1] - 1 - np.argmax(equal[:, ::-1], axis=1))


def _stretch(  # noqa: PLR0913 - what each data set has, and what all share
    now: Problems,
    shared: TargetMoments | None,
    members: FloatArray,
    penalties: FloatArray,
    risks: Mapping[str, RiskEstimator],
    *,
    intercept: bool,
) -> tuple[FloatArray, np.ndarray]:
    sums = np.stack([coefficients(risk, now.weights, members) for risk in risks.values()], axis=1)
    on_target = shared or target_moments(now, intercept=intercept)
    found, fit = curves_by_moments(now, on_target, members, sums, penalties, intercept=intercept)
    for r in np.flatnonzero(~fit):
        found[r] = curves_of_one(now, int(r), sums[r], penalties, intercept=intercept)
    return found, ~fit
