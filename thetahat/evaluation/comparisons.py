"""The comparisons of a result: every pair's difference, intervals, tests and verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from thetahat.block_losses import LossTable
from thetahat.comparisons.base import PairedTest, TestOutcome
from thetahat.evaluation.choices import Choices, Chosen, Selection
from thetahat.evaluation.corrections import adjust
from thetahat.evaluation.evidence import Question, Terms
from thetahat.evaluation.found import NOTHING_FOUND, FoundBySubject
from thetahat.evaluation.inference import (
    DOES_NOT_FIT,
    Inference,
    LeftOut,
    infer,
    interval_told,
    variance_told,
)
from thetahat.evaluation.pairs import (
    Pair,
    effect_size,
    n_independent,
    pairs,
    units_of,
    within_part,
)
from thetahat.evaluation.plain import plain, told
from thetahat.evaluation.plans import Basis
from thetahat.evaluation.recommendation import DEFAULT_TARGET, LAST, PROPORTIONS, Built
from thetahat.evaluation.verdicts import judge
from thetahat.intervals import INTERVALS
from thetahat.intervals.base import IntervalMethod
from thetahat.seeds import stream
from thetahat.types import BlockKind, Target
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
) -> list[dict[str, Any]]:
    """Return ``comparisons``, in the order of ``pairs``.

    The recommended interval of a pair, on which its verdict rests, speaks of the request's target
    or of the layout's own, and where none was built for that, of another that it names.
    """
    methods = replace(methods, intervals=_for_differences(methods.intervals))
    span = None if limits is None else (limits[0] - limits[1], limits[1] - limits[0])
    compared: list[dict[str, Any]] = []
    questions: list[Question] = []
    for pair in pairs(table, choices.control):
        inference = infer(
            pair.losses.difference,
            methods.variances,
            methods.intervals,
            choices,
            span,
            left_out,
            found.get((pair.a, pair.b), ()),
        )
        best = _recommended(inference, table.layout.kind, choices.target)
        unit, differences = units_of(pair.losses.difference)
        compared.append(
            {
                "a": pair.a,
                "b": pair.b,
                "difference": plain(pair.losses.difference.moments.macro_mean),
                "difference_pooled": plain(pair.losses.difference.moments.pooled_mean),
                "interval": None if best is None else interval_told(best.interval),
                "intervals": [interval_told(built.interval) for built in inference.built],
                "variances": {k: variance_told(v) for k, v in inference.estimates.items()},
                "effect_size": plain(effect_size(unit, differences)),
                "tests": _tests(pair, methods.tests, choices, seed, left_out),
                "cautions": told(pair.cautions),
            }
        )
        basis = None
        if best is not None and pair.constant is None:
            basis = basis_of(best, within_part(pair.losses.difference))
        questions.append(
            Question(
                a=pair.a,
                b=pair.b,
                basis=basis,
                constant=pair.constant,
                n_units=n_independent(pair.losses.difference, differences),
            )
        )
    _adjust_tests(compared, choices.correction)
    for comparison, verdict in zip(compared, judge(questions, _terms(table, choices)), strict=True):
        comparison["verdict"] = verdict
    return compared


def _terms(table: LossTable, choices: Choices) -> Terms:
    return Terms(
        level=choices.level,
        margin=choices.margin,
        correction=choices.correction,
        power=choices.power,
        layout=table.layout,
        higher_is_better=table.higher_is_better,
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


def _tests(
    pair: Pair,
    selection: Selection[PairedTest],
    choices: Choices,
    seed: int,
    left_out: LeftOut,
) -> dict[str, dict[str, Any]]:
    outcomes: dict[str, dict[str, Any]] = {}
    for entry in selection.methods:
        rng = stream(seed, f"tests/{entry.key}", *pair.position)
        try:
            outcome = entry.method.test(pair.losses, choices.alternative, rng)
        except DOES_NOT_FIT as error:
            if selection.named:
                raise
            left_out.add("tests", entry.name, error.message)
            continue
        outcomes[entry.key] = _outcome_told(outcome)
    return outcomes


def _outcome_told(outcome: TestOutcome) -> dict[str, Any]:
    given = {
        "statistic": outcome.statistic,
        "degrees_of_freedom": outcome.degrees_of_freedom,
        "p_value": outcome.p_value,
        "p_value_adjusted": None,
        "unit": outcome.unit,
    }
    details = {key: item for key, item in outcome.details.items() if key not in given}
    return {**plain(given), "cautions": told(outcome.cautions), **plain(details)}


def _adjust_tests(compared: list[dict[str, Any]], correction: str) -> None:
    """Fill in ``p_value_adjusted``, test by test over the pairs that have it."""
    if len(compared) < 2:
        return
    for key in dict.fromkeys(key for comparison in compared for key in comparison["tests"]):
        outcomes = [comparison["tests"].get(key, {}) for comparison in compared]
        adjusted = adjust([outcome.get("p_value") for outcome in outcomes], correction)
        for outcome, value in zip(outcomes, adjusted, strict=True):
            if outcome:
                outcome["p_value_adjusted"] = value
