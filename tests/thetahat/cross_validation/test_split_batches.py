"""Splits that are predicted some at a time, and those among them that are run by themselves."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.testing import assert_array_equal

from thetahat.cross_validation.outcomes import Outcomes, SplitOutcome
from thetahat.cross_validation.predicted_rows import PredictedRowsBuilder
from thetahat.cross_validation.split_batches import SplitPrediction, run_in_batches
from thetahat.errors import InvalidParameter
from thetahat.learners.base import OrdinaryFit
from thetahat.losses.base import Loss, Predictions
from thetahat.losses.squared import Squared
from thetahat.schemes.base import Split
from thetahat.tables.data import Data, build_data
from thetahat.values.types import FloatArray

PARTS = [[0, 1], [2, 3], [4], [5, 6, 7]]


def split(at: int) -> Split:
    return Split(0, at, at, np.setdiff1d(np.arange(8), PARTS[at]), np.array(PARTS[at]))


def data() -> Data:
    return build_data({"a": np.arange(8.0)}, np.arange(8.0), "regression")


@dataclass
class Script:
    """Says of each split what it is told to, and notes which were run by themselves."""

    predictions: list[Predictions | OrdinaryFit]
    by_itself: list[tuple[int, SplitPrediction]] = field(default_factory=list)

    def all(self, parts: object) -> list[Predictions | OrdinaryFit]:
        return self.predictions[: len(parts)]  # type: ignore[arg-type]

    def one(self, of: Split, prediction: SplitPrediction) -> SplitOutcome:
        self.by_itself.append((of.block, prediction))
        losses = np.full(len(of.test), 9.0)
        return SplitOutcome(
            repeat=0, block=of.block, label=of.label, n_train=of.n_train, test=of.test,
            losses=losses, output=losses, fit_reason="so told",
        )  # fmt: skip

    def run(self, loss: Loss, *, keep: bool, one_row: bool = True) -> Outcomes:
        return run_in_batches(
            self.all, map(split, range(4)), data(), loss, self.one,
            predict_single_rows=one_row, keep_predictions=keep,
        )  # fmt: skip


def exact(n: int) -> Predictions:
    return Predictions(np.full(n, 2.0))


def test_exact_all_at_once() -> None:
    script = Script([exact(len(part)) for part in PARTS])

    done = script.run(Squared(), keep=True)

    assert not script.by_itself
    assert_array_equal(done.losses, (np.arange(8) - 2.0) ** 2)
    assert_array_equal(np.asarray(done.output), np.full(8, 2.0))
    assert done[3].test.tolist() == [5, 6, 7]


def test_exact_one_row_is_run_by_itself_where_it_is_known_better() -> None:
    script = Script([exact(2), exact(2), exact(3)])

    done = script.run(Squared(), keep=False, one_row=False)

    assert script.by_itself == [(2, None)]
    assert done.output is None
    assert_array_equal(done.losses, [4, 1, 0, 1, 9, 9, 16, 25])
    assert done.fit_reason == {2: "so told"}


def test_degenerate_what_may_not_be_used_is_run_by_itself() -> None:
    why = OrdinaryFit("it is so")
    script = Script([exact(2), why, Predictions(np.array([np.inf])), exact(2)])  # 2 of 3 rows

    done = script.run(Squared(), keep=True)

    assert [at for at, _ in script.by_itself] == [1, 2, 3]
    assert script.by_itself[0][1] is why
    assert script.by_itself[1][1] == OrdinaryFit("predictions are not finite")
    assert_array_equal(done.losses, [4, 1, 9, 9, 9, 9, 9, 9])


def test_degenerate_all_are_run_by_themselves() -> None:
    done = Script([OrdinaryFit("no")] * 4).run(Squared(), keep=False)

    assert len(done) == 4
    assert_array_equal(done.losses, np.full(8, 9.0))


class Refuses(Squared):
    """Refuses what it is asked."""

    def losses(self, y_true: np.ndarray, predictions: Predictions) -> FloatArray:
        raise InvalidParameter("no", value=[len(y_true), len(predictions.output)])


def test_degenerate_a_loss_that_refuses_is_asked_split_by_split() -> None:
    script = Script([exact(len(part)) for part in PARTS])

    script.run(Refuses(), keep=False)

    assert [at for at, _ in script.by_itself] == [0, 1, 2, 3]


def test_exact_stretches_of_two_learners() -> None:
    y = np.arange(5.0)
    kept, lost = PredictedRowsBuilder(2, 5, keep=True), PredictedRowsBuilder(2, 5, keep=False)
    for outcomes in (kept, lost):
        first = PredictedRowsBuilder(2, 2, keep=True)
        first.append_predictions(
            Predictions(np.arange(4.0)), np.array([[True, False]] * 2), y[:2], Squared()
        )
        outcomes.append(first.build())
        huge = np.array([1e300, 1e300, 3, 3, 3, 3])  # finite, and its square is not
        outcomes.append_predictions(
            Predictions(huge), np.ones((2, 1), dtype=bool), y[2:], Squared()
        )

    built = kept.build()

    assert_array_equal(
        built.usable, [[True, False, False, False, True], [True, False, *[True] * 3]]
    )
    assert_array_equal(built.losses[1], [4, 4, 1, 0, 1])
    assert_array_equal(np.asarray(built.output)[1], [2, 3, 3, 3, 3])
    assert lost.build().output is None
    assert_array_equal(lost.build().losses, built.losses)


def test_degenerate_a_sum_that_is_not_finite_of_terms_that_are() -> None:
    builder = PredictedRowsBuilder(1, 2, keep=False)

    huge = np.array([1.7e308, 1.7e308])
    builder.append_predictions(Predictions(huge), np.ones((1, 1), dtype=bool), huge, Squared())

    assert builder.build().usable.all()
