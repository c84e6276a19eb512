"""The comparisons of a result: every pair's difference, intervals, tests and verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from thetahat.analyses.losses.bootstrap import Resampling
from thetahat.analyses.losses.brief_comparisons import SharedCautions, Shortcut, told_briefly
from thetahat.analyses.losses.choices import Choices, Chosen
from thetahat.analyses.losses.evidence import Question, Terms
from thetahat.analyses.losses.inference import Inference, infer, interval_told, variance_told
from thetahat.analyses.losses.method_selection import Selection
from thetahat.analyses.losses.not_applicable import LeftOut
from thetahat.analyses.losses.paired_tests import outcome_told, outcomes_of
from thetahat.analyses.losses.pairs import (
    Pair,
    batches,
    effect_size,
    n_independent,
    units_of,
    within_part,
)
from thetahat.analyses.losses.plans import Basis
from thetahat.analyses.losses.recommendation import DEFAULT_TARGET, LAST, PROPORTIONS, Built
from thetahat.analyses.losses.refit_estimates import NOTHING_FOUND, Found, FoundBySubject
from thetahat.analyses.losses.verdicts import judge
from thetahat.corrections.corrections import adjust
from thetahat.intervals import INTERVALS
from thetahat.intervals.base import IntervalMethod
from thetahat.numerics.bootstrap import Draw
from thetahat.paired_tests.base import PairedTest, TestOutcome
from thetahat.values.block_losses import LossTable
from thetahat.values.json_values import plain, told
from thetahat.values.types import BlockKind, Target
from thetahat.variances.base import VarianceEstimator

FOR_VERDICTS = ("student_t", "normal")
"""Built on differences where the request names only intervals that a difference cannot have."""


@dataclass(frozen=True, slots=True)
class Methods:
    """What is computed for every pair."""

    variances: Selection[VarianceEstimator]
    intervals: Selection[IntervalMethod]
    tests: Selection[PairedTest]


def compare(  # noqa: PLR0913 - what is asked, on what, and where to note what was left out
    table: LossTable,
    methods: Methods,
    choices: Choices,
    seed: int,
    limits: tuple[float, float] | None,
    left_out: LeftOut,
    found: FoundBySubject = NOTHING_FOUND,
    shared: SharedCautions | None = None,
    resampling: Resampling | None = None,
) -> list[dict[str, Any]]:
    """Return ``comparisons``, in the order of ``places``; in brief where cautions are shared.

    The recommended interval of a pair, on which its verdict rests, speaks of the request's target
    or of the layout's own, and where none was built for that, of another that it names.
    """
    intervals = methods.intervals
    if resampling is not None:
        intervals = resampling.unasked(
            intervals, named_variances=methods.variances.named, for_pairs=True
        )
        left_out.take(intervals)
    methods = replace(methods, intervals=_for_differences(intervals))
    span = None if limits is None else (limits[0] - limits[1], limits[1] - limits[0])
    shortcut = Shortcut.of(table.layout, choices, methods.variances, methods.intervals)

    def lists_of(pair: Pair, on_fits: Sequence[Found]) -> Inference:
        draw = _draw_of(pair, resampling)
        chosen = methods.variances, methods.intervals, choices
        return infer(pair.losses.difference, *chosen, span, left_out, on_fits, draw)

    asked = {
        "variances": choices.variances is not None,
        "intervals": choices.intervals is not None,
    }
    compared: list[dict[str, Any]] = []
    questions: list[Question] = []
    given = {} if resampling is None else resampling.for_tests()
    for some, batch in batches(table, choices.control, given):
        outcomes = outcomes_of(some, batch, methods.tests, choices, seed, left_out)
        for pair, own in zip(some, outcomes, strict=True):
            difference, on_fits = pair.losses.difference, found.get((pair.a, pair.b), ())
            best, lists = None, None
            if shared is not None and not any(asked.values()) and not on_fits:
                best = shortcut.best(difference, choices, span, left_out)
            if best is None:
                lists = lists_of(pair, on_fits)
                best = _recommended(lists, table.layout.kind, choices.target)
            unit, differences = units_of(difference)
            effect = plain(effect_size(unit, differences, further=shared is None))
            if shared is not None:
                comparison = told_briefly(pair, best, effect, own, shared)
                comparison |= _lists(lists, **asked)
            else:
                comparison = _told_in_full(pair, best, _lists(lists), effect, own)
            compared.append(comparison)
            questions.append(_question(pair, best, n_independent(difference, differences)))
    _adjust_tests(compared, choices.correction)
    terms = _terms(table, choices, in_brief=shared is not None)
    for comparison, verdict in zip(compared, judge(questions, terms), strict=True):
        comparison["verdict"] = verdict
    return compared


def _draw_of(pair: Pair, resampling: Resampling | None) -> Draw | None:
    if resampling is None:
        return None
    return resampling.of_pair(pair.a, pair.b, pair.losses.difference)


def _told_in_full(
    pair: Pair,
    best: Built | None,
    lists: dict[str, Any],
    effect: dict[str, Any],
    outcomes: Mapping[str, TestOutcome],
) -> dict[str, Any]:
    moments = pair.losses.difference.moments
    return {
        "a": pair.a,
        "b": pair.b,
        "difference": plain(moments.macro_mean),
        "difference_pooled": plain(moments.pooled_mean),
        "interval": None if best is None else interval_told(best.interval),
        **lists,
        "effect_size": effect,
        "tests": {key: outcome_told(outcome) for key, outcome in outcomes.items()},
        "cautions": told(pair.cautions),
    }


def _lists(
    inference: Inference | None, *, variances: bool = True, intervals: bool = True
) -> dict[str, Any]:
    """Return all that a recommended interval was chosen from, or the part that was asked for."""
    lists: dict[str, Any] = {}
    if inference is not None and intervals:
        lists["intervals"] = [interval_told(built.interval) for built in inference.built]
    if inference is not None and variances:
        lists["variances"] = {k: variance_told(v) for k, v in inference.estimates.items()}
    return lists


def _question(pair: Pair, best: Built | None, n_units: int) -> Question:
    basis = None
    if best is not None and pair.constant is None:
        new = best.interval.target is Target.NEW_SOURCE
        basis = basis_of(best, within_part(pair.losses.difference) if new else None)
    return Question(a=pair.a, b=pair.b, basis=basis, constant=pair.constant, n_units=n_units)


def _terms(table: LossTable, choices: Choices, *, in_brief: bool) -> Terms:
    return Terms(
        level=choices.level,
        margin=choices.margin,
        correction=choices.correction,
        power=choices.power,
        layout=table.layout,
        higher_is_better=table.higher_is_better,
        in_brief=in_brief,
    )


def _for_differences(intervals: Selection[IntervalMethod]) -> Selection[IntervalMethod]:
    """Leave out the intervals of proportions; see that one is there that a verdict can rest on."""
    kept = tuple(entry for entry in intervals.methods if entry.name not in PROPORTIONS)
    if all(entry.name in LAST for entry in kept):
        added = tuple(Chosen(name, name, INTERVALS[name]()) for name in FOR_VERDICTS)
        kept = (*kept, *added)
    return replace(intervals, methods=kept)


def _recommended(inference: Inference, kind: BlockKind, target: Target | None) -> Built | None:
    if target is not None:
        return inference.recommended_for(target)
    for candidate in (DEFAULT_TARGET[kind], *Target):
        built = inference.recommended_for(candidate)
        if built is not None:
            return built
    return None


def basis_of(built: Built, within: float | None = None) -> Basis | None:
    """Return what a verdict on that interval rests on; a prediction is nothing to rest on."""
    interval = built.interval
    if interval.standard_error is None or built.interval_name in LAST:
        return None
    return Basis(
        difference=interval.estimate,
        standard_error=interval.standard_error,
        degrees_of_freedom=interval.degrees_of_freedom,
        target=interval.target,
        method=interval.method,
        variance=interval.variance,
        variance_name=built.variance_name,
        within=within if interval.target is Target.NEW_SOURCE else None,
    )


def _adjust_tests(compared: list[dict[str, Any]], correction: str) -> None:
    """Fill in ``p_value_adjusted``, test by test over the pairs that have it."""
    if len(compared) < 2:
        return
    for key in dict.fromkeys(key for comparison in compared for key in comparison["tests"]):
        outcomes = [comparison["tests"].get(key, {}) for comparison in compared]
        adjusted = adjust([outcome.get("p_value") for outcome in outcomes], correction)
        for outcome, value in zip(outcomes, adjusted, strict=True):
            if "p_value" in outcome:
                outcome["p_value_adjusted"] = value
