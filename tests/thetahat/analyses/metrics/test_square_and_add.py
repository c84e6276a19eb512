"""The difference of a metric that one of two models has at an end of its range."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.analyses.metrics.readings import (
    codes,
    ends,
    folds,
    holdout,
    reading,
    sources,
    tree,
)
from tests.thetahat.metrics.judged import binary
from thetahat.analyses.metrics.square_and_add import SQUARE_AND_ADD, add_distances
from thetahat.metrics.average_precision import AveragePrecision
from thetahat.metrics.balanced_accuracy import BalancedAccuracy
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.metrics.f1 import F1
from thetahat.metrics.precision import Precision
from thetahat.metrics.recall import Recall
from thetahat.metrics.roc_auc import RocAuc
from thetahat.values.types import Alternative
from thetahat_replications.edges.differences_at_limits import METRICS, compute_truths

NAME = SQUARE_AND_ADD.name
EVERY: tuple[Metric, ...] = (
    RocAuc(n_resamples=0),
    AveragePrecision(n_resamples=0),
    Precision(n_resamples=0),
    Recall(n_resamples=0),
    F1(n_resamples=0),
    BalancedAccuracy(n_resamples=0),
)
EACH = pytest.mark.parametrize("metric", EVERY, ids=lambda metric: metric.info.name)


def models(positives: int = 3, n: int = 40) -> dict[str, TruthAndPredictions]:
    """A perfect model beside one whose scores are half chance."""
    rng = np.random.default_rng(33)
    truth = np.arange(n) < positives
    weak = np.where(truth, rng.random(n) + 0.3, rng.random(n))
    return {"perfect": binary(truth, truth), "weak": binary(truth, weak, cut=0.6)}


def compared(metric: Metric, of: dict[str, TruthAndPredictions], **choices: Any) -> Any:
    layout = choices.pop("layout", holdout(next(iter(of.values())).n))
    result = tree(metric, of, layout, **choices)
    return result["comparisons"][0]["metrics"][metric.info.name]


@pytest.mark.outside(
    "Newcombe (1998), Statistics in Medicine 17, 873-890, table II, method 10, rows a to h, as "
    "public tests of other code quote it; three are in a SAS paper, too (WUSS 2016, 127, page 9)"
)
@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((56, 70), (48, 80), (0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.1705, 0.8090)),
        ((6, 7), (2, 7), (0.0582, 0.8062)),
        ((5, 56), (0, 29), (-0.0381, 0.1926)),
        ((0, 10), (0, 20), (-0.1611, 0.2775)),
        ((0, 10), (0, 10), (-0.2775, 0.2775)),
        ((10, 10), (0, 20), (0.6791, 1.0)),
        ((10, 10), (0, 10), (0.6075, 1.0)),
    ],
)
def test_golden_wilson_limits_of_independent_rates(
    a: tuple[int, int], b: tuple[int, int], expected: tuple[float, float]
) -> None:
    found = add_distances(a[0] / a[1] - b[0] / b[1], wilson_distances(*a), wilson_distances(*b))

    assert_allclose(found, expected, atol=5e-5)


def wilson_distances(x: int, n: int, z: float = 1.959963984540054) -> tuple[float, float]:
    p = x / n
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return p - (centre - half), centre + half - p


@EACH
def test_exact_the_interval_is_that_of_both_models_limits(metric: Metric) -> None:
    of = models()
    pair = compared(metric, of)
    a, b = (reading(metric, each, holdout(40)).interval for each in of.values())
    assert a is not None
    assert b is not None

    lower = a.estimate - b.estimate - math.hypot(a.estimate - ends(a)[0], ends(b)[1] - b.estimate)
    assert pair["interval"]["method"] == NAME
    assert_allclose(pair["interval"]["lower"], lower)
    assert_allclose(pair["interval"]["upper"], 1 - ends(b)[0])
    assert (pair["variance"], pair["standard_error"], pair["statistic"]) == (None, None, None)
    assert "zero_variance" not in codes(pair["cautions"])


@EACH
@pytest.mark.parametrize("alternative", list(Alternative))
def test_exact_the_p_value_is_the_level_at_which_the_interval_ends_at_0(
    metric: Metric, alternative: Alternative
) -> None:
    of = models()
    p_value = compared(metric, of, alternative=alternative)["p_value"]
    for factor, is_excluded in ((1.001, True), (0.999, False)):
        if p_value >= 0.5:  # no interval of a positive level ends at 0
            continue
        interval = compared(metric, of, alternative=alternative, level=1 - p_value * factor)
        lower, upper = interval["interval"]["lower"], interval["interval"]["upper"]
        assert ((lower or -1) > 0 or (1 if upper is None else upper) < 0) == is_excluded


@EACH
def test_exact_one_sided_p_values_sum_to_one_and_the_order_of_models_only_turns_signs(
    metric: Metric,
) -> None:
    of = models()
    turned = dict(reversed(of.items()))
    less, greater, both = (
        compared(metric, of, alternative=way)["p_value"]
        for way in (Alternative.LESS, Alternative.GREATER, Alternative.TWO_SIDED)
    )

    assert_allclose(less + greater, 1)
    assert_allclose(both, 2 * min(less, greater))
    other = compared(metric, turned)
    assert_allclose(other["p_value"], both)
    assert_allclose(other["interval"]["lower"], -compared(metric, of)["interval"]["upper"])


@EACH
def test_degenerate_a_perfect_model_with_three_positives_shows_little(metric: Metric) -> None:
    # the variance of the difference alone had p-values down to 1e-31
    truth = np.arange(40) < 3
    worse = {
        "perfect": binary(truth, truth),
        "worse": binary(truth, np.where(truth, 0.55, np.arange(40) / 40), cut=0.5),
    }
    pair = compared(metric, worse)

    # with 3 units the bound of the perfect model is below .3, and .05 needs a share of errors
    assert pair["interval"]["method"] == NAME
    assert pair["p_value"] > 1e-6


@EACH
def test_degenerate_two_perfect_models_are_equal_and_not_certain_to_be(metric: Metric) -> None:
    of = {"a": models()["perfect"], "b": models()["perfect"]}
    pair = compared(metric, of)
    alone = reading(metric, of["a"], holdout(40)).interval
    assert alone is not None

    assert (pair["difference"], pair["p_value"]) == (0, 1)
    assert_allclose(pair["interval"]["upper"], 1 - ends(alone)[0])
    assert_allclose(pair["interval"]["lower"], ends(alone)[0] - 1)


def test_exact_intervals_of_several_pairs_and_their_p_values_decide_alike() -> None:
    of = models(positives=40, n=120)
    rng = np.random.default_rng(34)
    truth = of["weak"].truth
    for i in range(6):
        of[f"m{i}"] = binary(truth, truth * i / 6 + rng.random(120))
    metric = RocAuc(n_resamples=0)
    result = tree(metric, of, holdout(120), correction="bonferroni")
    pairs = [pair["metrics"]["roc_auc"] for pair in result["comparisons"]]
    decided = set()
    for pair in pairs:
        interval = pair["interval"]
        is_excluded = not interval["lower"] <= 0 <= interval["upper"]
        if interval["method"] == NAME:
            assert is_excluded == (pair["p_value_adjusted"] < 0.05)
            decided.add(is_excluded)

    assert decided == {True, False}


@pytest.mark.parametrize("kind", ["folds", "sources"])
def test_exact_over_blocks_each_target_has_the_limits_of_its_own(kind: str) -> None:
    truth = np.tile(np.arange(10) < 4, 6)
    block = np.repeat(np.arange(6), 10)
    rng = np.random.default_rng(35)
    of = {
        "perfect": binary(truth, truth),
        "weak": binary(truth, truth * 0.4 + rng.random(60), cut=0.7),
    }
    layout = (folds if kind == "folds" else sources)(block)
    metric = RocAuc(n_resamples=0)
    pair = compared(metric, of, layout=layout)
    targets = {"these_models"} if kind == "folds" else {"these_models", "new_source"}
    found = {i["target"]: i for i in pair["intervals"] if i["method"] == NAME}
    assert set(found) == targets

    for target, interval in found.items():
        alone = [
            next(
                i
                for i in reading(metric, each, layout).intervals
                if i.recommended and i.target == target
            )
            for each in of.values()
        ]
        a, b = alone
        reach = math.hypot(a.estimate - ends(a)[0], ends(b)[1] - b.estimate)
        assert interval["recommended"]
        assert_allclose(interval["lower"], interval["estimate"] - reach)


def test_exact_other_differences_keep_their_variance() -> None:
    of = models(positives=10)
    metric = RocAuc(n_resamples=0)
    other = binary(of["weak"].truth, np.arange(40) * 7 % 40)
    pair = compared(metric, {"weak": of["weak"], "other": other})

    assert pair["interval"]["method"] == "normal"
    assert pair["statistic"] is not None


@pytest.mark.calibration
@pytest.mark.parametrize("name", ["average_precision", "precision", "f1"])
def test_calibrated_equal_models_that_are_nearly_perfect(name: str) -> None:
    metric, rng, n, found = METRICS[name], np.random.default_rng(36), 40, []
    truth = np.arange(n) < 3
    for _ in range(400):
        of = {m: binary(truth, rng.normal(size=n) + 4 * truth, cut=2.0) for m in "ab"}
        interval = compared(metric, of)["interval"]
        if interval is not None and interval["method"] == NAME:
            found.append(not interval["lower"] <= 0 <= interval["upper"])

    assert len(found) > 100
    assert np.mean(found) < 0.05
    assert compute_truths(3 / n, 4.0)[name] < 1
