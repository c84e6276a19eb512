"""The gate on one pair of models: each requirement is met, refuted or undecided."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thetahat
from thetahat import Gate
from thetahat.analyses.losses.result import EvaluationResult, GateOutcome, Requirement
from thetahat.errors import InvalidParameter

MARGIN = 0.1
EACH_OUTCOME = tuple(GateOutcome)


def judge(
    shift: float,
    require: str,
    *,
    noise: float = 0.02,
    undecided: str = "undecided",
    names: tuple[str, str] = ("old", "new"),
) -> EvaluationResult:
    """Return the evaluation of a new model whose losses are the old one's plus a shift."""
    rng = np.random.default_rng(5)
    old = rng.normal(1, 0.3, size=(12, 30))
    errors = rng.normal(size=(12, 30))
    losses = {"old": old, "new": old + shift + noise * (errors - errors.mean())}
    return thetahat.evaluate(
        {name: losses[name] for name in names},
        blocks="source",
        margin=MARGIN,
        gate=Gate(
            model="new",
            against="old",
            require=Requirement(require),
            undecided=GateOutcome(undecided),
        ),
    )


@pytest.mark.parametrize(
    ("shift", "noise", "require", "outcome"),
    [
        # The difference is known to about 0.001; with noise 5 nothing is known.
        (-0.5, 0.02, "better", "pass"),
        (-0.5, 0.02, "not_worse", "pass"),
        (-0.5, 0.02, "equivalent", "fail"),
        (0.5, 0.02, "better", "fail"),
        (0.5, 0.02, "not_worse", "fail"),
        (0.5, 0.02, "equivalent", "fail"),
        (0.05, 0.02, "not_worse", "pass"),  # worse, but by less than the margin
        (0.05, 0.02, "equivalent", "pass"),
        (0.05, 0.02, "better", "fail"),
        (-0.1, 0.02, "equivalent", "undecided"),  # better, and the margin is inside the interval
        (0.0, 5.0, "better", "undecided"),
        (0.0, 5.0, "not_worse", "undecided"),
        (0.0, 5.0, "equivalent", "undecided"),
    ],
)
def test_exact_a_requirement_is_met_refuted_or_undecided(
    shift: float, noise: float, require: str, outcome: str
) -> None:
    result = judge(shift, require, noise=noise)
    gate, (pair,) = result.gate, result.comparisons

    assert gate is not None
    assert gate.outcome == outcome
    assert gate.undecided == (outcome == "undecided")
    shown = "" if require == "better" else "It is shown that"
    starts = {"pass": shown, "fail": "It is required that", "undecided": "It is not shown that"}
    assert gate.sentence.startswith(starts[outcome] or pair.verdict.reason)
    assert str(gate) == f"Gate: {outcome}. {gate.sentence}"
    assert str(gate).count(pair.verdict.reason) == 1


@pytest.mark.parametrize("undecided", EACH_OUTCOME)
def test_exact_an_undecided_gate_counts_as_the_request_says(undecided: GateOutcome) -> None:
    gate = judge(0.0, "better", noise=5.0, undecided=undecided.value).gate

    assert gate is not None
    assert gate.outcome is undecided
    assert gate.undecided
    assert "It is not shown that new is better than old" in gate.sentence


@pytest.mark.parametrize("undecided", EACH_OUTCOME)
def test_exact_a_refuted_gate_fails_whatever_undecided_counts_as(undecided: GateOutcome) -> None:
    gate = judge(0.5, "better", undecided=undecided.value).gate

    assert gate is not None
    assert gate.outcome is GateOutcome.FAIL
    assert not gate.undecided


def test_exact_the_gate_has_the_numbers_of_its_comparison() -> None:
    for names in (("old", "new"), ("new", "old")):
        result = judge(-0.2, "better", names=names)
        (pair,) = result.comparisons
        gate = result.gate

        # The reference of the gate is the control, so the pair is always the model minus it.
        assert gate is not None
        assert (pair.a, pair.b) == ("new", "old") == (gate.model, gate.against)
        assert pair.interval is not None
        assert (gate.lower, gate.upper) == (pair.interval.lower, pair.interval.upper)
        assert gate.difference == pytest.approx(-0.2, abs=1e-9)
        assert gate.margin == MARGIN


def test_exact_without_a_gate_the_json_has_none() -> None:
    result = thetahat.evaluate({"a": [[0.1, 0.2], [0.3, 0.1]]}, blocks="source")

    assert result.gate is None
    assert "gate" not in thetahat.to_json(result)


@pytest.mark.parametrize("higher", [False, True])
def test_exact_scores_pass_where_their_losses_pass(*, higher: bool) -> None:
    rng = np.random.default_rng(2)
    old = rng.normal(0.5, 0.05, size=20)
    values = {"old": old, "new": old - 0.1 + 0.01 * rng.normal(size=20)}
    result = thetahat.evaluate_scores(
        {name: 1 - row if higher else row for name, row in values.items()},
        n_train=90,
        n_test=10,
        better="higher" if higher else "lower",
        folds=10,
        repeats=2,
        gate=Gate(model="new", against="old", require=Requirement.BETTER),
    )

    assert result.gate is not None
    assert result.gate.outcome is GateOutcome.PASS


def test_invalid_gates_name_the_place() -> None:
    losses = {"old": [[0.1, 0.4], [0.3, 0.2]], "new": [[0.2, 0.1], [0.3, 0.1]]}
    cases: list[tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]] = [
        ({"model": "newer", "against": "old"}, {"margin": 0.1}, ("gate", "model")),
        ({"model": "new", "against": "prod"}, {"margin": 0.1}, ("gate", "against")),
        ({"model": "new", "against": "old"}, {}, ("margin",)),
        ({"model": "new", "against": "old"}, {"margin": 0.1, "control": "new"}, ("control",)),
    ]
    for gate, options, place in cases:
        with pytest.raises(InvalidParameter) as caught:
            thetahat.evaluate(losses, blocks="source", gate=Gate(**gate), **options)
        assert caught.value.loc == place
    as_json: Any = {"model": "new", "against": "old"}
    with pytest.raises(InvalidParameter, match=r"It is a Gate, such as thetahat\.Gate") as caught:
        thetahat.evaluate(losses, blocks="source", margin=0.1, gate=as_json)
    assert caught.value.loc == ("gate",)
    with pytest.raises(InvalidParameter, match="with itself") as caught:
        Gate(model="new", against="new")
    assert caught.value.loc == ("gate", "against")


def test_the_gate_counts_a_single_group_as_one() -> None:
    gate = Gate(model="new", against="old", require=Requirement.NO_GROUP_WORSE)
    losses = {"new": [0] * 100, "old": [0] * 100}
    result = thetahat.evaluate(
        losses, blocks="holdout", n_train=0, margin=MARGIN, groups={"g": ["x"] * 100}, gate=gate
    )
    assert result.gate is not None
    assert result.gate.sentence.endswith("(1 group).")
