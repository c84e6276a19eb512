"""Paired differences between selected values, between risks and between learners."""

from __future__ import annotations

import math
from dataclasses import replace

from thetahat.analyses.importance_weighting.outcomes import GridRisks, RiskSetting
from thetahat.analyses.importance_weighting.result import (
    ChoiceComparison,
    LearnerComparison,
    LearnerDifference,
    MeanDifference,
    RiskPair,
    SelectedPair,
)
from thetahat.analyses.losses.optional_results import WeightedRiskDifference
from thetahat.analyses.losses.weighted_risks import (
    build_normal_interval,
    build_risk,
    convert_to_difference,
)
from thetahat.cautions import ZERO_VARIANCE
from thetahat.values.types import FloatArray
from thetahat.weighted_risks import estimate_paired_difference


def compare_choices(outcome: GridRisks, a: str, b: str, setting: RiskSetting) -> ChoiceComparison:
    """Compare the values that two risks select for one learner, first minus second."""
    place_a, place_b = outcome.selected(a), outcome.selected(b)
    first, second = outcome.losses[:, place_a], outcome.losses[:, place_b]
    under = {
        name: _estimate_difference(name, first - second, setting, by_source=False)
        for name in setting.risks
    }
    if place_a == place_b:  # a choice differs from itself by 0, about which there is no doubt
        under = {name: _drop_zero_variance(each) for name, each in under.items()}
    on_target = None
    if outcome.on_target is not None:
        on_target = compare_on_target(outcome, place_a, outcome, place_b, setting)
    return ChoiceComparison(
        a=a,
        b=b,
        selected=SelectedPair(a=outcome.value(a), b=outcome.value(b)),
        same_choice=place_a == place_b,
        under=under,
        estimates=RiskPair(
            a=_subtract_risks(a, b, first, setting),
            b=_subtract_risks(a, b, second, setting),
        ),
        target_risk=on_target,
    )


def compare_learners(a: GridRisks, b: GridRisks, setting: RiskSetting) -> LearnerComparison:
    """Compare two learners under each risk, at the values that the risk selects."""
    risks = {}
    for name in setting.risks:
        place_a, place_b = a.selected(name), b.selected(name)
        on_target = None
        if a.on_target is not None:
            on_target = compare_on_target(a, place_a, b, place_b, setting)
        differences = a.losses[:, place_a] - b.losses[:, place_b]
        risks[name] = LearnerDifference(
            selected=SelectedPair(a=a.value(name), b=b.value(name)),
            risk=_estimate_difference(name, differences, setting),
            target_risk=on_target,
        )
    return LearnerComparison(a=a.candidate.name, b=b.candidate.name, risks=risks)


def compare_on_target(
    a: GridRisks, place_a: int, b: GridRisks, place_b: int, setting: RiskSetting
) -> MeanDifference:
    """Return the difference of mean losses on the same labelled target rows."""
    assert a.on_target is not None  # noqa: S101 - the caller checks that the target is labelled
    assert b.on_target is not None  # noqa: S101 - the caller checks that the target is labelled
    differences = a.on_target[:, place_a] - b.on_target[:, place_b]
    variance = float(differences.var(ddof=1) / len(differences)) if len(differences) > 1 else None
    return _build_difference(float(differences.mean()), variance, setting.level)


def _estimate_difference(
    name: str, differences: FloatArray, setting: RiskSetting, *, by_source: bool = True
) -> WeightedRiskDifference:
    """Return the difference of two risks from (n,) differences of losses, as risks are linear."""
    risk = setting.risks[name].estimate(differences, setting.weights, setting.fold)
    sources = setting.build_source_risks(risk) if by_source else None
    return convert_to_difference(
        build_risk(risk, setting.weights, setting.level, by_source=sources)
    )


def _drop_zero_variance(risk: WeightedRiskDifference) -> WeightedRiskDifference:
    kept = tuple(each for each in risk.cautions if each.code != ZERO_VARIANCE.code)
    return replace(risk, cautions=kept)


def _subtract_risks(a: str, b: str, losses: FloatArray, setting: RiskSetting) -> MeanDifference:
    """Return the difference of two risks of the same (n,) losses."""
    first, second = (
        setting.risks[name].estimate(losses, setting.weights, setting.fold) for name in (a, b)
    )
    difference = estimate_paired_difference(first, second)
    return _build_difference(
        difference.difference,
        difference.variance,
        setting.level,
        with_interval=not setting.effective_size_cautions,
    )


def _build_difference(
    difference: float, variance: float | None, level: float, *, with_interval: bool = True
) -> MeanDifference:
    interval = None
    if variance is not None and with_interval:
        interval = build_normal_interval(difference, variance, level)
    return MeanDifference(
        difference=difference,
        variance=variance,
        standard_error=None if variance is None else math.sqrt(variance),
        interval=interval,
    )
