"""The values and learners that each risk selects, and comparisons of the selected models."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from thetahat.analyses.importance_weighting.differences import (
    compare_choices,
    compare_learners,
    compare_on_target,
)
from thetahat.analyses.importance_weighting.outcomes import GridRisks, RiskSetting
from thetahat.analyses.importance_weighting.result import (
    BestLearner,
    BestOracle,
    CurveIntervals,
    GridValues,
    LearnerSelection,
    Oracle,
    RefitCoefficients,
    RiskAlongGrid,
    SelectedValue,
    SelectionAmongLearners,
    TargetRisk,
)
from thetahat.analyses.importance_weighting.risk_curves import RiskCurve
from thetahat.analyses.losses.weighted_risks import build_normal_interval, build_risk
from thetahat.cautions import (
    ESTIMATE_OUT_OF_RANGE,
    FOLD_WITHOUT_WEIGHT,
    LEAST_OF_MANY,
    SELECTED_AT_THE_EDGE,
    Caution,
)
from thetahat.special_functions import ndtri
from thetahat.values.number_text import format_number
from thetahat.values.types import FloatArray


def select_for_learner(outcome: GridRisks, setting: RiskSetting) -> LearnerSelection:
    """Return the value that each risk selects from the grid of one learner."""
    candidate = outcome.candidate
    grid = GridValues(parameter=candidate.parameter, values=tuple(candidate.values))
    return LearnerSelection(
        grid=grid if candidate.parameter is not None else None,
        risks={name: _build_risk_along_grid(name, outcome, setting) for name in outcome.curves},
        oracle=_build_oracle(outcome, setting),
        comparisons=tuple(
            compare_choices(outcome, a, b, setting) for a, b in combinations(outcome.curves, 2)
        ),
        cautions=tuple(dict.fromkeys(outcome.cautions)),
    )


def select_among_learners(
    outcomes: Mapping[str, GridRisks], setting: RiskSetting
) -> SelectionAmongLearners:
    """Return the learner that each risk selects; the learners are in the order of the request."""
    learners = {name: select_for_learner(outcome, setting) for name, outcome in outcomes.items()}
    return SelectionAmongLearners(
        risks={name: _select_learner(name, outcomes, setting) for name in setting.risks},
        oracle=_find_best_oracle(learners),
        learners=learners,
        comparisons=tuple(
            compare_learners(a, b, setting) for a, b in combinations(outcomes.values(), 2)
        ),
        cautions=find_selection_cautions(outcomes, setting),
    )


def find_selection_cautions(
    outcomes: Mapping[str, GridRisks], setting: RiskSetting
) -> tuple[Caution, ...]:
    """Return the cautions of the selection as a whole."""
    cautions: list[Caution] = []
    empty = np.flatnonzero(np.bincount(setting.fold, setting.weights) == 0)
    if len(empty):
        cautions.append(FOLD_WITHOUT_WEIGHT(fold=", ".join(str(k) for k in empty)))
    if sum(outcome.candidate.size for outcome in outcomes.values()) >= 2:
        cautions.append(LEAST_OF_MANY())
    return tuple(cautions)


def _select_learner(
    name: str, outcomes: Mapping[str, GridRisks], setting: RiskSetting
) -> BestLearner:
    """Return the learner with the smallest risk; the first of several with equal risks."""
    best = min(outcomes.values(), key=lambda outcome: outcome.curves[name].chosen.estimate)
    choice = _select_value(name, best, setting)
    return BestLearner(selected_learner=best.candidate.name, choice=choice)


def _find_best_oracle(learners: Mapping[str, LearnerSelection]) -> BestOracle | None:
    oracles = {
        name: learner.oracle for name, learner in learners.items() if learner.oracle is not None
    }
    if not oracles:
        return None
    best = min(oracles, key=lambda name: oracles[name].on_target.target_risk)
    return BestOracle(selected_learner=best, oracle=oracles[best])


def _build_risk_along_grid(name: str, outcome: GridRisks, setting: RiskSetting) -> RiskAlongGrid:
    curve = outcome.curves[name]
    betas = [estimate.beta for estimate in curve.estimates]
    biases = tuple(estimate.bias for estimate in curve.estimates)
    return RiskAlongGrid(
        curve=curve.values,
        curve_variances=curve.variances,
        curve_intervals=None
        if setting.effective_size_cautions
        else _build_curve_intervals(curve, setting.level),
        beta=tuple(b[0] if len(b) == 1 else tuple(b) for b in betas) if betas[0] else None,
        curve_bias=None if curve.chosen.bias is None else biases,
        choice=_select_value(name, outcome, setting),
    )


def _build_curve_intervals(curve: RiskCurve, level: float) -> CurveIntervals:
    half_width = -float(ndtri((1 - level) / 2)) * np.sqrt(curve.variances)
    return CurveIntervals(
        method="normal",
        level=level,
        lower=curve.values - half_width,
        upper=curve.values + half_width,
    )


def _select_value(name: str, outcome: GridRisks, setting: RiskSetting) -> SelectedValue:
    """Return the value with the smallest risk, that risk, and the mean loss on the target."""
    curve = outcome.curves[name]
    place, estimate = curve.selected, curve.chosen
    cautions = (*_check_edge(outcome, place), *_check_range(estimate.estimate, setting))
    risk = build_risk(estimate, setting.weights, setting.level, cautions=cautions)
    refit = None
    if outcome.refits is not None:
        coefficients, intercepts = outcome.refits
        refit = RefitCoefficients(
            coefficients=coefficients[:, place], intercept=float(intercepts[place])
        )
    on_target = None
    if outcome.on_target is not None:
        best = outcome.oracle()
        assert best is not None  # noqa: S101 - the target has labels
        regret = compare_on_target(outcome, place, outcome, best, setting).difference
        on_target = _build_target_risk(outcome.on_target[:, place], setting, regret)
    return SelectedValue(
        selected=outcome.value(name),
        selected_index=place,
        estimate=risk.estimate,
        variance=risk.variance,
        standard_error=risk.standard_error,
        target=risk.target,
        bias=risk.bias,
        interval=risk.interval,
        cautions=risk.cautions,
        refit=refit,
        by_source=setting.build_source_risks(estimate),
        on_target=on_target,
    )


def _build_oracle(outcome: GridRisks, setting: RiskSetting) -> Oracle | None:
    place = outcome.oracle()
    if place is None or outcome.on_target is None:
        return None
    return Oracle(
        selected=outcome.candidate.get_value(place),
        selected_index=place,
        curve=outcome.on_target.mean(axis=0),
        on_target=_build_target_risk(outcome.on_target[:, place], setting),
        cautions=_check_edge(outcome, place),
    )


def _build_target_risk(
    losses: FloatArray, setting: RiskSetting, regret: float | None = None
) -> TargetRisk:
    """Return the mean of (m,) losses on the target; one loss has no variance."""
    mean = float(losses.mean())
    variance = float(losses.var(ddof=1) / len(losses)) if len(losses) > 1 else None
    interval = None if variance is None else build_normal_interval(mean, variance, setting.level)
    return TargetRisk(
        target_risk=mean,
        target_risk_variance=variance,
        target_risk_interval=interval,
        regret=regret,
    )


def _check_range(estimate: float, setting: RiskSetting) -> tuple[Caution, ...]:
    low, high = setting.loss_range
    if low <= estimate <= high:
        return ()
    beyond = f"below {low:g}, the least" if estimate < low else f"above {high:g}, the largest"
    return (ESTIMATE_OUT_OF_RANGE(estimate=estimate, beyond=beyond),)


def _check_edge(outcome: GridRisks, place: int) -> tuple[Caution, ...]:
    candidate = outcome.candidate
    if not candidate.is_at_edge(place):
        return ()
    value = format_number(candidate.values[place])
    return (SELECTED_AT_THE_EDGE(parameter=candidate.parameter, end=value),)
