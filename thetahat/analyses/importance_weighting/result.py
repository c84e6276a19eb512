"""The whole result of weighted cross-validation, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from thetahat.analyses.importance_weighting.differences import difference_of_learners
from thetahat.analyses.importance_weighting.learner_result import choice_told, learner_told
from thetahat.analyses.importance_weighting.outcomes import Outcome, Setting
from thetahat.cautions import FOLD_WITHOUT_WEIGHT, LEAST_OF_MANY, Caution
from thetahat.values.json_values import told


def shift_told(
    outcomes: Mapping[str, Outcome], setting: Setting, *, several: bool
) -> dict[str, Any]:
    """Return all but the weights.

    Parameters
    ----------
    outcomes : mapping of str to Outcome
        By learner, in the request's order.
    several : bool
        Whether the request names learners: then ``learners`` has a part for each, and ``risks``
        what each risk selects among all of them. Otherwise the one learner's part is the result.
    """
    parts = {name: learner_told(outcome, setting) for name, outcome in outcomes.items()}
    cautions = told((*_of_folds(setting), *_of_choice(outcomes)))
    if not several:
        (part,) = parts.values()
        return {**part, "cautions": [*cautions, *part["cautions"]]}
    return {
        "risks": {name: _best(name, outcomes, setting) for name in setting.risks},
        "oracle": _best_on_target(parts),
        "learners": parts,
        "comparisons": [
            difference_of_learners(a, b, setting) for a, b in combinations(outcomes.values(), 2)
        ],
        "cautions": cautions,
    }


def _best(name: str, outcomes: Mapping[str, Outcome], setting: Setting) -> dict[str, Any]:
    """Return the choice of one risk among all learners; of equal ones the first."""
    best = min(outcomes.values(), key=lambda one: one.curves[name].chosen.estimate)
    return {
        "selected_learner": best.candidate.name,
        **choice_told(name, best, setting),
    }


def _best_on_target(parts: Mapping[str, Mapping[str, Any]]) -> dict[str, Any] | None:
    known = {name: part["oracle"] for name, part in parts.items() if part["oracle"] is not None}
    if not known:
        return None
    best = min(known, key=lambda name: float(known[name]["target_risk"]))
    return {"selected_learner": best, **known[best]}


def _of_folds(setting: Setting) -> tuple[Caution, ...]:
    sums = np.bincount(setting.fold, setting.weights)
    empty = np.flatnonzero(sums == 0)
    if not len(empty):
        return ()
    which = ", ".join(str(k) for k in empty)
    return (FOLD_WITHOUT_WEIGHT(fold=which),)


def _of_choice(outcomes: Mapping[str, Outcome]) -> tuple[Caution, ...]:
    if sum(outcome.candidate.size for outcome in outcomes.values()) < 2:
        return ()
    return (LEAST_OF_MANY(),)
