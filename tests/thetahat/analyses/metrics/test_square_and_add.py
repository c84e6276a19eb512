"""The difference of a metric of two models that make few errors, or none."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.thetahat.analyses.metrics.readings import (
    codes,
    ends,
    folds,
    holdout,
    measured,
    reading,
    sources,
    tree,
)
from tests.thetahat.metrics.judged import binary
from thetahat.analyses.metrics.square_and_add import (
    SQUARE_AND_ADD,
    DifferenceOfLimits,
    ModelLimits,
    add_distances,
)
from thetahat.intervals.base import Interval
from thetahat.metrics.average_precision import AveragePrecision
from thetahat.metrics.balanced_accuracy import BalancedAccuracy
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.metrics.cohen_kappa import CohenKappa
from thetahat.metrics.f1 import F1
from thetahat.metrics.matthews import Matthews
from thetahat.metrics.precision import Precision
from thetahat.metrics.recall import Recall
from thetahat.metrics.roc_auc import RocAuc
from thetahat.values.types import Alternative
from thetahat_replications.edges.differences_with_few_errors import METRICS, compute_truths

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


@pytest.mark.outside(
    "Altman et al. (2000), Statistics with Confidence, thallium stress test (14, 5, 0, 22), method "
    "10 with its correlation"
)
def test_golden_wilson_limits_of_paired_rates() -> None:
    # the numerator of the correlation less half of the rows, as in newcombe1998
    correlation = (14 * 22 - 5 * 0 - 41 / 2) / math.sqrt(19 * 22 * 14 * 27)
    a, b = wilson_distances(19, 41), wilson_distances(14, 41)
    found = add_distances(5 / 41, a, b, correlation)

    assert_allclose(found, (0.011, 0.226), atol=5e-4)


def wilson_distances(x: int, n: int, z: float = 1.959963984540054) -> tuple[float, float]:
    p = x / n
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return p - (centre - half), centre + half - p


def built(interval: Interval | None) -> Interval:
    assert interval is not None
    return interval


def ends_by_t(interval: Interval, degrees: float) -> tuple[float, float]:
    """The logit interval on the same standard error, with quantiles of t."""
    p = interval.estimate
    assert interval.standard_error is not None
    reach = stats.t.ppf(0.975, degrees) * interval.standard_error / (p * (1 - p))
    centre = math.log(p / (1 - p))
    lower, upper = (1 / (1 + math.exp(-centre - each)) for each in (-reach, reach))
    return lower, upper


@EACH
def test_exact_the_interval_is_that_of_both_models_limits(metric: Metric) -> None:
    of = models()
    pair = compared(metric, of)
    a, b = (reading(metric, each, holdout(40)).interval for each in of.values())
    assert a is not None
    assert b is not None

    of_b = tuple(ends(b))
    if metric.info.name == "average_precision":
        of_b = ends_by_t(b, degrees=2)  # three positives
    lower = a.estimate - b.estimate - math.hypot(a.estimate - ends(a)[0], of_b[1] - b.estimate)
    assert pair["interval"]["method"] == NAME
    assert_allclose(pair["interval"]["lower"], lower)
    assert_allclose(pair["interval"]["upper"], 1 - of_b[0])
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


def shares(n: int, errors_a: int, errors_b: int, both: int = 0) -> dict[str, TruthAndPredictions]:
    """n positives and as many negatives, of which two models miss so many positives."""
    place = np.arange(2 * n)
    truth = place < n
    miss_a, miss_b = (
        place < errors_a,
        (place >= errors_a - both) & (place < errors_a - both + errors_b),
    )
    return {"a": binary(truth, truth & ~miss_a), "b": binary(truth, truth & ~miss_b)}


def test_exact_the_correlation_is_that_of_the_errors() -> None:
    # 2 errors of 20 and 4, one in common: phi = (1 * 15 - 1 * 3) / sqrt(2 * 18 * 4 * 16)
    of = shares(20, 2, 4, both=1)
    metric = Recall(n_resamples=0)
    pair = compared(metric, of)
    (lower_a, upper_a), (lower_b, upper_b) = (
        ends(built(reading(metric, each, holdout(40)).interval)) for each in of.values()
    )
    phi = (1 * 15 - 1 * 3) / math.sqrt(2 * 18 * 4 * 16)
    below, above = 0.9 - lower_a, upper_a - 0.9
    below_b, above_b = 0.8 - lower_b, upper_b - 0.8

    assert pair["interval"]["method"] == NAME
    assert_allclose(
        (pair["interval"]["lower"], pair["interval"]["upper"]),
        (
            0.1 - math.sqrt(below**2 + above_b**2 - 2 * phi * below * above_b),
            0.1 + math.sqrt(above**2 + below_b**2 - 2 * phi * above * below_b),
        ),
    )


@pytest.mark.parametrize(
    ("n", "errors", "by_limits"),
    # a share with ddof 1 is worth (n - 1) / n of its errors
    [
        (40, 3, True),
        (100, 3, True),
        (400, 4, False),
        (8, 4, False),
        (20, 17, True),
        (40, 36, False),
    ],
)
def test_exact_limits_are_used_below_three_errors_or_hits(
    n: int, errors: int, *, by_limits: bool
) -> None:
    of = shares(n, errors, n // 2)
    worth = min(errors, n - errors) * (n - 1) / n
    assert abs(worth / 3 - 1) > 0.001
    for pair in (of, dict(reversed(of.items()))):
        interval = compared(Recall(n_resamples=0), pair)["interval"]
        assert (interval["method"] == NAME) == by_limits


@pytest.mark.parametrize(
    ("share", "by_limits"), [(0.028, True), (0.0295, True), (0.0305, False), (0.032, False)]
)
def test_limit_three_errors(share: float, *, by_limits: bool) -> None:
    """Of weighted rows it is the variance that counts: 100 rows with such a share of errors."""
    interval = built(reading(Recall(n_resamples=0), shares(100, 3, 3)["a"], holdout(200)).interval)
    error = math.sqrt(share * (1 - share) / 100)
    own = replace(interval, estimate=1 - share, standard_error=error)
    measured_a = measured(Recall(n_resamples=0), shares(100, 3, 3)["a"], holdout(200))

    assert ModelLimits(Recall(n_resamples=0), measured_a, own).is_by_few_errors == by_limits


def ranked(positives: int, n: int = 120) -> dict[str, TruthAndPredictions]:
    """Two models with many errors."""
    rng = np.random.default_rng(38)
    truth = np.arange(n) < positives
    return {name: binary(truth, rng.normal(size=n) + 0.5 * truth) for name in "ab"}


@pytest.mark.parametrize(
    ("metric", "positives", "degrees"),
    [
        (RocAuc(n_resamples=0), 10, 9),
        (RocAuc(n_resamples=0), 29, 28),
        (RocAuc(n_resamples=0), 30, None),
        (RocAuc(n_resamples=0), 91, 28),
        (AveragePrecision(n_resamples=0), 29, 28),
        (AveragePrecision(n_resamples=0), 60, 59),
        (F1(n_resamples=0), 10, None),
    ],
)
def test_exact_ranks_of_few_instances_have_quantiles_of_t(
    metric: Metric, positives: int, degrees: int | None
) -> None:
    pair = compared(metric, ranked(positives))

    assert pair["interval"]["method"] == ("normal" if degrees is None else "student_t")
    assert pair["degrees_of_freedom"] == degrees
    p_value = (
        2 * stats.norm.sf(abs(pair["statistic"]))
        if degrees is None
        else 2 * stats.t.sf(abs(pair["statistic"]), degrees)
    )
    assert_allclose(pair["p_value"], p_value)


@EACH
@pytest.mark.parametrize("kind", ["rows", "clusters", "folds", "sources"])
def test_property_interval_and_p_value_decide_alike(metric: Metric, kind: str) -> None:
    n, rng = 60, np.random.default_rng(39)
    truth = np.arange(n) % 10 < 3
    block = np.arange(n) // 10
    layouts = {
        "rows": holdout(n),
        "clusters": holdout(n, cluster=np.arange(n) // 3),
        "folds": folds(block),
        "sources": sources(block),
    }
    decided, by_limits = set(), 0
    for i in range(12):
        shifts = (3.0, 3.0 - 3.0 * (i % 4) / 3)
        of = {
            name: binary(truth, rng.normal(size=n) + shift * truth, cut=shift / 2)
            for name, shift in zip("ab", shifts, strict=True)
        }
        pair = compared(metric, of, layout=layouts[kind])
        interval, p_value = pair["interval"], pair["p_value"]
        if interval is None:
            assert p_value in (None, 1.0)
            continue
        is_excluded = not interval["lower"] <= 0 <= interval["upper"]
        assert is_excluded == (p_value < 0.05)
        assert interval["lower"] <= pair["difference"] <= interval["upper"]
        decided.add(is_excluded)
        by_limits += interval["method"] == NAME

    assert decided == {True, False}
    assert by_limits > 5 or kind == "sources"


def test_exact_models_that_err_on_the_same_few_instances_are_not_certain_to_be_equal() -> None:
    metric = Recall(n_resamples=0)
    of = shares(20, 2, 2, both=2)
    pair = compared(metric, of)
    lower, upper = ends(built(reading(metric, of["a"], holdout(40)).interval))
    reach = math.hypot(0.9 - lower, upper - 0.9)

    assert (pair["difference"], pair["p_value"]) == (0, 1)
    assert_allclose((pair["interval"]["lower"], pair["interval"]["upper"]), (-reach, reach))
    many = compared(metric, shares(20, 5, 5, both=5))
    assert (many["interval"], many["p_value"]) == (None, 1)
    assert "zero_variance" in codes(many["cautions"])


@pytest.mark.parametrize("metric", [RocAuc, Recall, CohenKappa, Matthews])
def test_exact_positives_in_few_clusters_count_as_those_clusters(metric: Any) -> None:
    # 20 clusters, of which 4 have the positives: BM degrees of equal clusters are 19
    n = 80
    truth = np.arange(n) < 16
    rng = np.random.default_rng(40)
    judged = binary(truth, rng.normal(size=n) + truth)
    of = metric(n_resamples=0)
    interval = built(reading(of, judged, holdout(n, cluster=np.arange(n) // 4)).interval)
    spread = built(reading(of, judged, holdout(n, cluster=np.arange(n) % 20)).interval)

    assert interval.degrees_of_freedom == 3
    assert spread.degrees_of_freedom == 15


@pytest.fixture
def no_p_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search for no p-value, which takes half of the time, where intervals alone are looked at."""
    monkeypatch.setattr(DifferenceOfLimits, "compute_p_value", lambda *_: 1.0)


@pytest.mark.calibration
@pytest.mark.usefixtures("no_p_values")
@pytest.mark.parametrize("name", ["average_precision", "precision"])
def test_calibrated_equal_models_that_are_nearly_perfect(name: str) -> None:
    metric, rng, n, found = METRICS[name], np.random.default_rng(36), 40, []
    truth = np.arange(n) < 3
    for _ in range(200):
        of = {m: binary(truth, rng.normal(size=n) + 4 * truth, cut=2.0) for m in "ab"}
        interval = compared(metric, of)["interval"]
        if interval is not None and interval["method"] == NAME:
            found.append(not interval["lower"] <= 0 <= interval["upper"])

    assert len(found) > 100
    assert np.mean(found) < 0.05  # .003 in 800 samples; the standard error of .05 is .015
    assert compute_truths(3 / n, 4.0)[name] < 1


@pytest.mark.calibration
@pytest.mark.usefixtures("no_p_values")
@pytest.mark.parametrize(
    ("name", "shifts", "least", "samples"),
    [
        # intervals on the variance cover in .87, .90 and .80; the bounds are .873, .912 and .94
        ("roc_auc", (3.0, 2.0), 0.92, 300),
        ("average_precision", (3.0, 2.0), 0.95, 300),
        ("balanced_accuracy", (4.0, 2.0), 0.98, 120),
    ],
)
def test_calibrated_ten_positives_of_a_hundred(
    name: str, shifts: tuple[float, float], least: float, samples: int
) -> None:
    metric, rng, n, covered = METRICS[name], np.random.default_rng(37), 100, []
    truth = np.arange(n) < 10
    a, b = (compute_truths(0.1, shift)[name] for shift in shifts)
    for _ in range(samples):
        common = rng.normal(size=n)
        of = {
            model: binary(
                truth, 0.6 * common + 0.8 * rng.normal(size=n) + shift * truth, cut=shift / 2
            )
            for model, shift in zip("ab", shifts, strict=True)
        }
        interval = compared(metric, of)["interval"]
        covered.append(interval["lower"] <= a - b <= interval["upper"])

    # three standard errors
    assert np.mean(covered) > least - 3 * math.sqrt(least * (1 - least) / samples)
