"""The interval of kappa and of Matthews' coefficient by the limits of three shares."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.thetahat.analyses.metrics.readings import (
    codes,
    folds,
    holdout,
    interval_of,
    known,
    reading,
)
from tests.thetahat.metrics.judged import labelled
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.metrics.cohen_kappa import CohenKappa
from thetahat.metrics.matthews import Matthews
from thetahat.values.types import Alternative

pytestmark = pytest.mark.about("metrics/cohen_kappa", "metrics/matthews")
KAPPA, MATTHEWS = CohenKappa(n_resamples=0), Matthews(n_resamples=0)
EACH = pytest.mark.parametrize("metric", [KAPPA, MATTHEWS], ids=["kappa", "matthews"])
Z = float(stats.norm.ppf(0.975))
NAME = "limits_of_shares"


def judge(hits: int, positives: int, correct: int, negatives: int) -> TruthAndPredictions:
    truth = [1] * positives + [0] * negatives
    output = [1] * hits + [0] * (positives - hits) + [0] * correct + [1] * (negatives - correct)
    return labelled(truth, output)


def compute_kappa(share: float, sensitivity: float, specificity: float) -> float:
    agreed = share * sensitivity + (1 - share) * specificity
    called = share * sensitivity + (1 - share) * (1 - specificity)
    by_chance = share * called + (1 - share) * (1 - called)
    return (agreed - by_chance) / (1 - by_chance)


def compute_matthews(share: float, sensitivity: float, specificity: float) -> float:
    called = share * sensitivity + (1 - share) * (1 - specificity)
    return (
        (sensitivity + specificity - 1)
        * share
        * (1 - share)
        / math.sqrt(share * (1 - share) * called * (1 - called))
    )


def find_wilson(count: int, n: int) -> tuple[float, float]:
    found = stats.binomtest(count, n).proportion_ci(method="wilson")
    return float(found.low), float(found.high)


@pytest.mark.parametrize(
    ("metric", "compute"), [(KAPPA, compute_kappa), (MATTHEWS, compute_matthews)]
)
@pytest.mark.parametrize("counts", [(6, 8, 80, 92), (3, 10, 70, 90), (14, 15, 13, 15)])
def test_naive_distances_are_squared_and_added(
    metric: Metric, compute: Callable[..., float], counts: tuple[int, int, int, int]
) -> None:
    """By Wilson's limits of SciPy and closed forms of both metrics."""
    hits, positives, correct, negatives = counts
    n = positives + negatives
    of = reading(metric, judge(*counts), holdout(n))
    shares = [positives / n, hits / positives, correct / negatives]
    limits = [
        find_wilson(positives, n),
        find_wilson(hits, positives),
        find_wilson(correct, negatives),
    ]
    value, falls, rises = compute(*shares), 0.0, 0.0
    for j, ends in enumerate(limits):
        steps = [compute(*shares[:j], end, *shares[j + 1 :]) - value for end in ends]
        falls += min(*steps, 0) ** 2
        rises += max(*steps, 0) ** 2
    interval, logit = interval_of(of, NAME, "influence"), interval_of(of, "logit", "influence")
    assert interval.recommended
    assert_allclose(interval.estimate, value, rtol=1e-12)
    low = min(known(logit.lower), value - math.sqrt(falls))
    high = max(known(logit.upper), value + math.sqrt(rises))
    assert_allclose([known(interval.lower), known(interval.upper)], [low, high], rtol=1e-9)


@EACH
def test_it_covers_a_poor_model_with_few_positives(metric: Metric) -> None:
    """The logit interval covers .83 (kappa) and .81 (Matthews) of 4000 samples."""
    positives, n, draws = 5, 80, 400
    compute = compute_kappa if metric is KAPPA else compute_matthews
    truth, rng = compute(positives / n, 0.3, 0.85), np.random.default_rng(33)
    inside = np.zeros(2)
    for _ in range(draws):
        hits, correct = rng.binomial(positives, 0.3), rng.binomial(n - positives, 0.85)
        of = reading(metric, judge(hits, positives, correct, n - positives), holdout(n))
        for i, name in enumerate((NAME, "logit")):
            interval = interval_of(of, name, "influence")
            inside[i] += known(interval.lower) <= truth <= known(interval.upper)
    least = stats.binom.ppf(0.001, draws, 0.95)
    assert inside[0] >= least > inside[1]


@EACH
def test_exact_one_sided_ends_have_their_own_quantile(metric: Metric) -> None:
    judged = judge(6, 8, 80, 92)
    below = reading(metric, judged, holdout(100), level=0.95, alternative=Alternative.GREATER)
    both = reading(metric, judged, holdout(100), level=0.9)
    of_one, of_both = (interval_of(of, NAME, "influence") for of in (below, both))
    ends = [end for end in (of_one.lower, of_one.upper) if end is not None]
    assert len(ends) == 1
    assert_allclose(ends[0], known(of_both.upper if of_one.lower is None else of_both.lower))


@pytest.mark.parametrize(("positives", "expected"), [(4, True), (5, False)])
def test_exact_fewer_than_five_of_a_class_have_a_caution(positives: int, *, expected: bool) -> None:
    for judged in (judge(2, positives, 70, 80), judge(70, 80, 2, positives)):
        of = reading(KAPPA, judged, holdout(80 + positives))
        assert ("few_agreeing" in codes(interval_of(of, NAME, "influence").cautions)) is expected


@EACH
def test_folds_have_it_and_dependent_rows_and_more_classes_do_not(metric: Metric) -> None:
    judged = judge(8, 20, 60, 80)
    of_rows = interval_of(reading(metric, judged, holdout(100)), NAME, "influence")
    of_folds = interval_of(reading(metric, judged, folds(np.arange(100) % 5)), NAME, "influence")
    assert (of_folds.lower, of_folds.upper) == (of_rows.lower, of_rows.upper)
    three = labelled([0, 1, 2] * 30, [0, 1, 2, 0, 2, 1] * 15, 3)
    twice = [*range(50), *range(50)]
    for other in (
        reading(metric, judged, holdout(100, cluster=[i // 2 for i in range(100)])),
        reading(metric, judged, holdout(100, time=list(range(100)))),
        reading(
            metric,
            judged,
            folds(
                [0] * 25 + [1] * 25 + [0] * 25 + [1] * 25,
                instance=twice,
                repeat=[0] * 50 + [1] * 50,
            ),
        ),
        reading(metric, three, holdout(90)),
        reading(metric, judge(20, 20, 80, 80), holdout(100)),
    ):
        assert NAME not in {each.method for each in other.intervals}


def test_degenerate_without_a_class() -> None:
    of = reading(KAPPA, labelled([0] * 20, [0] * 15 + [1] * 5), holdout(20))
    assert NAME not in {each.method for each in of.intervals}
