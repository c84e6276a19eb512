"""Several trainings on each split: means over them, and what they add to the variance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.cluster import KMeans
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.random_projection import GaussianRandomProjection

import thetahat
from tests.cases import each
from tests.vectors.reading import VECTORS
from thetahat.analyses.cross_validation.seeds import describe_seeds
from thetahat.cross_validation.seeds import derive_fit_seed, draws_random_numbers
from thetahat.errors import EvaluationError, InvalidParameter, UnsupportedCombination
from thetahat.pipelines import build, read_learner_spec
from thetahat.pipelines.estimator_object import EstimatorObject
from thetahat.schemes.base import Rows
from thetahat.schemes.k_fold import KFold
from thetahat.seeds import make_random_stream

RNG = np.random.default_rng(36)
X = RNG.normal(size=(60, 3))
Y = X[:, 0] + RNG.normal(size=60)
LEARNERS: dict[str, Any] = {
    "forest": {"name": "RandomForestRegressor", "params": {"n_estimators": 2}},
    "ridge": "ridge",
}


def run(learners: Any = LEARNERS, **options: Any) -> Any:
    return thetahat.cross_validate(X, Y, learners, task="regression", **{"cv": 5, **options})


@pytest.mark.outside("R lme4 1.1.31 and anova of lm: the mean square within items")
@each("name", ["runs_nested", "runs_no_item_variance", "runs_binary"])
def test_golden_the_variance_between_trainings(name: str) -> None:
    means = np.array(VECTORS[name]["inputs"]["scores"]).T
    found = describe_seeds(means, 1.0)

    assert found.variance is not None
    within = VECTORS[name]["expected"]["anova"]["within_mean_square"]
    assert_allclose(found.variance, within / means.shape[1], rtol=1e-9)


def test_by_hand_two_trainings_on_two_splits() -> None:
    found = describe_seeds(np.array([[1.0, 2.0], [3.0, 2.0]]), 1.0)

    # s^2 is 2 and 0, so V = (2 + 0) / 4 with one training and 1/4 with two; data have 1 - 1/4.
    assert found.variance == 0.5
    assert (found.degrees_of_freedom, found.share) == (2, 0.25)
    assert found.plans is not None
    assert [plan.standard_error for plan in found.plans] == [
        math.sqrt(0.75 + 0.125),
        math.sqrt(0.375 + 0.25),
    ]
    assert "make up 25 % of its variance" in found.sentence
    assert found.sentence.endswith("so more data help more.")


def test_by_hand_more_seeds_help_more_where_they_are_most_of_the_variance() -> None:
    found = describe_seeds(np.array([[1.0, 2.0], [3.0, 2.0]]), math.sqrt(0.3))

    assert found.sentence.endswith("so more seeds help more.")


def test_naive_the_variance_of_a_difference_between_trainings() -> None:
    learners = {**LEARNERS, "tree": {"name": "ExtraTreesRegressor", "params": {"n_estimators": 2}}}
    result = run({**learners, "mean": "mean"}, seeds=3, seed=5, pairs="all")
    means: dict[str, list[list[float]]] = {"forest": [], "tree": []}
    for name, build_forest in (("forest", RandomForestRegressor), ("tree", ExtraTreesRegressor)):
        for number in range(3):
            of_splits = []
            for split in KFold(n_folds=5).splits(Rows(n=60, y=Y), 5):
                stream = make_random_stream(
                    derive_fit_seed(5, number), f"fit:{name}", split.repeat, split.block
                )
                state = int(stream.integers(2**32 - 1))
                forest = build_forest(n_estimators=2, random_state=state)
                forest.fit(X[split.train], Y[split.train])
                of_splits.append(
                    float(((forest.predict(X[split.test]) - Y[split.test]) ** 2).mean())
                )
            means[name].append(of_splits)
    by_pair = {(pair.a, pair.b): pair for pair in result.comparisons}
    difference = np.array(means["forest"]) - np.array(means["tree"])
    found = by_pair["forest", "tree"].seeds
    of_ridge = by_pair["forest", "ridge"].seeds
    forest = result.models["forest"].seeds

    assert_allclose(found.variance, difference.var(axis=0, ddof=1).sum() / 25, rtol=1e-9)
    assert (found.seeds, found.draws, found.degrees_of_freedom) == (3, True, 10)
    error = by_pair["forest", "tree"].interval.standard_error
    assert_allclose(found.share, found.variance / 3 / error**2, rtol=1e-9)
    assert_allclose(of_ridge.variance, forest.variance, rtol=1e-9)  # ridge draws none
    assert "give the difference of forest and ridge a standard error" in of_ridge.sentence
    assert by_pair["ridge", "mean"].seeds.draws is False
    assert by_pair["ridge", "mean"].seeds.sentence == "Neither ridge nor mean draws random numbers."


def test_exact_random_numbers_that_two_learners_share_cancel_out() -> None:
    shared = np.random.default_rng(3).normal(size=(4, 6))
    found = describe_seeds(shared - (shared + 1.0), 0.5, ("a", "b"))

    assert found.variance == pytest.approx(0.0, abs=1e-30)


@pytest.mark.calibration
def test_calibrated_the_variance_of_the_mean_over_trainings() -> None:
    """Fails for one seed in 16 000 if it is unbiased (four standard errors); the seed is fixed."""
    rng, repetitions, n_seeds, n_splits = np.random.default_rng(7), 4000, 3, 5
    spread = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    drawn = spread * rng.standard_normal((repetitions, n_seeds, n_splits))
    found = np.array([describe_seeds(each, None).variance for each in drawn], dtype=np.float64)
    truth = (spread**2).sum() / n_splits**2
    of_means = drawn.mean(axis=(1, 2))

    assert abs(found.mean() - truth) < 4 * found.std() / math.sqrt(repetitions)
    assert_allclose(of_means.var(), truth / n_seeds, rtol=4 * math.sqrt(2 / repetitions))


def test_naive_losses_are_means_over_single_trainings() -> None:
    result = run(seeds=3, seed=5, include=["blocks"])
    expected = []
    for split in KFold(n_folds=5).splits(Rows(n=60, y=Y), 5):
        losses = []
        for number in range(3):
            stream = make_random_stream(
                derive_fit_seed(5, number), "fit:forest", split.repeat, split.block
            )
            state = int(stream.integers(2**32 - 1))
            forest = RandomForestRegressor(n_estimators=2, random_state=state)
            forest.fit(X[split.train], Y[split.train])
            losses.append((forest.predict(X[split.test]) - Y[split.test]) ** 2)
        expected.append(float(np.mean(losses)))

    assert_allclose(result.models["forest"].mean.blocks, expected, rtol=1e-12)


def test_unchanged_one_seed_is_an_evaluation_without_seeds() -> None:
    assert run(seeds=1, seed=3).to_dict() == run(seed=3).to_dict()


def test_exact_a_learner_without_random_numbers_is_trained_once() -> None:
    several, once = run(seeds=3, seed=3), run(seed=3)
    seeds = several.models["ridge"].seeds

    assert several.models["ridge"].mean.macro == once.models["ridge"].mean.macro
    assert (seeds.seeds, seeds.draws, seeds.variance) == (1, False, None)
    assert "trained once" in seeds.sentence
    assert several.models["forest"].seeds.seeds == 3
    assert several.models["forest"].mean.macro != once.models["forest"].mean.macro


def test_exact_the_first_seed_is_that_of_the_job() -> None:
    assert derive_fit_seed(36, 0) == 36
    assert len({derive_fit_seed(36, number) for number in range(50)}) == 50


@each(
    "spec,draws",
    [
        ("ridge", False),
        ("mean", False),
        ({"name": "RandomForestRegressor"}, True),
        ({"name": "RandomForestRegressor", "params": {"random_state": 1}}, False),
        ({"name": "LinearRegression"}, False),
        ({"name": "ridge", "prepare": ["standardise"]}, False),
        ({"name": "ridge", "prepare": [{"name": "Nystroem"}]}, True),
        (
            {"name": "ridge", "prepare": [{"name": "Nystroem", "params": {"random_state": 2}}]},
            False,
        ),
    ],
)
def test_exact_learners_that_draw_random_numbers(spec: Any, *, draws: bool) -> None:
    assert draws_random_numbers(build(read_learner_spec(spec), "regression")) == draws


@each(
    "estimator,draws",
    [
        (LinearRegression(), False),
        (RandomForestRegressor(), True),
        (RandomForestRegressor(random_state=1), False),
        (make_pipeline(GaussianRandomProjection(2), LinearRegression()), True),
        (make_pipeline(KMeans(2, random_state=1), LinearRegression()), False),
    ],
)
def test_exact_estimators_that_draw_random_numbers(estimator: Any, *, draws: bool) -> None:
    assert draws_random_numbers(EstimatorObject(estimator, "regression")) == draws


def test_degenerate_trainings_that_are_all_alike() -> None:
    found = describe_seeds(np.ones((4, 3)), 0.1)

    assert (found.variance, found.share, found.plans) == (0.0, 0.0, None)
    assert "one is enough" in found.sentence
    assert describe_seeds(np.eye(3), None).share is None


@each("seeds", [0, 51, True, 2.0, "3"])
def test_invalid_seeds(seeds: Any) -> None:
    with pytest.raises(InvalidParameter, match="whole number from 1 to 50") as raised:
        run(seeds=seeds)
    assert raised.value.loc == ("seeds",)


@each(
    "options,place",
    [({"metrics": ["r2"]}, "metrics"), ({"variances": ["out_of_bag"]}, "variances")],
)
def test_invalid_what_is_about_single_trainings(options: Any, place: str) -> None:
    with pytest.raises(UnsupportedCombination, match="does not go with several seeds") as raised:
        run(seeds=2, **options)
    assert raised.value.loc == (place,)


def test_exact_a_learner_that_fails_in_one_training_is_left_out() -> None:
    class Fails(RandomForestRegressor):  # type: ignore[misc]
        """Fails where its random state is odd."""

        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            if self.random_state % 2:
                message = "odd"
                raise ValueError(message)
            return super().fit(X, y, sample_weight)

    result = run({"fails": Fails(n_estimators=2), "ridge": "ridge"}, seeds=10)
    assert list(result.models) == ["ridge"]
    assert set(result.failures) == {"fails"}
    with pytest.raises(EvaluationError, match="odd"):
        run({"fails": Fails(n_estimators=2)}, seeds=10)
