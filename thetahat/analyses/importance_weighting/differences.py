"""Paired differences: of what two risks choose, of two risks, and of two learners."""

from __future__ import annotations

import math
from typing import Any

from thetahat.analyses.importance_weighting.outcomes import Outcome, Setting
from thetahat.analyses.losses.weighted_risks import (
    as_difference,
    build_risk,
    build_source_risks,
    normal_interval,
)
from thetahat.values.json_values import plain, to_json
from thetahat.values.types import FloatArray
from thetahat.weighted_risks import paired_difference


def difference_of_choices(outcome: Outcome, a: str, b: str, setting: Setting) -> dict[str, Any]:
    """Compare what two risks choose for one learner, first less second.

    ``under`` has the difference of the two choices under each risk, ``estimates`` that of the two
    risks of one choice, and ``target_risk`` that of the mean losses on a labelled target.
    """
    at_a, at_b = outcome.selected(a), outcome.selected(b)
    first, second = outcome.losses[:, at_a], outcome.losses[:, at_b]
    told = {
        "a": a,
        "b": b,
        "selected": {"a": plain(outcome.value(a)), "b": plain(outcome.value(b))},
        "same_choice": at_a == at_b,
        "under": {
            name: _under(name, first - second, setting, by_source=False) for name in setting.risks
        },
        "estimates": {
            "a": _of_risks(a, b, first, setting),
            "b": _of_risks(a, b, second, setting),
        },
    }
    if outcome.on_target is not None:
        told["target_risk"] = target_difference(outcome, at_a, outcome, at_b, setting)
    return told


def difference_of_learners(a: Outcome, b: Outcome, setting: Setting) -> dict[str, Any]:
    """Compare two learners under each risk, each at the value that this risk selects for it."""
    risks: dict[str, Any] = {}
    for name in setting.risks:
        at_a, at_b = a.selected(name), b.selected(name)
        risks[name] = {
            "selected": {"a": plain(a.value(name)), "b": plain(b.value(name))},
            **_under(name, a.losses[:, at_a] - b.losses[:, at_b], setting),
        }
        if a.on_target is not None:
            risks[name]["target_risk"] = target_difference(a, at_a, b, at_b, setting)
    return {"a": a.candidate.name, "b": b.candidate.name, "risks": risks}


def target_difference(
    a: Outcome, at_a: int, b: Outcome, at_b: int, setting: Setting
) -> dict[str, Any]:
    """Return the difference of mean losses on the same labelled target rows."""
    assert a.on_target is not None  # noqa: S101 - asked of labelled targets alone
    assert b.on_target is not None  # noqa: S101 - likewise
    differences = a.on_target[:, at_a] - b.on_target[:, at_b]
    variance = float(differences.var(ddof=1) / len(differences)) if len(differences) > 1 else None
    return _difference(float(differences.mean()), variance, setting.level)


def _under(
    name: str, differences: FloatArray, setting: Setting, *, by_source: bool = True
) -> dict[str, Any]:
    """Return the risk of (n,) differences of losses: every risk is linear in the losses."""
    risk = setting.risks[name].estimate(differences, setting.weights, setting.fold)
    sources = None
    if by_source and setting.source is not None:
        sources = build_source_risks(risk, setting.source, setting.source_labels, setting.level)
    built = build_risk(risk, setting.level, setting.alternative, by_source=sources)
    difference: dict[str, Any] = to_json(as_difference(built))
    return difference


def _of_risks(a: str, b: str, losses: FloatArray, setting: Setting) -> dict[str, Any]:
    first, second = (
        setting.risks[name].estimate(losses, setting.weights, setting.fold) for name in (a, b)
    )
    found = paired_difference(first, second)
    return _difference(found.difference, found.variance, setting.level)


def _difference(difference: float, variance: float | None, level: float) -> dict[str, Any]:
    known = variance is not None
    return {
        "difference": plain(difference),
        "variance": plain(variance),
        "standard_error": math.sqrt(variance) if variance is not None else None,
        "interval": to_json(normal_interval(difference, variance or 0.0, level)) if known else None,
    }
