"""The summary of a result, and the recommended intervals by target."""

from __future__ import annotations

import numpy as np

import thetahat
from tests.thetahat.analyses.losses.tables import five_by_nine, normal_table, scores_of
from thetahat.analyses.losses import Choices, evaluate
from thetahat.analyses.losses.result import Comparison, Decision, EvaluationResult, ModelResult
from thetahat.analyses.losses.summary import FEW_COMPARISONS, MAX_COMPARISONS, MAX_MODELS
from thetahat.values.block_losses import LossTable
from thetahat.values.types import BlockKind, Target

RNG = np.random.default_rng(5)


def _evaluate(table: LossTable, **choices: object) -> EvaluationResult:
    return evaluate(table, Choices(**choices), 3)  # type: ignore[arg-type]


def test_exact_best_model_and_verdicts_in_words() -> None:
    result = _evaluate(five_by_nine(BlockKind.SOURCE))
    summary = result.summary
    (pair,) = result.comparisons
    assert isinstance(pair, Comparison)
    assert pair.verdict.plan is not None

    assert summary.best_model == "nb"  # 15 of 45 against 20 of 45
    assert summary.target is Target.NEW_SOURCE
    assert summary.sentences[0].startswith("nb has the lowest mean loss of 2 models: 0.333 (95 % ")
    assert summary.sentences[1] == f"{pair.verdict.reason} {pair.verdict.plan.sentence}"
    assert summary.decisions == {Decision.UNDECIDED: 1}
    recommended = result.models["nb"].recommended[Target.NEW_SOURCE]
    best, other = summary.models
    assert (best.name, best.estimate) == ("nb", recommended.estimate)
    assert (best.lower, best.upper) == (recommended.lower, recommended.upper)
    assert other.name == "svm"
    (compared,) = summary.comparisons
    assert pair.interval is not None
    assert (compared.lower, compared.upper) == (pair.interval.lower, pair.interval.upper)


def test_exact_the_best_score_is_the_highest() -> None:
    table = scores_of({"a": [0.7, 0.8, 0.75], "b": [0.9, 0.8, 0.95]}, higher_is_better=True)
    summary = _evaluate(table).summary

    assert summary.best_model == "b"
    assert summary.sentences[0].startswith("b has the highest mean score of 2 models: 0.88")


def test_exact_the_target_is_that_of_the_verdicts() -> None:
    # Of sources the question is a new one, but theta_B is about these sources alone.
    values = {name: RNG.normal(shift, 1, (12, 20)) for name, shift in (("a", 0.0), ("b", 0.5))}
    result = thetahat.evaluate(values, blocks="source", variances=["theta_B"])
    (pair,) = result.comparisons
    assert pair.interval is not None

    assert pair.interval.target is result.summary.target is Target.THESE_SOURCES
    assert result.summary.sentences[1].startswith("On these sources, a is better than b: ")
    recommended = result.models["a"].recommended[Target.THESE_SOURCES]
    assert result.summary.models[0].lower == recommended.lower


def test_exact_one_model_and_ties() -> None:
    summary = _evaluate(scores_of({"a": [0.1, 0.2, 0.3]})).summary
    same = _evaluate(scores_of({name: [0.1, 0.2, 0.3] for name in "abc"})).summary
    ties = _evaluate(scores_of({"a": [0.1, 0.2], "b": [0.1, 0.2], "c": [0.3, 0.4]})).summary

    assert summary.sentences[0].startswith("The mean loss of a is 0.20")
    assert len(summary.sentences) == 1
    assert same.sentences[0].startswith("All 3 models have the same mean loss, 0.200.")
    assert ties.sentences[0].endswith("best. a and b have the lowest mean loss, 0.150.")


def test_exact_recommended_intervals_are_those_that_are_marked() -> None:
    result = _evaluate(five_by_nine(BlockKind.RANDOM))
    (pair,) = result.comparisons
    assert isinstance(pair, Comparison)

    parts: list[ModelResult | Comparison] = [*result.models.values(), pair]
    for part in parts:
        assert part.intervals is not None
        assert part.recommended is not None
        marked = [interval for interval in part.intervals if interval.recommended]
        assert list(part.recommended.values()) == marked
        assert len({interval.target for interval in marked}) == len(marked)


def test_exact_a_long_summary_keeps_the_most_relevant() -> None:
    table = normal_table(5, shifts=[0.1 * i for i in range(25)])
    summary = _evaluate(table, tests=(), omnibus=(), pairs="all").summary

    assert len(summary.models) == MAX_MODELS
    estimates = [model.estimate for model in summary.models]
    assert estimates == sorted(estimates)
    assert len(summary.comparisons) == FEW_COMPARISONS
    ranked = [model.name for model in summary.models]
    compared = [{pair.a, pair.b} for pair in summary.comparisons]
    assert compared == [{ranked[0], rival} for rival in ranked[1 : 1 + FEW_COMPARISONS]]
    few = _evaluate(normal_table(5, shifts=[0.1 * i for i in range(4)])).summary
    assert len(few.comparisons) == MAX_COMPARISONS
    assert len(few.sentences) == 1 + MAX_COMPARISONS
    assert sum(summary.decisions.values()) == 300
    assert summary.sentences[-1].startswith("Of all 300 comparisons, in ")
