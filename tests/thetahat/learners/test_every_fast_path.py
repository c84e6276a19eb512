"""A learner that predicts all splits at once says what its own fits would say, or does not."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.learners.problems import PROBLEMS, problem
from thetahat.cross_validation import SplitOutcome, build_rows, run_splits
from thetahat.errors import EvaluationError
from thetahat.learners import LEARNERS
from thetahat.learners.base import FastLearner, Learner
from thetahat.losses.base import Predictions
from thetahat.losses.squared import Squared
from thetahat.losses.zero_one import ZeroOne
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Split
from thetahat.tables.data import Data

FAST: Final = [name for name in LEARNERS if issubclass(LEARNERS[name], FastLearner)]
SPLITS: Final[dict[str, dict[str, Any]]] = {
    "k_fold": {"n_folds": 5},
    "leave_one_out": {},
    "leave_one_source_out": {},
    "random_subsampling": {"n_draws": 3, "test_size": 0.7},
    "bootstrap": {"n_resamples": 3},
}
VARIANTS: Final[list[tuple[str, dict[str, Any]]]] = [
    ("ridge", {"penalty": 1.0}),
    ("ridge", {"penalty": 1e-9}),
    ("least_squares", {}),
    ("ridge", {"penalty": 0.3, "intercept": False}),
    ("ridge", {"penalty": 1e4}),
    ("linear_discriminant", {}),
    ("linear_discriminant", {"priors": "equal"}),
    ("diagonal_discriminant", {}),
    ("diagonal_discriminant", {"priors": "equal"}),
    ("nearest_mean", {}),
    ("nearest_mean", {"priors": "shares"}),
    ("gaussian_naive_bayes", {}),
    ("gaussian_naive_bayes", {"variance_smoothing": 0}),
    ("gaussian_naive_bayes", {"variance_smoothing": 0.1}),
    ("logistic_regression", {}),
    ("logistic_regression", {"penalty": 0.1, "intercept": False}),
    ("nearest_neighbours", {}),
    ("nearest_neighbours", {"k": 1}),
    ("nearest_neighbours", {"k": 3, "votes": "distance"}),
]


def splits_of(data: Data, scheme: str) -> Iterator[Split]:
    # Of leave-one-out a few rows will do, one that is unlike the others among them.
    stop = 22 if scheme == "leave_one_out" else None
    start = min(10, data.n - 4) if scheme == "leave_one_out" else 0
    return SCHEMES[scheme](**SPLITS[scheme]).splits(build_rows(data), 3, start=start, stop=stop)


def outcomes_of(
    learner: Learner, data: Data, scheme: str
) -> Iterator[tuple[Split, SplitOutcome | None]]:
    """What a job would get of each split; None where it is refused."""
    loss = ZeroOne() if data.n_classes else Squared()
    splits = list(splits_of(data, scheme))
    done: Sequence[SplitOutcome] | None = None
    with contextlib.suppress(EvaluationError):  # where there is no way in one of them at least
        done = run_splits("m", learner, data, splits, loss, 0, keep_predictions=True)
    if done is not None:
        yield from zip(splits, done, strict=True)
        return
    for split in splits:
        try:
            (predictions,) = run_splits("m", learner, data, [split], loss, 0, keep_predictions=True)
        except EvaluationError:
            yield split, None
        else:
            yield split, predictions


def fitted(learner: Learner, data: Data, split: Split) -> Predictions:
    """The plain path."""
    return learner.fit(
        data.features.rows(split.train),
        data.y[split.train],
        weights=None if data.weight is None else data.weight[split.train],
        n_classes=data.n_classes,
        rng=np.random.default_rng(0),
    ).predict(data.features.rows(split.test))


def test_property_every_fast_learner_is_tried() -> None:
    assert {name for name, _ in VARIANTS} == set(FAST)


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize(("learner", "params"), VARIANTS)
def test_naive_fits_say_the_same(learner: str, params: dict[str, Any], name: str) -> None:
    fast = LEARNERS[learner](**params)
    data = problem(name, min(fast.tasks))
    for split, predictions in itertools.chain.from_iterable(
        outcomes_of(fast, data, s) for s in SPLITS
    ):
        if predictions is None:
            with pytest.raises(EvaluationError):
                fitted(fast, data, split)
            continue
        wanted = fitted(fast, data, split)
        if predictions.fit_reason is not None:
            assert_array_equal(predictions.output, wanted.output)
        elif data.n_classes:
            assert_array_equal(predictions.output, wanted.output)
            assert predictions.probabilities is not None
            assert wanted.probabilities is not None
            assert_allclose(predictions.probabilities, wanted.probabilities, rtol=1e-8, atol=1e-8)
        else:
            assert predictions.output is not None
            scale = np.std(data.y)
            assert_allclose(predictions.output, wanted.output, rtol=1e-8, atol=1e-8 * scale)


@pytest.mark.parametrize("scheme", ["k_fold", "leave_one_out", "leave_one_source_out"])
@pytest.mark.parametrize(("learner", "params"), VARIANTS)
def test_property_the_fast_path_is_taken_where_nothing_is_wrong(
    learner: str, params: dict[str, Any], scheme: str
) -> None:
    fast = LEARNERS[learner](**params)
    data = problem("plain", min(fast.tasks))

    for _, predictions in outcomes_of(fast, data, scheme):
        assert predictions is not None
        assert predictions.fit_reason is None
