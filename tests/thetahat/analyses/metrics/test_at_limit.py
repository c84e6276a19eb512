"""The bound of a metric that is at an end of its range."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binomtest

from tests.thetahat.analyses.metrics.readings import (
    codes,
    difference,
    folds,
    holdout,
    known,
    reading,
    sources,
    tree,
)
from tests.thetahat.metrics.judged import binary, labelled, values
from thetahat.metrics.average_precision import AveragePrecision
from thetahat.metrics.balanced_accuracy import BalancedAccuracy
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.metrics.cohen_kappa import CohenKappa
from thetahat.metrics.f1 import F1
from thetahat.metrics.matthews import Matthews
from thetahat.metrics.precision import Precision
from thetahat.metrics.r2 import RSquared
from thetahat.metrics.recall import Recall
from thetahat.metrics.roc_auc import RocAuc
from thetahat.metrics.specificity import Specificity
from thetahat.values.types import Alternative, Target
from thetahat_presentation.wording import name_method

OF_CLASSES: tuple[Metric, ...] = (
    Recall(n_resamples=0),
    Precision(n_resamples=0),
    Specificity(n_resamples=0),
    F1(n_resamples=0),
    BalancedAccuracy(n_resamples=0),
    CohenKappa(n_resamples=0),
    Matthews(n_resamples=0),
)
AUC = RocAuc(n_resamples=0)
EVERY = (*OF_CLASSES, AUC, AveragePrecision(n_resamples=0))


def perfect(positives: int, negatives: int) -> TruthAndPredictions:
    truth = [0] * negatives + [1] * positives
    return binary(truth, np.arange(len(truth)), cut=negatives - 0.5)


def lower(of: Any, target: Target = Target.THESE_MODELS) -> float:
    (interval,) = (i for i in of.intervals if i.recommended and i.target is target)
    assert (interval.method, interval.upper) == ("no_error_bound", 1.0)
    return known(interval.lower)


@pytest.mark.about(
    "metrics/recall",
    "metrics/precision",
    "metrics/specificity",
    "metrics/f1",
    "metrics/balanced_accuracy",
    "metrics/cohen_kappa",
    "metrics/matthews",
    "metrics/roc_auc",
    "metrics/average_precision",
)
@pytest.mark.parametrize("metric", EVERY, ids=lambda metric: metric.info.name)
def test_gh_33_a_perfect_metric_has_an_interval_and_no_caution_without_one(metric: Metric) -> None:
    """Reported: 20 and 20 rows perfectly separated had no interval and no caution."""
    of = reading(metric, perfect(20, 20), holdout(40))

    assert 0.5 < lower(of) < 1
    metrics = tree(metric, {"m": perfect(20, 20)}, holdout(40))["models"]["m"]["metrics"]
    assert "metric_without_interval" not in codes(metrics[metric.info.name]["cautions"])


@pytest.mark.parametrize(
    ("metric", "k"), [(Recall(n_resamples=0), 9), (Precision(n_resamples=0), 9), (AUC, 9),
                      (Specificity(n_resamples=0), 51), (AveragePrecision(n_resamples=0), 9)],
    ids=lambda value: value.info.name if isinstance(value, Metric) else str(value),
)  # fmt: skip
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_against_scipy_shares_have_the_clopper_pearson_bound(
    metric: Metric, k: int, level: float
) -> None:
    of = reading(metric, perfect(9, 51), holdout(60), level=level)

    assert_allclose(lower(of), binomtest(k, k).proportion_ci(level).low, rtol=1e-12)


def test_exact_no_larger_number_of_trials_is_valid_for_the_area() -> None:
    """With probability 1 - A a positive scores below all negatives: the area is A.

    All m of them are above the negatives with probability A^m, which is the tail where A is the
    bound. A bound above it would leave out A with a larger probability.
    """
    area = lower(reading(AUC, perfect(9, 291), holdout(300)))

    assert_allclose(area**9, 0.025, rtol=1e-12)


def test_by_hand_f1() -> None:
    # of the 9 rows that are positive or called so, all are both: their share is above
    # L = .025^(1/9) = .663733, and F1 = 2 L / (1 + L)
    bound = lower(reading(F1(n_resamples=0), perfect(9, 51), holdout(60)))

    assert_allclose(bound, 2 * 0.663733 / 1.663733, atol=1e-6)


@pytest.mark.parametrize("metric", OF_CLASSES, ids=lambda metric: metric.info.name)
@pytest.mark.parametrize(("positives", "negatives"), [(10, 10), (9, 51)])
def test_naive_tables_below_the_bound_seldom_have_no_error(
    metric: Metric, positives: int, negatives: int
) -> None:
    """Over a grid of both recalls: P(no error) is at most .025, and .035 for correlations."""
    judged = perfect(positives, negatives)
    bound = lower(reading(metric, judged, holdout(positives + negatives)))
    statistic: Any = metric.statistic(judged)
    share = positives / (positives + negatives)
    largest = 0.0
    grid = np.concatenate([np.linspace(0.5, 0.98, 49), np.linspace(0.98, 1, 81)])
    for of_positives in grid:
        right = np.array([(1 - share) * grid, np.full(len(grid), share * of_positives)])
        wrong = np.array([(1 - share) * (1 - grid), np.full(len(grid), share * (1 - of_positives))])
        tables = np.stack(
            [np.stack([right[0], wrong[0]], 1), np.stack([wrong[1], right[1]], 1)], axis=1
        )
        below = statistic.of_tables(tables) < bound - 1e-9
        chance = of_positives**positives * grid**negatives
        largest = max(largest, float(chance[below].max(initial=0.0)))

    assert largest < (0.035 if metric.value_range[0] < 0 else 0.0251)


@pytest.mark.parametrize("metric", EVERY, ids=lambda metric: metric.info.name)
def test_exact_clusters_are_counted_and_not_their_rows(metric: Metric) -> None:
    judged = perfect(30, 30)
    cluster = np.arange(60) // 3  # 10 clusters of each class

    of = reading(metric, judged, holdout(60, cluster=cluster.tolist()))
    same = reading(metric, perfect(10, 10), holdout(20))

    assert_allclose(lower(of), lower(same), rtol=1e-12)


def test_exact_clusters_with_both_classes_make_one_comparison_of_two() -> None:
    truth = [0, 1] * 20
    judged = binary(truth, np.array(truth) * 10.0 + np.arange(40) / 100, cut=5)

    of = reading(AUC, judged, holdout(40, cluster=(np.arange(40) // 4).tolist()))

    assert_allclose(lower(of), 0.025 ** (1 / 5), rtol=1e-12)  # 10 clusters, 5 pairs of them


def test_exact_the_ends_at_the_lower_limit_are_mirrored() -> None:
    judged = perfect(9, 51)
    assert judged.scores is not None
    reverse = binary(judged.truth, -judged.scores)

    (interval,) = reading(AUC, reverse, holdout(60)).intervals

    assert (interval.estimate, interval.lower) == (0.0, 0.0)
    assert_allclose(known(interval.upper), 1 - lower(reading(AUC, judged, holdout(60))))


@pytest.mark.parametrize(
    ("alternative", "is_open"), [(Alternative.LESS, 1), (Alternative.GREATER, 0)]
)
def test_exact_one_sided_bounds(alternative: Alternative, is_open: int) -> None:
    """``less``, a is better, is a lower bound of what is better when higher."""
    (interval,) = reading(AUC, perfect(9, 51), holdout(60), alternative=alternative).intervals

    assert (interval.lower, interval.upper)[is_open] is None
    if alternative is Alternative.LESS:
        assert_allclose(known(interval.lower), 0.05 ** (1 / 9))


def test_exact_over_folds_the_errors_may_be_in_one_or_in_all() -> None:
    """Ten positives in each of five folds: A fold may have all errors, or they share the tail.

    (1 - .025^(1/10)) / 5 = .0617 is less than 1 - .025^(1/50) = .0711, so they share it.
    """
    truth = np.tile([0] * 10 + [1] * 10, 5)
    judged = binary(truth, truth + np.arange(100) / 1000)

    of = reading(AUC, judged, folds(np.repeat(np.arange(5), 20)))

    assert_allclose(lower(of), 0.025 ** (1 / 50), rtol=1e-12)
    assert of.list_targets_without_interval() == (Target.THESE_SOURCES,)


def test_exact_a_new_source_has_the_bound_of_their_number() -> None:
    truth = np.tile([0] * 10 + [1] * 10, 8)
    judged = binary(truth, truth + np.arange(160) / 1000, cut=0.5)
    block = np.repeat(np.arange(8), 20)

    for metric, low in ((AUC, 0.0), (Matthews(n_resamples=0), -1.0)):
        bound = lower(reading(metric, judged, sources(block)), Target.NEW_SOURCE)
        assert_allclose(bound, low + (1 - low) * 0.025 ** (1 / 8), rtol=1e-12)


def test_degenerate_a_metric_without_a_bound_has_a_serious_caution() -> None:
    exact = values([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0])
    tied = binary([0, 1] * 10, [1.0] * 20)

    for metric, judged, n in ((RSquared(n_resamples=0), exact, 4), (AUC, tied, 20)):
        shown = tree(metric, {"m": judged}, holdout(n))["models"]["m"]["metrics"][metric.info.name]
        (caution,) = (c for c in shown["cautions"] if c["code"] == "metric_without_interval")
        assert caution["severity"] == "serious"
        assert name_method(metric.info.name) in caution["message"]
        assert shown["recommended"] == {}


def test_degenerate_one_positive_gives_a_bound_and_a_difference_none() -> None:
    judged = perfect(1, 30)

    assert_allclose(lower(reading(AUC, judged, holdout(31))), 0.025)
    of = difference(AUC, judged, judged, holdout(31))
    assert "no_error_bound" not in {interval.method for interval in of.intervals}


def test_exact_several_classes_have_the_bound_of_the_smallest() -> None:
    truth = [0] * 20 + [1] * 7 + [2] * 12
    judged = labelled(truth, truth, n_classes=3)

    for average in ("macro", "weighted"):
        bound = lower(reading(F1(n_resamples=0, average=average), judged, holdout(39)))
        assert 0.75 < bound < 1
    share = 0.025 ** (1 / 7)
    balanced = lower(reading(BalancedAccuracy(n_resamples=0), judged, holdout(39)))
    assert balanced <= (2 + share) / 3 + 1e-12


@pytest.mark.calibration
def test_calibrated_areas_near_one_with_nine_positives() -> None:
    """Normal scores, area .983, 9 and 51 rows: .981 covered, and .805 with a normal quantile."""
    rng = np.random.default_rng(33)
    shift, covers, length = 2.998, [], 400  # sqrt(2) times the .983 quantile
    for _ in range(length):
        truth = np.repeat([0, 1], [51, 9])
        scores = rng.standard_normal(60) + shift * truth
        of = reading(AUC, binary(truth, scores), holdout(60))
        interval = of.interval
        assert interval is not None
        covers.append(known(interval.lower) <= 0.983 <= known(interval.upper))

    assert np.mean(covers) > 0.95 - 4 * np.sqrt(0.95 * 0.05 / length)
