"""Learners that differ in one parameter say together what each says by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.learners.problems import PROBLEMS, problem
from thetahat.cross_validation import (
    SplitOutcome,
    build_rows,
    group_by_parameter,
    parameter_paths,
    run_path,
    run_splits,
)
from thetahat.errors import EvaluationError
from thetahat.learners.base import Learner
from thetahat.learners.least_squares import LeastSquares
from thetahat.learners.nearest_neighbours import NearestNeighbours
from thetahat.learners.ridge import Ridge
from thetahat.losses.base import Loss
from thetahat.losses.squared import Squared
from thetahat.losses.zero_one import ZeroOne
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Split
from thetahat.tables.data import Data, build_data

SPLITS: Final[dict[str, dict[str, Any]]] = {
    "k_fold": {"n_folds": 5},
    "leave_one_out": {},
    "leave_one_source_out": {},
    "bootstrap": {"n_resamples": 2},
}
GRIDS: Final[dict[str, dict[str, Learner]]] = {
    "ridge": {f"r{at}": Ridge(penalty=10.0**at) for at in range(-9, 5, 2)},
    "ridge without an intercept": {
        f"r{at}": Ridge(penalty=10.0**at, intercept=False) for at in (-1, 1)
    },
    "neighbours": {f"k{k}": NearestNeighbours(k=k) for k in (1, 3, 4, 8, 30)},
    "near neighbours": {f"k{k}": NearestNeighbours(k=k, votes="distance") for k in (9, 2, 50)},
}


def done_together(
    learners: Mapping[str, Learner], data: Data, scheme: str
) -> dict[str, Sequence[SplitOutcome] | EvaluationError]:
    outcomes: dict[str, Sequence[SplitOutcome] | EvaluationError] = {}
    for group in group_by_parameter(learners):
        splits: Any = SCHEMES[scheme](**SPLITS[scheme]).splits(build_rows(data), 3)
        outcomes |= run_path(group, data, splits, loss_of(data), 0, keep_predictions=True)
    return outcomes


def loss_of(data: Data) -> Loss:
    return ZeroOne() if data.n_classes else Squared()


def alone(
    name: str, learner: Learner, data: Data, scheme: str
) -> Sequence[SplitOutcome] | EvaluationError:
    splits = SCHEMES[scheme](**SPLITS[scheme]).splits(build_rows(data), 3)
    try:
        return run_splits(name, learner, data, splits, loss_of(data), 0, keep_predictions=True)
    except EvaluationError as error:
        return error


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("grid", GRIDS)
def test_naive_each_by_itself_says_the_same(grid: str, name: str) -> None:
    learners = GRIDS[grid]
    data = problem(name, min(next(iter(learners.values())).tasks))
    scale = 1.0 if data.n_classes else float(np.std(data.y))
    for scheme in SPLITS:
        together = done_together(learners, data, scheme)

        assert list(together) == list(learners)
        for key, learner in learners.items():
            predictions, wanted = together[key], alone(key, learner, data, scheme)
            if isinstance(wanted, EvaluationError):
                assert isinstance(predictions, EvaluationError)
                assert predictions.message == wanted.message
                continue
            assert not isinstance(predictions, EvaluationError)
            for first, other in zip(predictions, wanted, strict=True):
                same(first, other, scale)


def same(ours: SplitOutcome, other: SplitOutcome, scale: float) -> None:
    for name in ("repeat", "block", "label", "n_train", "test", "cautions"):
        assert_array_equal(getattr(ours, name), getattr(other, name))
    assert ours.output is not None
    assert other.output is not None
    if ours.probabilities is None or other.probabilities is None:
        assert_allclose(ours.output, other.output, rtol=1e-8, atol=1e-8 * scale)
    else:
        assert_array_equal(ours.output, other.output)
        assert_allclose(ours.probabilities, other.probabilities, rtol=1e-8, atol=1e-8)


def test_exact_learners_of_a_group() -> None:
    learners: dict[str, Learner] = {
        "a": Ridge(penalty=1),
        "b": LeastSquares(),
        "c": Ridge(penalty=2, intercept=False),
        "d": Ridge(penalty=3),
        "e": Ridge(penalty=4, intercept=False),
        "f": LeastSquares(intercept=False),
    }

    groups = group_by_parameter(learners)

    assert [group.names for group in groups] == [("a", "d"), ("b",), ("c", "e"), ("f",)]
    assert groups[0].values == (1, 3)
    assert [group.parameter for group in groups] == ["penalty", None, "penalty", None]


def test_exact_one_learner_is_run_as_by_itself() -> None:
    data = problem("plain", "regression")
    (group,) = group_by_parameter({"r": Ridge()})
    splits = SCHEMES["k_fold"]()

    outcomes = run_path(group, data, splits.splits(build_rows(data), 1), Squared(), 0)

    wanted = run_splits("r", Ridge(), data, splits.splits(build_rows(data), 1), Squared(), 0)
    assert not isinstance(outcomes["r"], EvaluationError)
    for first, other in zip(outcomes["r"], wanted, strict=True):
        assert_array_equal(first.losses, other.losses)


@pytest.mark.parametrize("scheme", ["k_fold", "leave_one_out"])
@pytest.mark.parametrize(
    "learners",
    [
        {"a": Ridge(penalty=1), "b": Ridge(penalty=2)},
        {"a": NearestNeighbours(k=1), "b": NearestNeighbours(k=2)},
    ],
)
def test_degenerate_without_a_path_each_is_run_by_itself(
    learners: dict[str, Learner], scheme: str
) -> None:
    values = [0.5 * i for i in range(12)]
    data = build_data({"a": [None, *values[1:]]}, values, "regression")

    outcomes = done_together(learners, data, scheme)

    for name, learner in learners.items():
        predictions, wanted = outcomes[name], alone(name, learner, data, scheme)
        assert isinstance(predictions, EvaluationError)
        assert isinstance(wanted, EvaluationError)
        assert predictions.message == wanted.message


def test_degenerate_a_training_part_without_weight_is_reported_for_each_value() -> None:
    data = build_data(
        {"a": np.arange(6.0)}, np.arange(6.0), "regression", weight=[1, 1, 0, 0, 0, 0]
    )
    rest = np.arange(2, 6)
    splits = [Split(0, 0, 0, rest, np.arange(2)), Split(0, 1, 1, np.arange(2), rest)]
    (group,) = group_by_parameter({"a": Ridge(penalty=1), "b": Ridge(penalty=2)})

    outcomes = run_path(group, data, splits, Squared(), 0)
    good = run_path(group, data, splits[1:], Squared(), 0)

    assert ["block 0" in str(outcomes_of_learner) for outcomes_of_learner in outcomes.values()] == [
        True,
        True,
    ]
    assert not any(
        isinstance(outcomes_of_learner, EvaluationError) for outcomes_of_learner in good.values()
    )


def test_degenerate_fewer_rows_than_any_number_of_neighbours() -> None:
    data = build_data({"a": np.arange(4.0)}, np.arange(4.0), "regression")
    learners = {"a": NearestNeighbours(k=5), "b": NearestNeighbours(k=6)}

    outcomes = done_together(learners, data, "leave_one_out")

    assert [
        "neighbours are asked for" in str(outcomes_of_learner)
        for outcomes_of_learner in outcomes.values()
    ] == [True, True]


@pytest.mark.parametrize("at_once", [1, 70])
def test_exact_pieces_change_nothing(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    data = problem("plain", "regression")
    grid = GRIDS["ridge"]
    whole = {scheme: done_together(grid, data, scheme) for scheme in ("k_fold", "leave_one_out")}
    monkeypatch.setattr(parameter_paths, "_MAX_VALUES", at_once)

    for scheme, wanted in whole.items():
        for name, predictions in done_together(grid, data, scheme).items():
            other = wanted[name]
            assert not isinstance(predictions, EvaluationError)
            assert not isinstance(other, EvaluationError)
            for first, two in zip(predictions, other, strict=True):
                assert_array_equal(first.losses, two.losses)
                assert_array_equal(first.output, two.output)
                assert (first.block, first.label, first.fit_reason) == (
                    two.block, two.label, two.fit_reason,
                )  # fmt: skip


def test_degenerate_no_rows_to_leave_out() -> None:
    data = problem("plain", "regression")
    (group,) = group_by_parameter(GRIDS["ridge"])
    splits = SCHEMES["leave_one_out"]().splits(build_rows(data), 3, start=5, stop=5)

    outcomes = run_path(group, data, splits, Squared(), 0)

    assert [
        list(outcomes_of_learner)
        for outcomes_of_learner in outcomes.values()
        if not isinstance(outcomes_of_learner, EvaluationError)
    ] == [[]] * len(outcomes)


def test_degenerate_one_that_is_refused_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parameter_paths, "_MAX_VALUES", 1)
    data = problem("plain", "regression")  # 32 or 33 rows in each training part
    learners = {"few": NearestNeighbours(k=3), "many": NearestNeighbours(k=35)}

    outcomes = done_together(learners, data, "k_fold")

    assert "35 neighbours are asked for" in str(outcomes["many"])
    assert not isinstance(outcomes["few"], EvaluationError)
    assert len(outcomes["few"]) == 5
