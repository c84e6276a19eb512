"""Gates about costs of rows that the rows cannot answer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import thetahat
from thetahat.analyses.losses.result import EvaluationResult, GateResult
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind, FloatArray
from thetahat_replications.edges.gates_by_cost import judge_sample


def judge(new: Any, old: Any, share: float = 0.5, **options: Any) -> GateResult:
    """Return the gate of two models without an error, whose costs alone matter."""
    n = len(np.ravel(new))
    losses = np.zeros(n)
    losses[0] = 1.0
    result = thetahat.evaluate(
        {"new": losses, "old": losses},
        blocks="holdout",
        margin=0.9,
        cost={"new": new, "old": old},
        gate=thetahat.Gate(model="new", against="old", cheaper_by=share),
        **options,
    )
    assert result.gate is not None
    return result.gate


def draw(n: int, ratio: float) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(n)
    old = rng.uniform(0.9, 1.1, n)
    return ratio * old * rng.uniform(0.95, 1.05, n), old


@pytest.mark.parametrize(("n", "outcome"), [(59, "undecided"), (60, "pass")])
def test_exact_fewer_than_sixty_rows_say_so(n: int, outcome: str) -> None:
    new, old = draw(n, 0.3)
    gate = judge(new, old)
    assert gate.cost is not None
    assert gate.cost.upper is not None
    assert gate.cost.upper < 0.5  # the whole set of ratios is below
    assert gate.outcome == outcome
    if outcome == "pass":
        assert gate.cost_undecided is None
        return
    assert gate.cost_undecided == "few_rows"
    assert gate.undecided
    share = 100 * (1 - 0.05 ** (1 / n))
    assert f"among 59 rows a kind that is {share:.2g} % of all may be missing" in gate.sentence
    assert "Gather 60 or more" in gate.sentence


@pytest.mark.parametrize("n", [10, 30])
def test_naive_few_rows_suffice_where_unseen_ones_could_not_change_it(n: int) -> None:
    """The mean of n rows and of the largest kind that they miss at 20 times the mean."""
    share = 1 - 0.05 ** (1 / n)
    most = 0.5 / ((1 - share) + share * 20)
    for factor, expected in ((0.98, "pass"), (1.02, "undecided")):
        new, old = draw(n, 1.0)
        new *= factor * most * old.mean() / new.mean()
        assert judge(new, old).outcome == expected
        # and not shown to be dearer, with the roles changed
        dearer = judge(old, 4 * new)
        assert dearer.outcome == ("fail" if expected == "pass" else "undecided")
    assert dearer.cost_undecided == "few_rows"


def test_exact_clusters_are_counted() -> None:
    new, old = draw(120, 0.3)
    gate = judge(new, old, cluster=[i // 4 for i in range(120)])
    assert (gate.outcome, gate.cost_undecided) == ("undecided", "few_rows")
    assert "among 30 clusters" in gate.sentence
    assert judge(new, old, cluster=[i // 2 for i in range(120)]).outcome == "pass"


def test_by_hand_few_dear_rows_need_the_test_that_allows_for_them() -> None:
    """Of 80 calls two are repeated: t is below its quantile, and Hall's transformation is not."""
    new, old = np.full(80, 0.2), np.full(80, 1.0)
    new[[3, 50]] = 4.0
    gate = judge(new, old)
    d = new - 0.5 * old
    t = d.mean() / (d.std(ddof=1) / math.sqrt(80))
    g = float(stats.skew(d)) / math.sqrt(80)
    of_hall = t + g * t**2 / 3 + g**2 * t**3 / 27 + g / 6
    assert stats.t.cdf(t, 79) < 0.025 < stats.t.cdf(of_hall, 79)
    assert gate.cost is not None
    assert gate.cost.upper is not None
    assert gate.cost.upper < 0.5
    assert (gate.outcome, gate.cost_undecided) == ("undecided", "few_dear_rows")
    assert "a few dear rows decide" in gate.sentence
    of_clusters = judge(new, old, cluster=list(range(80)))  # where it was not studied
    assert of_clusters.cost_undecided is None


def compare_costs(new: Any, old: Any, **options: Any) -> EvaluationResult:
    """Return the evaluation of two equivalent models, whose costs alone matter."""
    losses = np.zeros(len(new))
    losses[0] = 1.0
    return thetahat.evaluate(
        {"new": losses, "old": losses},
        blocks="holdout",
        margin=0.9,
        cost={"new": new, "old": old},
        **options,
    )


@pytest.mark.parametrize(
    ("new", "old", "code", "said"),
    [
        (*draw(59, 0.6), "few_rows", "among 59 rows a kind that is 5 % of all may be missing"),
        (*draw(60, 0.6), None, "new is 40 % cheaper"),
        (0.16 + 3.8 * (np.arange(80) < 2), np.full(80, 0.5), "few_dear_rows", "a few dear rows"),
    ],
)
def test_exact_cheaper_asks_for_what_the_gate_asks(
    new: FloatArray, old: FloatArray, code: str | None, said: str
) -> None:
    result = compare_costs(new, old)
    pair, summary = result.comparisons[0].cost, result.cost
    gate = judge(new, old, share=0.0)

    assert pair is not None
    assert summary is not None
    assert pair.upper is not None
    assert pair.upper < 1  # the whole set of ratios is below
    assert (pair.undecided, pair.cheaper) == (code, None if code else "new")
    assert pair.undecided == gate.cost_undecided
    assert said in pair.sentence
    assert pair.sentence.startswith("It is not decided which of new and old is cheaper") is bool(
        code
    )
    assert summary.pareto == (("new", "old") if code else ("new",))


def test_exact_cheaper_is_what_a_gate_for_any_lower_cost_passes() -> None:
    rng, seen = np.random.default_rng(9), set()
    for _ in range(40):
        n = int(rng.choice([12, 40, 70, 200]))
        new = rng.choice([0.3, 0.7, 4.0]) * np.where(rng.random(n) < 0.05, 20.0, 1.0) / 1.95
        old = rng.gamma(20.0, 1 / 20, n)
        pair, gate = compare_costs(new, old).comparisons[0].cost, judge(new, old, share=0.0)
        assert pair is not None
        expected = {"new": "pass", "old": "fail", None: "undecided"}[pair.cheaper]
        assert gate.outcome == expected
        seen.add((expected, pair.undecided))
    assert {outcome for outcome, _ in seen} == {"pass", "fail", "undecided"}
    assert {code for _, code in seen} == {None, "few_rows", "few_dear_rows"}


@pytest.mark.parametrize(("n", "share"), [(60, "4.9 %"), (149, "2 %"), (150, "")])
def test_by_hand_a_gate_that_passes_says_what_so_few_rows_may_miss(n: int, share: str) -> None:
    gate = judge(*draw(n, 0.3))

    # 1 - .05 ** (1 / 60) = .0487
    sentence = f"Kinds of rows that are less than {share} of all may be missing among these {n}."
    assert gate.outcome == "pass"
    assert gate.sentence.endswith(sentence) is bool(share)
    assert ("may be missing" in gate.sentence) is bool(share)


def test_exact_the_page_has_the_outcomes_of_gates() -> None:
    rng, seen = np.random.default_rng(5), set()
    for _ in range(30):
        n = int(rng.choice([20, 80, 150]))
        new = 0.2 * np.where(rng.random(n) < 0.05, 20.0, 1.0) / 1.95
        old = rng.gamma(20.0, 1 / 20, n)
        layout = build_layout(BlockKind.HOLDOUT, np.zeros(n, dtype=np.intp))
        passes, gate = judge_sample(new, old, layout), judge(new, old)
        assert gate.cost is not None
        assert passes[0] == ((gate.cost.upper or math.inf) < 0.5)
        assert passes[1] == (gate.outcome == "pass")
        seen.add(passes)
    assert seen == {(True, True), (True, False), (False, False)}
