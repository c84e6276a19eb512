"""Derives the advice from the description of a situation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from thetahat.advice.result import (
    Advice,
    AdviceReason,
    AdvisedInterval,
    AdvisedPrecision,
    AdvisedScheme,
    AdvisedTest,
    AlternativeScheme,
)
from thetahat.advice.rules import (
    FEW_ROWS,
    SchemeChoice,
    SchemeRule,
    build_reason,
    choose_rule,
    list_other_rules,
)
from thetahat.advice.situation import Situation
from thetahat.advice.trial import SchemeTrial, expects_zero_one, run_trial
from thetahat.analyses.losses.expected_size import LossValues, SizeLookup, find_sizes
from thetahat.analyses.losses.power import compute_power, find_detectable_difference
from thetahat.analyses.losses.recommendation import DEFAULT_TARGET
from thetahat.analyses.losses.rules import RULES as INTERVAL_RULES
from thetahat.distributions import compute_upper_quantile
from thetahat.errors import InvalidParameter
from thetahat.values.json_values import JsonValue
from thetahat.values.number_text import format_number
from thetahat.values.types import BlockKind, Target

KEEPS_ITS_LEVEL: Final = 0.065
"""Largest size of a test that is advised: a standard error and a half above 0.05."""


def advise(**situation: Any) -> Advice:
    """Return which scheme fits the data and the question, and what it will show.

    Parameters
    ----------
    **situation
        The fields of ``thetahat.advice.Situation``: ``n``, and what else is known.

    Examples
    --------
    >>> import thetahat
    >>> advice = thetahat.advise(n=400, class_counts={"ill": 100, "well": 300})
    >>> advice.scheme.name, advice.scheme.folds, advice.scheme.repeats
    ('stratified_repeated_k_fold', 10, 5)
    >>> advice.request["scheme"]["params"]
    {'n_folds': 10, 'n_repeats': 5}
    """
    try:
        known = Situation(**situation)
    except TypeError as error:
        raise InvalidParameter(f"{error}. The fields are those of Situation.") from None
    return give_advice(known)


def give_advice(situation: Situation) -> Advice:
    """Return the advice for a situation."""
    rule = choose_rule(situation)
    choice = rule.build(situation)
    trial = run_trial(situation, choice)
    several = situation.n_models > 1
    lookup = find_sizes(trial.layout, _list_values(situation))
    return Advice(
        request=_build_request(situation, choice, trial),
        scheme=_describe_scheme(situation, choice, rule),
        interval=_describe_interval(trial),
        test=_describe_test(situation, trial, lookup) if several else None,
        precision=_describe_precision(situation, trial),
        alternatives=tuple(_list_alternatives(situation, rule)),
        cautions=tuple(_list_cautions(situation, choice, trial)),
    )


def _list_values(situation: Situation) -> tuple[LossValues, ...]:
    return ("binary",) if expects_zero_one(situation) else ("unbounded",)


def _build_request(
    situation: Situation, choice: SchemeChoice, trial: SchemeTrial
) -> Mapping[str, JsonValue]:
    """Return the fragment; options with the service's own default are left out."""
    request: dict[str, JsonValue] = {"kind": "cross_validation"}
    scheme: dict[str, JsonValue] = {"name": choice.name}
    if choice.parameters:
        scheme["params"] = dict(choice.parameters)
    request["scheme"] = scheme
    if trial.difference is not None and trial.difference.target is not DEFAULT_TARGET[trial.kind]:
        request["target"] = trial.difference.target.value
    for name, default in (("level", 0.95), ("power", 0.8)):
        if getattr(situation, name) != default:
            request[name] = getattr(situation, name)
    if situation.margin is not None:
        request["margin"] = situation.margin
    return request


def _describe_scheme(situation: Situation, choice: SchemeChoice, rule: SchemeRule) -> AdvisedScheme:
    n_fits = choice.n_splits * situation.n_models
    seconds = None if situation.fit_seconds is None else n_fits * situation.fit_seconds
    return AdvisedScheme(
        name=choice.name,
        parameters=choice.parameters,
        folds=choice.folds,
        repeats=choice.repeats,
        n_fits=n_fits,
        seconds=seconds,
        columns=choice.columns,
        reasons=tuple(_keep_fitting(situation, rule.reasons)),
    )


def _keep_fitting(situation: Situation, reasons: Sequence[AdviceReason]) -> Iterator[AdviceReason]:
    """Yield the reasons; those about classes only where there are classes."""
    for reason in reasons:
        if situation.class_counts or not reason.reason.startswith("Where classes"):
            yield reason


def _describe_interval(trial: SchemeTrial) -> AdvisedInterval | None:
    interval = trial.interval
    if interval is None:
        return None
    kind = trial.kind
    reasons = [
        build_reason(f"The library recommends it here: {rule.reason}.", "docs/methods.md")
        for rule in INTERVAL_RULES
        if rule.blocks is kind and rule.target is interval.target and not rule.only_fixed_models
    ]
    coverage = interval.expected_coverage
    if coverage is not None:
        reasons.append(
            build_reason(
                f"At a level of 95 % it covered in {format_number(round(coverage.coverage, 3))} of "
                f"the samples of the nearest studied design ({coverage.design}).",
                coverage.table,
            )
        )
    return AdvisedInterval(
        method=interval.method,
        variance=interval.variance,
        target=interval.target,
        expected_coverage=coverage,
        reasons=tuple(reasons),
    )


def _describe_test(
    situation: Situation, trial: SchemeTrial, lookup: SizeLookup
) -> AdvisedTest | None:
    difference = trial.difference
    if difference is None:
        return None
    basis = f"{difference.method}:{difference.variance}"
    size = lookup.find_verdict(basis, difference.target)
    reasons = [
        build_reason(
            "The verdict compares two models by the interval of their difference and says better, "
            "worse, equivalent, not worse or undecided.",
            "docs/reading-a-result.md",
        )
    ]
    if size is not None:
        reasons.append(
            build_reason(
                f"In the nearest studied design it called equal models different in "
                f"{format_number(round(size.size, 3))} of the samples, at a level of 5 %.",
                size.table,
            )
        )
    name, power = _find_most_powerful(lookup, difference.target)
    own = None if name is None else lookup.find_test(name, difference.target)
    if name is not None and own is not None:
        reasons.append(
            build_reason(
                f"Of the tests that kept their level there, {name} found the worse model most "
                f"often: in {format_number(round(power, 2))} of the samples.",
                own.table,
            )
        )
    if situation.n_models > 2:
        reasons.append(
            build_reason(
                "p-values are corrected for the number of pairs by the default correction.",
                "docs/reading-a-result.md",
            )
        )
    return AdvisedTest(
        method=difference.method,
        variance=difference.variance,
        expected_size=size,
        alternative=name,
        alternative_size=own,
        reasons=tuple(reasons),
    )


def _find_most_powerful(lookup: SizeLookup, target: Target) -> tuple[str | None, float]:
    """Return the test with the largest power among those that keep their level, and the power."""
    best: tuple[str | None, float] = (None, 0.0)
    for name, cells in lookup.list_tests(target).items():
        power = sum(cell.power for cell in cells) / len(cells)
        if max(cell.size for cell in cells) <= KEEPS_ITS_LEVEL and power > best[1]:
            best = (name, power)
    return best


def _describe_precision(situation: Situation, trial: SchemeTrial) -> AdvisedPrecision | None:
    interval, difference = trial.interval, trial.difference
    if interval is None or math.isnan(trial.error):
        return None
    alpha = 1 - situation.level
    reasons = [
        build_reason(
            "The half-widths are those of the advised intervals on losses with this spread, drawn "
            "at random and averaged. They rise and fall with the spread.",
        ),
        *_describe_assumptions(situation, trial),
    ]
    half = compute_upper_quantile(alpha / 2, interval.degrees_of_freedom) * trial.error
    if situation.n_models == 1 or difference is None or math.isnan(trial.error_of_difference):
        return AdvisedPrecision(half_width=half, loss_spread=trial.spread, reasons=tuple(reasons))
    n_pairs = situation.n_models * (situation.n_models - 1) // 2
    degrees, error = difference.degrees_of_freedom, trial.error_of_difference
    per_pair = alpha / n_pairs
    margin = situation.margin
    return AdvisedPrecision(
        half_width=half,
        half_width_of_difference=compute_upper_quantile(alpha / 2, degrees) * error,
        detectable_difference=find_detectable_difference(error, degrees, per_pair, situation.power),
        power_at_margin=None if margin is None else compute_power(margin, error, degrees, per_pair),
        loss_spread=trial.spread,
        reasons=tuple(reasons),
    )


def _describe_assumptions(situation: Situation, trial: SchemeTrial) -> Iterator[AdviceReason]:
    spread = format_number(round(trial.spread, 3))
    if situation.expected_error is not None:
        yield build_reason(
            f"An error of {format_number(situation.expected_error)} has losses of 0 and 1 "
            f"with a standard deviation of {spread}."
        )
    elif situation.loss_spread is None:
        yield build_reason(
            f"Neither expected_error nor loss_spread is known, so a standard deviation of {spread} "
            "is assumed. Multiply the numbers by yours over this one."
        )
    if situation.n_models > 1:
        yield build_reason(
            "Two models' losses on one row are taken to have a correlation of "
            f"{format_number(situation.correlation)}; the more alike the models, the narrower is "
            "the interval of their difference."
        )
    has_spread = trial.kind is BlockKind.SOURCE and situation.source_sizes
    if has_spread and situation.between_sources == 0:
        yield build_reason(
            "No spread between sources was given (between_sources), so none is assumed: the "
            "interval will be wider where sources differ."
        )
    if situation.n_clusters is not None:
        yield build_reason(
            "Losses are taken to be independent within clusters: the interval will be wider where "
            "rows of one cluster are right or wrong together."
        )


def _list_alternatives(situation: Situation, chosen: SchemeRule) -> Iterator[AlternativeScheme]:
    for rule in list_other_rules(situation, chosen):
        choice = rule.build(situation)
        yield AlternativeScheme(
            name=choice.name, parameters=choice.parameters, reason=rule.reasons[0]
        )


def _list_cautions(situation: Situation, choice: SchemeChoice, trial: SchemeTrial) -> Iterator[str]:
    """Yield sentences on what limits the answer."""
    if not trial.answers:
        yield (
            f"No interval about {situation.target} can be built over {choice.name}, which trains "
            "each learner once and so shows nothing of how it varies with its training data. The "
            "intervals are about the trained models. A larger budget allows for folds."
        )
    if situation.n <= FEW_ROWS:
        yield (
            f"With {situation.n} rows every number is uncertain, whatever the scheme; more rows "
            "help more than a better scheme."
        )
    smallest = situation.smallest_class
    if smallest is not None and smallest < choice.folds < situation.n:
        yield (
            f"The smallest class has {smallest} rows, fewer than the {choice.folds} folds, so some "
            "folds test none of it, and folds are not stratified."
        )
    if choice.n_splits > situation.most_splits:
        yield (
            f"The budget allows for {math.floor(situation.most_splits)} fits of each model, and "
            f"{choice.name} needs {choice.n_splits}."
        )
    if "time" in choice.columns:
        yield (
            "Rows that follow each other depend on each other, which no interval here allows for. "
            "It will be too narrow where that dependence is strong."
        )
    if trial.kind is BlockKind.SOURCE and choice.folds < 10:
        yield (
            f"The interval rests on {choice.folds} blocks, so it is wide. More sources or clusters "
            "help; more rows in each do not help much."
        )
