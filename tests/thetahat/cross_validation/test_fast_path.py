from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.thetahat.cross_validation.learners_at_fault import Faulty, zeros
from tests.thetahat.learners.problems import problem
from thetahat.cross_validation import (
    LearnerFits,
    SplitOutcome,
    build_rows,
    estimate_cells,
    is_fast,
    pack,
    run_splits,
    split_batches,
    summarise_fits,
    unpack,
)
from thetahat.cross_validation.fast_path import build_part, predict_split, prepare_fast_path
from thetahat.cross_validation.leave_one_out import SingleRowPredictions, is_leave_one_out
from thetahat.cross_validation.split_batches import predict_in_batches
from thetahat.errors import InvalidParameter
from thetahat.learners.base import Learner, OrdinaryFit, OverSplits, Part
from thetahat.learners.nearest_neighbours import NearestNeighbours
from thetahat.learners.ridge import Ridge
from thetahat.losses.base import Predictions
from thetahat.losses.squared import Squared
from thetahat.pipelines import build, read_learner_spec
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Split
from thetahat.tables.data import build_data
from thetahat.values.types import FloatArray, IntArray


@dataclass
class Says(OverSplits):
    """Knows one number beforehand."""

    value: float

    def predict(self, part: Part) -> Predictions | OrdinaryFit:
        return Predictions(np.full(len(part.test), self.value))


def test_exact_splits_are_counted_by_how_they_were_predicted() -> None:
    assert summarise_fits([None, None]) == LearnerFits(
        path="fast", fast_splits=2, plain_splits=0, reason=None
    )
    assert summarise_fits(["b", None, "a", "b"]) == LearnerFits(
        path="mixed", fast_splits=1, plain_splits=3, reason="b; a"
    )
    assert summarise_fits(["a"]).path == "plain"


def test_exact_rows_left_out() -> None:
    split = Split(0, 0, 0, np.array([0, 2, 5]), np.array([1]))

    part = build_part(split, 6)

    assert part.left_out is not None
    assert_array_equal(part.left_out, [1, 3, 4])
    assert build_part(Split(0, 0, 0, np.array([0, 2]), np.array([1])), 3).is_complement
    assert not build_part(Split(0, 0, 0, np.array([0, 1]), np.array([1])), 3).is_complement


def test_exact_a_row_that_was_drawn_twice() -> None:
    part = build_part(Split(0, 0, 0, np.array([0, 2, 2]), np.array([1])), 3)

    assert part.left_out is None


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({"name": "ridge", "prepare": [{"name": "standardise"}]}, "a preparation step learns"),
        ("Ridge", "scikit-learn's learners are fitted once per split"),
        ("mean", "fitted once per split"),
    ],
)
def test_exact_why_a_learner_is_fitted(spec: str | dict[str, object], reason: str) -> None:
    data = problem("plain", "regression")

    path = prepare_fast_path(build(read_learner_spec(spec), "regression"), data)

    assert isinstance(path, OrdinaryFit)
    assert reason in path.reason


def test_exact_a_missing_value_anywhere_is_the_reason() -> None:
    data = build_data({"a": [1.0, None, 3.0, 4.0]}, [1.0, 2.0, 3.0, 5.0], "regression")
    split = Split(0, 0, 0, np.array([0, 2]), np.array([3]))

    (outcome,) = run_splits("r", Ridge(), data, [split], Squared(), 0)

    assert outcome.fit_reason is not None
    assert "Column 'a' has no value in row 1" in outcome.fit_reason


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_degenerate_what_is_not_finite_is_left_to_the_plain_path(value: float) -> None:
    split = Split(0, 0, 0, np.array([0, 2]), np.array([1]))

    outcome = predict_split(Says(value), split, 3)

    assert isinstance(outcome, OrdinaryFit)
    assert predict_split(Says(1.0), split, 3) != outcome


def test_exact_the_reason_travels_with_the_outcome() -> None:
    data = problem("constant_but_once", "regression")
    splits = SCHEMES["leave_one_out"]().splits(build_rows(data), 0)

    outcomes = unpack(pack(run_splits("r", Ridge(), data, splits, Squared(), 0)))

    reasons = [outcome.fit_reason for outcome in outcomes]
    assert reasons.count(None) == 40
    assert reasons[17] == "the training part's normal equations are ill-conditioned"


@pytest.mark.parametrize("scheme", ["leave_one_out", "repeated_k_fold", "leave_one_source_out"])
@pytest.mark.parametrize("learner", [Ridge(), Ridge(penalty=1e-9)])
@pytest.mark.parametrize("name", ["plain", "wide", "constant_but_once"])
def test_exact_numbers_and_paths_do_not_depend_on_the_pieces(
    name: str, learner: Learner, scheme: str
) -> None:
    data = problem(name, "regression")
    made = SCHEMES[scheme]()
    n_splits = made.n_splits(build_rows(data))

    def outcomes(edges: list[int]) -> list[tuple[bytes, str | None]]:
        results = []
        for start, stop in itertools.pairwise(edges):
            splits = made.splits(build_rows(data), 5, start=start, stop=stop)
            done = run_splits("r", learner, data, splits, Squared(), 5)
            results += [(o.losses.tobytes(), o.fit_reason) for o in done]
        return results

    whole = outcomes([0, n_splits])
    assert outcomes([0, n_splits // 2, n_splits]) == whole
    assert outcomes([*range(n_splits + 1)]) == whole


def test_property_a_learner_without_the_protocol_is_fitted() -> None:
    data = problem("plain", "regression")
    split = Split(0, 0, 0, np.arange(30), np.arange(30, 41))

    (outcome,) = run_splits("f", Faulty(zeros), data, [split], Squared(), 0)

    assert outcome.fit_reason == "this learner is fitted once per split"


@dataclass
class EachRow(OverSplits):
    """Says the row's number of each row that is left out alone, but of row 3 nothing finite."""

    block_sizes: list[int]

    def predict(self, part: Part) -> Predictions | OrdinaryFit:
        return Predictions(np.full(len(part.test), -1.0))

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        self.block_sizes.append(len(rows))
        predictions = np.where(rows == 3, np.nan, rows)
        return Predictions(predictions), rows != 5


class Choosy(Squared):
    """Refuses several at once."""

    def losses(self, y_true: np.ndarray, predictions: Predictions) -> FloatArray:
        if len(y_true) > 1:
            raise InvalidParameter("too many")
        return super().losses(y_true, predictions)


def test_exact_rows_left_out_alone_are_predicted_in_blocks() -> None:
    data = build_data({"a": np.arange(1200.0)}, np.arange(1200.0), "regression")
    each = EachRow([])
    alone = SingleRowPredictions(each.each_left_out, data, Squared())

    outcomes = alone.predict(range(300, 1200))
    first = [alone.predict(range(row, row + 1)) for row in range(8)]

    assert each.block_sizes == [
        1024,
        176,
    ]  # the last block is kept only where some of it is asked for
    assert outcomes.usable.shape == (1, 900)
    assert outcomes.usable.all()
    assert_array_equal(np.asarray(outcomes.output)[0], np.arange(300, 1200))
    fits = [bool(np.asarray(prediction.usable)[0, 0]) for prediction in first]
    assert [row for row, fit in enumerate(fits) if not fit] == [3, 5]
    assert all(
        prediction.losses[0, 0] == 0 for prediction, fit in zip(first, fits, strict=True) if fit
    )


def test_degenerate_a_loss_that_refuses_a_block_is_asked_row_by_row() -> None:
    data = build_data({"a": np.arange(9.0)}, np.arange(9.0), "regression")

    alone = SingleRowPredictions(EachRow([]).each_left_out, data, Choosy())

    assert not alone.predict(range(9)).usable.any()


@pytest.mark.parametrize("name", ["plain", "constant_but_once", "collinear"])
def test_exact_rows_by_number_say_what_their_splits_say(name: str) -> None:
    data = problem(name, "regression")
    scheme, rows = SCHEMES["leave_one_out"](), build_rows(data)

    def outcomes(start: int, stop: int, *, as_list: bool) -> list[SplitOutcome]:
        splits: Any = scheme.splits(rows, 5, start=start, stop=stop)
        splits = list(splits) if as_list else splits
        return list(run_splits("r", Ridge(), data, splits, Squared(), 5, keep_predictions=True))

    for start, stop in ((0, 41), (11, 19), (7, 7)):
        pairs = zip(
            outcomes(start, stop, as_list=True), outcomes(start, stop, as_list=False), strict=True
        )
        for wanted, predictions in pairs:
            for field in fields(SplitOutcome):
                assert_array_equal(getattr(predictions, field.name), getattr(wanted, field.name))


def test_degenerate_other_splits_are_not_of_one_row() -> None:
    train, test = np.array([0, 1, 3]), np.array([2])

    assert is_leave_one_out(Split(0, 0, 0, train, test), 4)
    assert not is_leave_one_out(Split(0, 0, 0, train, np.array([1])), 4)
    assert not is_leave_one_out(Split(0, 0, 0, np.array([0, 1, 1]), np.array([2])), 4)
    assert not is_leave_one_out(Split(0, 0, 0, train, test), 5)
    assert not is_leave_one_out(Split(0, 0, 0, train, np.array([2, 3])), 4)


def test_exact_amount_of_work() -> None:
    data = problem("plain", "regression")  # 41 rows of 5 columns
    scaled = build(
        read_learner_spec({"name": "ridge", "prepare": [{"name": "standardise"}]}), "regression"
    )

    assert estimate_cells(scaled, data, 10) == 10 * 205
    assert estimate_cells(build(read_learner_spec("mean"), "regression"), data, 10) == 10 * 205
    assert estimate_cells(Ridge(), data, 10) == 3 * 205 + 10 * (4 + 1000)
    assert estimate_cells(NearestNeighbours(), data, 10) == 3 * 205 + 840 + 10 * (4 + 1000)
    assert is_fast(Ridge())
    assert not is_fast(scaled)


@dataclass
class SaysAll(Says):
    """Predicts any number of splits at once, and notes how many were asked for."""

    batch_sizes: list[int]

    def predict_all(self, parts: Sequence[Part]) -> list[Predictions | OrdinaryFit]:
        self.batch_sizes.append(len(parts))
        return [Predictions(np.full(len(part.test), self.value)) for part in parts]


def test_exact_splits_go_in_passes_as_far_as_there_is_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tests = [[0, 1], [2], [3, 4], [0, 4], [1, 2]]
    splits = [
        Split(0, k, k, np.setdiff1d(np.arange(5), t), np.array(t)) for k, t in enumerate(tests)
    ]
    says = SaysAll(1.0, [])
    monkeypatch.setattr(split_batches, "_MAX_ROW_NUMBERS", 15)  # three splits of five rows

    outcomes = list(predict_in_batches(says.predict_all, splits, 5))

    assert [split for outcome, _ in outcomes for split in outcome] == splits
    assert says.batch_sizes == [2, 2]  # the second tests one row, and is asked for by itself
    outputs = [
        outcome.output.tolist() if isinstance(outcome, Predictions) else outcome
        for _, each in outcomes
        for outcome in each
    ]
    assert outputs == [[1.0, 1.0], None, [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]
    assert not list(predict_in_batches(says.predict_all, [], 5))
