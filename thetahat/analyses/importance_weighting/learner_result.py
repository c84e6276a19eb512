"""One learner's part of the result: curves, selections, target risks, and how they differ."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import ndtri

from thetahat.analyses.importance_weighting.curves import RiskCurve
from thetahat.analyses.importance_weighting.differences import (
    difference_of_choices,
    target_difference,
)
from thetahat.analyses.importance_weighting.outcomes import Outcome, Setting
from thetahat.analyses.losses.weighted_risks import (
    build_risk,
    build_source_risks,
    normal_interval,
)
from thetahat.cautions import ESTIMATE_OUT_OF_RANGE, SELECTED_AT_THE_EDGE, Caution
from thetahat.intervals.normal import Normal
from thetahat.values.json_values import plain, to_json, told
from thetahat.values.types import FloatArray


def learner_told(outcome: Outcome, setting: Setting) -> dict[str, Any]:
    """Return the grid, every risk along it, the oracle and the risks' choices by pair."""
    candidate = outcome.candidate
    grid = {"parameter": candidate.parameter, "values": plain(candidate.values)}
    return {
        "grid": grid if candidate.parameter is not None else None,
        "risks": {name: _risk(name, outcome, setting) for name in outcome.curves},
        "oracle": _oracle(outcome, setting),
        "comparisons": [
            difference_of_choices(outcome, a, b, setting)
            for a, b in combinations(outcome.curves, 2)
        ],
        "cautions": told(outcome.cautions),
    }


def choice_told(name: str, outcome: Outcome, setting: Setting) -> dict[str, Any]:
    """Return what a risk selects, what it says of it, and how that does on the target."""
    curve = outcome.curves[name]
    at, chosen = curve.selected, curve.chosen
    doubts = (*_of_edge(outcome, at), *_of_range(chosen.estimate, setting))
    said = to_json(build_risk(chosen, setting.level, setting.alternative, doubts))
    said.pop("beta")
    selection: dict[str, Any] = {
        "selected": plain(outcome.value(name)),
        "selected_index": at,
        **said,
    }
    if outcome.refits is not None:
        coefficients, intercepts = outcome.refits
        selection["refit"] = {
            "coefficients": plain(coefficients[:, at]),
            "intercept": plain(intercepts[at]),
        }
    if setting.source is not None:
        selection["by_source"] = to_json(
            build_source_risks(chosen, setting.source, setting.source_labels, setting.level)
        )
    if outcome.on_target is not None:
        selection |= target_told(outcome, at, setting)
    return selection


def target_told(outcome: Outcome, at: int, setting: Setting) -> dict[str, Any]:
    """Return the mean loss on the target at one place, and how far above the least it is."""
    best = outcome.oracle()
    assert outcome.on_target is not None  # noqa: S101 - asked of labelled targets alone
    assert best is not None  # noqa: S101 - likewise
    risk, variance = mean_of(outcome.on_target[:, at])
    return {
        "target_risk": plain(risk),
        "target_risk_variance": plain(variance),
        "target_risk_interval": None
        if variance is None
        else to_json(normal_interval(risk, variance, setting.level)),
        "regret": plain(target_difference(outcome, at, outcome, best, setting)["difference"]),
    }


def mean_of(losses: FloatArray) -> tuple[float, float | None]:
    """Return the mean of (m,) losses and its variance; None for one loss."""
    if len(losses) < 2:
        return float(losses.mean()), None
    return float(losses.mean()), float(losses.var(ddof=1) / len(losses))


def _risk(name: str, outcome: Outcome, setting: Setting) -> dict[str, Any]:
    curve = outcome.curves[name]
    along: dict[str, Any] = {
        "curve": plain(curve.values),
        "curve_variances": plain(curve.variances),
        "curve_intervals": _intervals(curve, setting.level),
    }
    betas = [one.beta for one in curve.estimates]
    if betas[0]:
        along["beta"] = plain([b[0] if len(b) == 1 else b for b in betas])
    if curve.chosen.bias is not None:
        along["curve_bias"] = plain([one.bias for one in curve.estimates])
    return {**along, **choice_told(name, outcome, setting)}


def _intervals(curve: RiskCurve, level: float) -> dict[str, Any]:
    reach = -float(ndtri((1 - level) / 2)) * np.sqrt(curve.variances)
    return {
        "method": Normal.info.name,
        "level": level,
        "lower": plain(curve.values - reach),
        "upper": plain(curve.values + reach),
    }


def _oracle(outcome: Outcome, setting: Setting) -> dict[str, Any] | None:
    at = outcome.oracle()
    if at is None or outcome.on_target is None:
        return None
    found = target_told(outcome, at, setting)
    found.pop("regret")
    return {
        "selected": plain(outcome.candidate.value_at(at)),
        "selected_index": at,
        "curve": plain(outcome.on_target.mean(axis=0)),
        **found,
        "cautions": told(_of_edge(outcome, at)),
    }


def _of_range(estimate: float, setting: Setting) -> tuple[Caution, ...]:
    low, high = setting.loss_range
    if low <= estimate <= high:
        return ()
    beyond = f"below {low:g}, the least" if estimate < low else f"above {high:g}, the largest"
    return (ESTIMATE_OUT_OF_RANGE(estimate=f"{estimate:.4g}", beyond=beyond),)


def _of_edge(outcome: Outcome, at: int) -> tuple[Caution, ...]:
    candidate = outcome.candidate
    if not candidate.is_at_edge(at):
        return ()
    return (
        SELECTED_AT_THE_EDGE(parameter=candidate.parameter, value=f"{candidate.values[at]:.4g}"),
    )
