"""The risks of many splits' models from one pass over the drawn rows and the fresh ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.analyses.studies.split_model_losses import compute_split_losses
from thetahat.analyses.studies.truths import StudyLearner
from thetahat.cross_validation import build_rows
from thetahat.generators import DrawSize
from thetahat.generators.linear_model import LinearModelGenerator
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.learners import LEARNERS
from thetahat.losses import LOSSES
from thetahat.schemes import SCHEMES
from thetahat.tables.data import Data

RNG = np.random.default_rng(0)
CLASSES = TwoClassGaussian(n_features=4, n_relevant=2).draw_sources(1, RNG)
LINE = LinearModelGenerator(n_features=4, n_relevant=2).draw_sources(1, RNG)


def drawn(of: Any, n: int, seed: int) -> Data:
    data: Data = of.draw(DrawSize(n=n), np.random.default_rng(seed))
    return data


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("learner", "loss", "of"),
    [
        (LEARNERS["nearest_neighbours"](), "brier", CLASSES),
        (LEARNERS["linear_discriminant"](), "brier", CLASSES),
        (LEARNERS["diagonal_discriminant"](), "brier", CLASSES),
        (LEARNERS["logistic_regression"](), "brier", CLASSES),
        (LEARNERS["ridge"](), "squared", LINE),
        (LEARNERS["least_squares"](), "squared", LINE),
    ],
)
def test_naive_each_model_is_fitted_and_judged_alone(
    learner: Any, loss: str, of: Any, *, weighted: bool
) -> None:
    data, on = drawn(of, 40, 1), drawn(of, 30, 2)
    if weighted:
        data = replace(data, weight=np.random.default_rng(3).uniform(0.5, 2, size=40))
    scheme: Any = SCHEMES["repeated_k_fold"]
    splits = list(scheme(n_folds=4, n_repeats=2).splits(build_rows(data), 5))
    tested = [np.arange(30), np.arange(3, 9), *[np.arange(30)] * 6]
    judge = LOSSES[loss]()
    fitting = StudyLearner(name="m", learner=learner, loss=judge, seed=1)

    split_losses = list(compute_split_losses(learner, judge, data, splits, on, tested))

    for split, rows, losses in zip(splits, tested, split_losses, strict=True):
        alone = fitting.losses(data, split.train, (split.repeat, split.block), on)
        assert losses is not None
        assert_allclose(losses, alone[rows], atol=1e-8)


@pytest.mark.parametrize("name", ["nearest_neighbours", "linear_discriminant"])
def test_exact_fresh_rows_do_not_train(name: str) -> None:
    """Fresh rows that are copies of drawn ones with the other class change no prediction."""
    data = drawn(CLASSES, 30, 1)
    on = replace(data, y=1 - data.y)
    scheme: Any = SCHEMES["k_fold"]
    splits = list(scheme(n_folds=3).splits(build_rows(data), 5))
    every = [np.arange(30)] * 3
    learner, judge = LEARNERS[name](), LOSSES["zero_one"]()

    right = list(compute_split_losses(learner, judge, data, splits, data, every))
    wrong = list(compute_split_losses(learner, judge, data, splits, on, every))

    for a, b in zip(right, wrong, strict=True):
        assert a is not None
        assert b is not None
        assert np.array_equal(a, 1 - b)


def test_degenerate_learners_without_such_a_path_are_left_to_be_fitted() -> None:
    data, on = drawn(LINE, 12, 1), drawn(LINE, 5, 2)
    splits = list(SCHEMES["leave_one_out"]().splits(build_rows(data), 5))[:2]
    judge, every = LOSSES["squared"](), [np.arange(5)] * 2
    assert (
        list(compute_split_losses(LEARNERS["mean"](), judge, data, splits, on, every)) == [None] * 2
    )


def test_degenerate_training_parts_that_the_path_refuses_are_left_to_be_fitted() -> None:
    data, on = drawn(CLASSES, 12, 1), drawn(CLASSES, 5, 2)
    scheme: Any = SCHEMES["bootstrap"]
    splits = list(scheme(n_resamples=3).splits(build_rows(data), 5))  # they hold rows several times
    judge, every = LOSSES["zero_one"](), [np.arange(5)] * 3
    learner = LEARNERS["nearest_neighbours"]()
    assert list(compute_split_losses(learner, judge, data, splits, on, every)) == [None] * 3
