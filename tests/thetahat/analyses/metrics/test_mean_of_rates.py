"""The score interval of balanced accuracy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.thetahat.analyses.metrics.readings import folds, holdout, interval_of, known, reading
from tests.thetahat.metrics.judged import labelled
from thetahat.intervals.base import Interval
from thetahat.metrics.balanced_accuracy import BalancedAccuracy
from thetahat.metrics.base import TruthAndPredictions
from thetahat.metrics.recall import Recall
from thetahat.numerics.mean_of_rates import find_lower_mean
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative

pytestmark = pytest.mark.about("metrics/balanced_accuracy")
METRIC = BalancedAccuracy(n_resamples=0)


def judge(positives: int, hits: int, negatives: int, correct: int) -> TruthAndPredictions:
    truth = [1] * positives + [0] * negatives
    output = [1] * hits + [0] * (positives - hits) + [0] * correct + [1] * (negatives - correct)
    return labelled(truth, output)


def score(judged: TruthAndPredictions, layout: Layout, **choices: object) -> Interval:
    return interval_of(reading(METRIC, judged, layout, **choices), "mean_of_rates", None)


def test_gh_36_a_class_without_an_error_keeps_its_uncertainty() -> None:
    """Reported: ten positives all right and 71 of 90 negatives; the logit interval ends at .92."""
    of = reading(METRIC, judge(10, 10, 90, 71), holdout(100))
    interval, logit = of.interval, interval_of(of, "logit", "influence")

    assert interval is not None
    assert interval.method == "mean_of_rates"
    assert known(interval.lower) < 0.78
    assert known(logit.lower) > 0.84
    shares, sizes = np.array([71 / 90, 1.0]), np.array([90.0, 10.0])
    z = stats.norm.ppf(0.975)
    low = find_lower_mean(shares, sizes, np.full(2, 0.5), z)
    high = 1 - find_lower_mean(1 - shares, sizes, np.full(2, 0.5), z)
    assert_allclose([known(interval.lower), known(interval.upper)], [low, high], rtol=1e-12)
    error = np.sqrt(71 / 90 * 19 / 90 / 90 / 4)
    assert_allclose(known(interval.standard_error), error, rtol=1e-12)


def test_exact_other_metrics_have_no_such_interval() -> None:
    of = reading(Recall(n_resamples=0), judge(10, 8, 90, 71), holdout(100))

    assert "mean_of_rates" not in {interval.method for interval in of.intervals}


def test_exact_copies_of_rows_in_a_cluster_are_worth_one_row() -> None:
    """Twenty copies of a row are one, and t has the degrees of freedom of the smaller class."""
    small = judge(30, 22, 40, 31)
    rows = np.repeat(np.arange(70), 20)
    copies = score(small.rows(rows), holdout(1400, cluster=rows.tolist()))

    assert copies.degrees_of_freedom == 29
    q = stats.t.ppf(0.975, 29)
    # CR2 divides by 1 - 1/n of each class, and so a class of 30 is worth 29 rows
    low = find_lower_mean(np.array([31 / 40, 22 / 30]), np.array([39.0, 29.0]), np.full(2, 0.5), q)
    assert_allclose(known(copies.lower), low, rtol=2e-3)
    alone = score(small, holdout(70))
    assert known(copies.lower) < known(alone.lower)


def test_degenerate_a_class_in_one_cluster_counts_as_one_row() -> None:
    judged = judge(10, 9, 90, 71)
    cluster = [0] * 10 + [1 + i // 5 for i in range(90)]

    interval = score(judged, holdout(100, cluster=cluster))

    assert known(interval.upper) - known(interval.lower) > 0.4


def test_exact_repeats_of_the_same_predictions_change_nothing() -> None:
    once = judge(12, 9, 60, 50)
    instance = np.tile(np.arange(72), 2)
    twice = folds(
        np.tile(np.arange(72) % 4, 2), repeat=np.repeat([0, 1], 72), instance=instance.tolist()
    )

    of_both = score(once.rows(instance), twice)
    of_one = score(once, holdout(72))

    assert_allclose(known(of_both.lower), known(of_one.lower), rtol=1e-12)
    assert_allclose(known(of_both.upper), known(of_one.upper), rtol=1e-12)


@pytest.mark.parametrize(
    ("alternative", "is_open"), [(Alternative.LESS, 1), (Alternative.GREATER, 0)]
)
def test_exact_one_sided_ends_are_those_of_a_lower_level(
    alternative: Alternative, is_open: int
) -> None:
    """``less``, a is better, is a lower bound of what is better when higher."""
    judged = judge(10, 9, 90, 71)
    one = score(judged, holdout(100), alternative=alternative)
    two = score(judged, holdout(100), level=0.9)

    ends, of_two = (one.lower, one.upper), (two.lower, two.upper)
    assert ends[is_open] is None
    assert_allclose(known(ends[1 - is_open]), known(of_two[1 - is_open]), rtol=1e-12)


def test_exact_a_class_without_an_error_is_worth_its_clusters() -> None:
    """Twenty positives of five clusters, all right: five rows, as what clusters have in common."""
    judged = judge(20, 20, 90, 71)
    cluster = [i // 4 for i in range(20)] + [5 + i for i in range(90)]
    interval = score(judged, holdout(110, cluster=cluster))

    q = stats.t.ppf(0.975, known(interval.degrees_of_freedom))
    shares, sizes = np.array([71 / 90, 1.0]), np.array([90.0, 5.0])
    low = find_lower_mean(shares, sizes, np.full(2, 0.5), q)
    # CR2 of single rows is 1 / (1 - 1/90) of the binomial variance
    assert_allclose(known(interval.lower), low, rtol=5e-3)
