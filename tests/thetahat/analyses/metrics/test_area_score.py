from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.thetahat.analyses.metrics.readings import (
    folds,
    holdout,
    interval_of,
    measured,
    noisy,
    reading,
    sources,
)
from tests.thetahat.metrics.judged import binary
from thetahat.analyses.metrics.area_score import (
    compute_model_variance,
    count_errors,
    find_score_ends,
)
from thetahat.metrics.roc_auc import RocAuc
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind

METRIC = RocAuc(n_resamples=0)
Z = float(stats.norm.ppf(0.975))


@pytest.mark.about("metrics/roc_auc")
def test_outside_ends_of_method_5() -> None:
    """The interval of 6 and 7 observations that SingleCaseES prints, by R's uniroot (1e-4)."""
    below = [20, 20, 26, 25, 22, 23]
    above = [28, 25, 24, 27, 30, 30, 29]
    area = float(np.mean([(b > a) + 0.5 * (b == a) for a in below for b in above]))
    ends = find_score_ends(area, np.array([[6.0, 7.0]]), Z)
    assert_allclose(area, 0.9166667, atol=5e-8)
    assert_allclose(ends, (0.5973406, 0.9860176), atol=5e-5)


def test_variance_of_the_model_by_simulation() -> None:
    """Exponential scores of as many positives as negatives have the variance of the model."""
    rng, m, area = np.random.default_rng(33), 12, 0.8
    x = rng.exponential(area / (1 - area), (20_000, m))
    y = rng.exponential(1.0, (20_000, m))
    areas = (x[:, :, None] > y[:, None, :]).mean(axis=(1, 2))
    assert_allclose(areas.mean(), area, atol=0.003)
    expected = compute_model_variance(area, np.array([[m, m]], dtype=float))
    assert_allclose(areas.var(), expected, rtol=0.03)
    of_three = compute_model_variance(area, np.full((3, 2), float(m)))
    assert_allclose(of_three, expected / 3, rtol=1e-12)


@pytest.mark.parametrize("of", [(30, 30), (90, 300)])
def test_ends_solve_the_score_equation(of: tuple[int, int]) -> None:
    sizes, area, factor = np.array([of], dtype=float), 0.93, 1.7
    for end in find_score_ends(area, sizes, Z, factor):
        reach = Z * math.sqrt(factor * compute_model_variance(end, sizes))
        assert_allclose(abs(area - end), reach, rtol=1e-6)


def test_errors_of_a_share_are_its_count() -> None:
    assert_allclose(count_errors(0.95, 0.95 * 0.05 / 200), 10)
    assert_allclose(count_errors(0.05, 0.95 * 0.05 / 200), 10)


@pytest.mark.about("metrics/roc_auc")
@pytest.mark.parametrize(("positives", "negatives"), [(8, 240), (10, 10), (15, 485), (50, 200)])
@pytest.mark.parametrize("area", [0.95, 0.99])
def test_it_covers_with_few_positives(positives: int, negatives: int, area: float) -> None:
    """Wide positives, of which the logit interval covers .74 with 15 of 500 and an area of .99."""
    rng, n = np.random.default_rng([33, positives, negatives, round(area * 100)]), 150
    shift = float(stats.norm.ppf(area)) * math.hypot(1, 1.6)
    hit = 0
    for _ in range(n):
        truth = np.arange(positives + negatives) < positives
        scores = rng.standard_normal(len(truth)) * np.where(truth, 1.6, 1.0) + shift * truth
        of = reading(METRIC, binary(truth, scores), holdout(len(truth)))
        assert of.interval is not None
        lower, upper = of.interval.lower, of.interval.upper
        assert lower is not None
        assert upper is not None
        hit += lower <= area <= upper
    least = stats.binom.ppf(0.001, n, 0.94)  # .87 of 150
    assert hit >= least


def test_the_logit_interval_is_inside() -> None:
    for n, scale in ((40, 1.0), (400, 1.0)):
        of = reading(METRIC, noisy(7, n, scale), holdout(n))
        score, logit = (interval_of(of, name, "delong") for name in ("area_score", "logit"))
        assert score.recommended
        assert score.lower is not None
        assert logit.lower is not None
        assert score.upper is not None
        assert logit.upper is not None
        assert score.lower <= logit.lower
        assert score.upper >= logit.upper
        if n == 400:  # an ordinary area has its ends
            ends = [score.lower, score.upper]
            assert_allclose(ends, [logit.lower, logit.upper], atol=5e-4)


@pytest.mark.parametrize(
    ("layout", "mean", "variance"),
    [
        (holdout(120, cluster=np.arange(120) // 4), MeanKind.POOLED, "cluster_robust"),
        (folds(np.arange(120) // 2 % 5), MeanKind.MACRO, "delong_blocks"),
        (sources(np.arange(120) // 2 % 6), MeanKind.MACRO, "delong_blocks"),
    ],
)
def test_clusters_and_blocks(layout: Layout, mean: MeanKind, variance: str) -> None:
    of = reading(METRIC, noisy(3, 120), layout)
    interval = interval_of(of, "area_score", variance)
    assert (interval.mean, interval.recommended) == (mean, True)
    sizes = measured(METRIC, noisy(3, 120), layout).count_ranked(mean)
    assert sizes is not None
    assert sizes.sum() == 120
    assert len(sizes) == (1 if mean is MeanKind.POOLED else len(layout.block_labels))


def test_none_at_1() -> None:
    perfect = binary(np.arange(20) >= 10, np.arange(20.0))
    assert "area_score" not in {
        each.method for each in reading(METRIC, perfect, holdout(20)).intervals
    }


def test_none_without_a_class() -> None:
    assert not reading(METRIC, binary([0] * 10, np.arange(10.0)), holdout(10)).intervals


@pytest.mark.parametrize(
    ("positives", "negatives", "above", "is_by_errors"),
    [(33, 200, 20, False), (45, 600, 4, True)],
)
def test_naive_the_least_variance(
    positives: int, negatives: int, above: int, *, is_by_errors: bool
) -> None:
    """All positives score alike, so that DeLong's variance is that of a share of the negatives."""
    scores = [0.0] * positives + [1.0] * above + [-1.0] * (negatives - above)
    truth = np.arange(positives + negatives) < positives
    of = reading(METRIC, binary(truth, np.array(scores)), holdout(len(truth)))
    interval = interval_of(of, "area_score", "delong")
    area, sizes = 1 - above / negatives, np.array([[positives, negatives]], dtype=float)
    assert_allclose(interval.estimate, area)
    assert interval.standard_error is not None
    assert interval.lower is not None
    square = interval.standard_error**2
    of_errors, of_class = 3 * square / (area * (1 - area) ** 2), 30 / positives
    assert (of_errors > of_class) is is_by_errors
    floor = max(of_errors, of_class) ** 3
    assert square < floor * compute_model_variance(area, sizes)
    assert_allclose(interval.lower, find_score_ends(area, sizes, Z, floor)[0], rtol=1e-9)
