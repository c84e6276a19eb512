"""Many models: comparisons with the best one, ranks, and one p-value and interval of each pair."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import thetahat
from tests.cases import each
from thetahat.analyses.losses import Choices
from thetahat.analyses.losses.choices import MOST_MODELS_OF_ALL_PAIRS
from thetahat.analyses.losses.result import Comparison, EvaluationResult
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.values.types import FloatArray, Target

N = 120
RAGGED = np.minimum(np.arange(N) % 11, 7)
LAYOUTS: dict[str, dict[str, Any]] = {
    "iid": {"blocks": "holdout"},
    "cluster_robust": {"blocks": "holdout", "cluster": np.arange(N) // 4},
    "instances_with_allowance": {"blocks": "random", "block": RAGGED},
    "theta_gamma": {"blocks": "source", "block": RAGGED, "n_train": 0},
    "theta_A": {"blocks": "source", "block": RAGGED, "n_train": 0, "target": "these_sources"},
    "theta_B": {"blocks": "source", "block": RAGGED, "target": "these_sources"},
}
"""By the variance that the recommended interval of a difference rests on."""


def normal_losses(k: int = 10, spread: float = 0.9, n: int = N) -> dict[str, FloatArray]:
    rng = np.random.default_rng(3)
    losses = rng.normal(size=(n, 1)) + rng.normal(size=(n, k)) + np.linspace(0, spread, k)
    return {f"m{i}": losses[:, i] for i in range(k)}


def errors_of(rates: list[float], n: int) -> dict[str, FloatArray]:
    rng = np.random.default_rng(1)
    shared = rng.normal(size=n)
    return {
        f"m{i}": (stats.norm.cdf((shared + rng.normal(size=n)) / np.sqrt(2)) < rate).astype(float)
        for i, rate in enumerate(rates)
    }


def evaluate(losses: dict[str, FloatArray], **options: Any) -> EvaluationResult:
    return thetahat.evaluate(losses, **{"blocks": "holdout", **options})


def list_numbers(result: EvaluationResult) -> dict[frozenset[str], tuple[float, float]]:
    """Return the corrected p-value and the length of the interval of each pair."""
    numbers = {}
    for pair in result.comparisons:
        interval, p_value = pair.interval, pair.verdict.p_value_adjusted
        assert interval is not None
        assert interval.lower is not None
        assert interval.upper is not None
        assert p_value is not None
        numbers[frozenset((pair.a, pair.b))] = (p_value, interval.upper - interval.lower)
    return numbers


@each("variance", list(LAYOUTS))
def test_naive_comparisons_with_the_best_are_those_of_all_pairs(variance: str) -> None:
    # The pairs that are not compared enter by their variances alone, and change no number.
    # Welch and Satterthwaite give each pair its own degrees of freedom; the others get the least.
    tolerance = 0.05 if variance in {"theta_A", "theta_B"} else 1e-9
    losses, options = normal_losses(), LAYOUTS[variance]
    with_best = evaluate(losses, tests=[], **options)
    all_pairs = evaluate(losses, tests=[], pairs="all", correction="max_t", **options)

    found, expected = list_numbers(with_best), list_numbers(all_pairs)

    assert with_best.comparisons[0].interval is not None
    assert with_best.comparisons[0].interval.variance == variance
    assert {name for pair in found for name in pair if len(pair) == 2} == set(losses)
    assert all(with_best.summary.best_model in pair for pair in found)
    for pair, numbers in found.items():
        assert_allclose(numbers, expected[pair], rtol=tolerance)
    assert with_best.ranking is not None
    assert all_pairs.ranking is not None
    assert with_best.ranking.ranks == all_pairs.ranking.ranks
    assert with_best.ranking.n_pairs == all_pairs.ranking.n_pairs == 45


def test_exact_eleven_of_thirty_models_are_shown_to_be_worse() -> None:
    losses = errors_of([0.18] * 19 + [0.32] * 11, 600)
    result = evaluate(losses)

    ranking, best = result.ranking, result.summary.best_model
    assert ranking is not None
    assert len(result.comparisons) == 29
    assert set(ranking.worse) == {f"m{i}" for i in range(19, 30)}
    assert (ranking.compared_with, ranking.is_best, ranking.better) == (best, True, ())
    assert result.summary.sentences[0] == (
        f"As trained, {best} has the lowest mean loss, 0.157: {best} is shown to be better than "
        "11 of the other 29 models and tied with 18."
    )
    assert ranking.ranks is not None
    assert ranking.ranks[best].worst == 19
    assert (ranking.ranks[best].best, ranking.ranks[best].ties) == (1, 18)
    # about 4 standard errors of 0.02, and 0.84 of them for the power
    assert ranking.smallest_gap == pytest.approx(0.09, abs=0.02)


def test_exact_a_pair_has_one_interval_and_one_p_value() -> None:
    result = evaluate(normal_losses(), margin=0.4, tests=["theta_t", "wilcoxon"])

    for short in result.summary.comparisons:
        (pair,) = (each for each in result.comparisons if each.a == short.a)
        assert isinstance(pair, Comparison)
        interval = pair.interval
        assert interval is not None
        p_value = pair.verdict.p_value_adjusted
        assert (interval.level, interval.simultaneous_pairs) == (0.95, 45)
        assert pair.tests is not None
        assert pair.tests["theta_t"].p_value_adjusted == p_value == short.p_value
        assert (short.lower, short.upper) == (interval.lower, interval.upper)
        includes_0 = interval.lower <= 0 <= interval.upper  # type: ignore[operator]
        shown = {"better", "worse"} & {pair.verdict.decision, *pair.verdict.also}
        assert includes_0 or shown  # step by step more can be shown, and never less
    alone = evaluate(normal_losses(2)).comparisons[0].interval
    assert alone is not None
    assert alone.simultaneous_pairs is None


def test_exact_the_gate_has_the_interval_and_the_p_value_of_its_verdict() -> None:
    losses = normal_losses(4)
    gate = thetahat.Gate(model="m1", against="m0", require="better")  # type: ignore[arg-type]
    result = evaluate(losses, gate=gate)
    (pair,) = (each for each in result.comparisons if each.a == "m1")

    assert result.gate is not None
    assert pair.interval is not None
    assert result.summary.correction == "max_t"
    assert pair.interval.simultaneous_pairs == 3
    assert (result.gate.lower, result.gate.upper) == (pair.interval.lower, pair.interval.upper)
    assert pair.verdict.reason in result.gate.sentence


def test_by_hand_intervals_of_three_pairs_are_bonferronis() -> None:
    result = evaluate(normal_losses(3))

    for pair in result.comparisons:
        interval = pair.interval
        assert interval is not None
        assert interval.upper is not None
        assert interval.standard_error is not None
        half = stats.t.isf(0.05 / 6, N - 1) * interval.standard_error
        assert interval.upper - interval.estimate == pytest.approx(half, rel=1e-9)
        assert interval.simultaneous_pairs == 3
    assert result.summary.correction == "holm"
    uncorrected = evaluate(normal_losses(3), correction="none")
    alone = uncorrected.comparisons[0].interval
    assert alone is not None
    assert alone.simultaneous_pairs is None
    assert uncorrected.ranking is not None
    assert uncorrected.ranking.ranks is None


def test_exact_all_pairs_of_few_models_and_with_the_best_of_more() -> None:
    k = MOST_MODELS_OF_ALL_PAIRS
    assert not Choices().compares_with_best(k)
    assert Choices().compares_with_best(k + 1)
    assert Choices(pairs="best").compares_with_best(3)
    assert not Choices(pairs="best").compares_with_best(2)
    assert not Choices(pairs="all").compares_with_best(k + 1)
    assert not Choices(correction="holm").compares_with_best(k + 1)
    assert not Choices(control="a").compares_with_best(k + 1)


def test_exact_a_control_has_no_ranks_and_leads_the_sentence() -> None:
    result = evaluate(normal_losses(10, spread=2.0), control="m5")

    ranking = result.ranking
    assert ranking is not None
    assert (ranking.is_best, ranking.ranks, ranking.n_pairs) == (False, None, 9)
    assert len(ranking.better) + len(ranking.tied) + len(ranking.worse) == 9
    assert result.summary.sentences[0].startswith(
        f"As trained, {len(ranking.better)} of 9 models are shown to be better than m5 and "
        f"{len(ranking.worse)} to be worse; {len(ranking.tied)} are not shown to differ from it."
    )


def test_exact_sources_answer_two_questions_with_a_verdict_each() -> None:
    losses = normal_losses(2, spread=0.5)
    (pair,) = evaluate(losses, **LAYOUTS["theta_gamma"]).comparisons
    (of_these,) = evaluate(losses, **LAYOUTS["theta_A"]).comparisons

    assert pair.other_verdicts is not None
    assert list(pair.other_verdicts) == [Target.THESE_SOURCES]
    other = pair.other_verdicts[Target.THESE_SOURCES]
    assert other.decision == of_these.verdict.decision
    assert other.p_value == of_these.verdict.p_value
    assert other.reason == of_these.verdict.reason
    assert pair.verdict.reason.startswith("For a new source")
    assert other.reason.startswith("On these sources")
    assert evaluate(losses).comparisons[0].other_verdicts is None


def test_invalid_pairs_that_contradict_other_options() -> None:
    with pytest.raises(InvalidParameter, match="pairs is 'best', but with a control"):
        Choices(pairs="best", control="a")
    with pytest.raises(InvalidParameter, match="pairs 'best' use max_t"):
        Choices(pairs="best", correction="holm")
    with pytest.raises(InvalidParameter, match="pairs is not one of all, best"):
        Choices(pairs="some")  # type: ignore[arg-type]
    with pytest.raises(UnsupportedCombination, match="shaffer is for all pairs"):
        evaluate(normal_losses(3), correction="shaffer", control="m1")


def test_degenerate_many_equal_models() -> None:
    column = np.arange(20) % 3 / 2
    result = evaluate({f"m{i}": column.copy() for i in range(10)})

    assert result.ranking is not None
    assert result.ranking.worse == ()
    assert result.ranking.ranks is not None
    assert {rank.ties for rank in result.ranking.ranks.values()} == {9}
    assert result.summary.sentences[0].startswith("All 10 models have the same mean loss")
    assert all(pair.verdict.p_value_adjusted == 1 for pair in result.comparisons)


@pytest.mark.calibration
@each("layout", ["iid", "instances_with_allowance", "theta_gamma"])
def test_calibrated_no_verdict_on_equal_models(layout: str) -> None:
    # With the best one found in the same data. Correct code has .00 to .06, and fails once in a
    # thousand times.
    rng, repetitions, found = np.random.default_rng(11), 50, 0
    sources = rng.permutation(np.arange(N) % 8)
    for _ in range(repetitions):
        losses = rng.normal(size=(N, 1)) + rng.normal(size=(N, 12))
        if layout == "theta_gamma":
            losses += rng.normal(size=(8, 12))[sources] / 3
        options = {key: v if key != "block" else sources for key, v in LAYOUTS[layout].items()}
        models = {f"m{i}": losses[:, i] for i in range(12)}
        # Without the parts that no verdict rests on.
        result = evaluate(models, tests=[], intervals=["student_t"], include=[], **options)
        found += any(pair.verdict.decision != "undecided" for pair in result.comparisons)

    error = np.sqrt(0.05 * 0.95 / repetitions)
    assert found / repetitions < 0.06 + 3.1 * error
