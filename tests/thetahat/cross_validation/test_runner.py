from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.cross_validation.learners_at_fault import (
    Faulty,
    raising,
    some_data,
    warning,
    zeros,
)
from thetahat.cautions import Caution
from thetahat.cross_validation import SplitOutcome, build_rows, run_splits
from thetahat.errors import EvaluationError, InsufficientData, LearnerFailed
from thetahat.learners import LEARNERS
from thetahat.learners.base import Learner
from thetahat.learners.majority import Majority
from thetahat.learners.mean import MeanLearner
from thetahat.learners.multinomial_naive_bayes import MultinomialNaiveBayes
from thetahat.learners.ridge import Ridge
from thetahat.losses.base import Loss, Predictions
from thetahat.losses.squared import Squared
from thetahat.losses.zero_one import ZeroOne
from thetahat.schemes.base import Split
from thetahat.schemes.k_fold import KFold
from thetahat.schemes.leave_one_out import LeaveOneOut
from thetahat.schemes.leave_one_source_out import LeaveOneSourceOut
from thetahat.schemes.repeated_k_fold import RepeatedKFold
from thetahat.tables.data import Data, build_data
from thetahat.tables.features import Features


def one_split(label: str | int = 3, n: int = 12) -> Split:
    rows = np.arange(n)
    return Split(0, 3, label, rows[rows % 3 != 1], rows[rows % 3 == 1])


def run(
    learner: Learner,
    data: Data,
    split: Split,
    loss: Loss | None = None,
) -> SplitOutcome:
    (outcome,) = run_splits("nb", learner, data, [split], loss or Squared(), 7)
    return outcome


def test_by_hand_mean_of_the_others() -> None:
    data = build_data({"a": [0.0, 0, 0]}, [1.0, 2.0, 6.0], "regression")

    outcomes = run_splits(
        "m",
        MeanLearner(),
        data,
        LeaveOneOut().splits(build_rows(data), 0),
        Squared(),
        0,
        keep_predictions=True,
    )

    # left out 1: (2 + 6)/2 = 4, (4 - 1)^2; left out 2: 3.5; left out 6: 1.5
    assert [float(o.losses[0]) for o in outcomes] == [9.0, 2.25, 20.25]
    assert [o.output.tolist() for o in outcomes if o.output is not None] == [[4.0], [3.5], [1.5]]
    assert [(o.repeat, o.block, o.label, o.n_train) for o in outcomes] == [
        (0, 0, 0, 2),
        (0, 1, 1, 2),
        (0, 2, 2, 2),
    ]


def test_exact_majority_is_always_wrong_when_left_out_of_a_tie() -> None:
    data = build_data({"a": np.zeros(6)}, [0, 1, 0, 1, 0, 1], "classification")

    outcomes = run_splits(
        "m", Majority(), data, LeaveOneOut().splits(build_rows(data), 0), ZeroOne(), 0
    )

    assert [float(o.losses[0]) for o in outcomes] == [1.0] * 6
    assert all(o.output is None and o.probabilities is None for o in outcomes)


def test_exact_weights_reach_the_learner() -> None:
    data = build_data({"a": np.zeros(3)}, [1.0, 2.0, 6.0], "regression", weight=[1, 3, 1])
    split = Split(0, 0, 0, np.array([0, 1]), np.array([2]))

    # mean (1 + 3 x 2)/4 = 1.75
    assert run(MeanLearner(), data, split).losses[0] == 4.25**2


def test_against_sklearn_cross_val_predict() -> None:
    from sklearn.datasets import load_diabetes
    from sklearn.linear_model import Ridge as Theirs
    from sklearn.model_selection import cross_val_predict

    X, y = load_diabetes(return_X_y=True)
    data = build_data({f"x{j}": X[:, j] for j in range(X.shape[1])}, y, "regression")
    splits = list(KFold(n_folds=7).splits(build_rows(data), 5))

    outcomes = run_splits("r", Ridge(penalty=0.1), data, splits, Squared(), 5)

    predictions = cross_val_predict(
        Theirs(alpha=0.1, solver="svd"), X, y, cv=[(s.train, s.test) for s in splits]
    )
    for outcome in outcomes:
        wanted = (predictions[outcome.test] - y[outcome.test]) ** 2
        assert_allclose(outcome.losses, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", [n for n in LEARNERS if "classification" in LEARNERS[n].tasks])
@pytest.mark.parametrize("n_chunks", [1, 2, 7])
def test_property_pieces_give_the_very_same_numbers(name: str, n_chunks: int) -> None:
    data = some_data("classification", 30)
    if name == "multinomial_naive_bayes":
        data = build_data({"b": data.features.columns[1]}, data.y, "classification")
    scheme, rows = RepeatedKFold(n_folds=3, n_repeats=4), build_rows(data)
    ends = np.linspace(0, 12, n_chunks + 1).round().astype(int).tolist()

    def losses(start: int, stop: int) -> list[bytes]:
        splits = scheme.splits(rows, 3, start=start, stop=stop)
        done = run_splits(name, LEARNERS[name](), data, splits, ZeroOne(), 3)
        return [outcome.losses.tobytes() + outcome.test.tobytes() for outcome in done]

    pieces = [losses(a, b) for a, b in reversed(list(itertools.pairwise(ends)))]

    assert list(itertools.chain(*reversed(pieces))) == losses(0, 12)


def test_property_draws_belong_to_name_seed_and_split() -> None:
    drawn: list[float] = []
    learner = Faulty(zeros, lambda rng: drawn.append(rng.random()))

    def number(name: str, seed: int, block: int) -> float:
        split = Split(0, block, block, np.array([0, 1]), np.array([2]))
        run_splits(name, learner, some_data(), [split], Squared(), seed)
        return drawn[-1]

    assert number("a", 1, 0) == number("a", 1, 0)
    assert (
        len({number(*which) for which in (("a", 1, 0), ("b", 1, 0), ("a", 2, 0), ("a", 1, 1))}) == 4
    )


def test_invalid_learner_that_raises_is_named_without_its_trace() -> None:
    learner = Faulty(zeros, raising(ValueError("matrix is singular\n\nTraceback: line 3")))

    with pytest.raises(LearnerFailed) as caught:
        run(learner, some_data(), one_split("dvd"))

    assert str(caught.value) == (
        "Learner 'nb', repeat 0, block 3 (source 'dvd'): faulty: matrix is singular"
    )


@pytest.mark.parametrize(
    ("label", "place"), [(3, "block 3:"), ("fold 1", r"block 3 \('fold 1'\):")]
)
def test_invalid_learner_names_the_block_by_what_it_is(label: str | int, place: str) -> None:
    with pytest.raises(LearnerFailed, match=place):
        run(Faulty(zeros, raising(KeyError("k"))), some_data(), one_split(label))


def test_invalid_refusal_keeps_its_kind_and_place() -> None:
    data = build_data({"a": np.ones(12)}, np.arange(12) % 2, "classification")
    one_class = Split(0, 2, "toy", np.flatnonzero(data.y == 0), np.flatnonzero(data.y == 1))

    with pytest.raises(InsufficientData, match=r"'nb', repeat 0, block 2.*has 1 class") as caught:
        run(MultinomialNaiveBayes(), data, one_class, ZeroOne())

    assert caught.value.loc == ("columns", "target")


@pytest.mark.parametrize(
    ("say", "message"),
    [
        (lambda f: Predictions(np.zeros((f.n, 2))), r"predictions have shape \(4, 2\) for 4"),
        (lambda _: Predictions(np.zeros(1)), r"predictions have shape \(1,\) for 4"),
        (
            lambda f: Predictions(np.zeros(f.n, dtype=int), probabilities=np.ones((f.n, 3))),
            r"probabilities have shape \(4, 3\) for 4 instances and 2 classes",
        ),
    ],
)
def test_invalid_shapes(say: Callable[[Features], Predictions], message: str) -> None:
    with pytest.raises(LearnerFailed, match=f"'nb', repeat 0, block 3: The {message}"):
        run(Faulty(say), some_data("classification"), one_split(), ZeroOne())


@pytest.mark.parametrize(
    ("value", "description", "shown"),
    [(np.nan, "not a number", "nan"), (np.inf, "infinite", "inf"), (1e200, "infinite", "inf")],
)
def test_invalid_loss_that_is_not_finite_names_the_row(
    value: float, description: str, shown: str
) -> None:
    def say(features: Features) -> Predictions:
        return Predictions(np.array([0.0, 0.0, value, 0.0]))

    with pytest.raises(LearnerFailed, match=f"the loss of row 7 is {description}") as caught:
        run(Faulty(say), some_data(), one_split())

    assert caught.value.value == shown


class TimeIsUp(BaseException):
    """As a worker raises it in the middle of anything; learners catch every ``Exception``."""


@pytest.mark.parametrize("error", [TimeIsUp(), MemoryError()])
def test_property_limits_of_the_worker_pass(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught:
        run(Faulty(zeros, raising(error)), some_data(), one_split())

    assert caught.value is error
    assert not isinstance(caught.value, EvaluationError)


def test_exact_warnings_are_kept() -> None:
    own = Caution("not_converged", "stopped early")
    learner = Faulty(zeros, warning("overflow somewhere"), (own,))

    outcome = run(learner, some_data(), one_split())

    assert outcome.cautions == (own, Caution("learner_warning", "faulty: overflow somewhere"))


def test_exact_predictions_are_kept_when_asked() -> None:
    data = some_data("classification")

    (outcome,) = run_splits(
        "m", Majority(), data, [one_split()], ZeroOne(), 0, keep_predictions=True
    )

    assert_array_equal(outcome.test, [1, 4, 7, 10])
    assert outcome.output is not None
    assert outcome.probabilities is not None
    assert outcome.probabilities.shape == (4, 2)


def test_limit_splits_are_taken_one_at_a_time() -> None:
    data = some_data()
    alive: list[int] = []
    seen: list[int] = []

    def splits() -> itertools.chain[Split]:
        def one(split: Split) -> list[Split]:
            alive.append(len(alive))
            return [split]

        return itertools.chain.from_iterable(
            one(s) for s in LeaveOneSourceOut().splits(build_rows(data), 0)
        )

    learner = Faulty(zeros, lambda _rng: seen.append(len(alive)))
    run_splits("c", learner, data, splits(), Squared(), 0)

    assert seen == [1, 2, 3]
