from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binomtest

from tests.thetahat.analyses.metrics.readings import (
    codes,
    difference,
    ends,
    folds,
    holdout,
    interval_of,
    known,
    measured,
    noisy,
    reading,
    sources,
)
from tests.thetahat.metrics.judged import binary, labelled, values
from tests.thetahat.metrics.published import (
    ADMISSION_FOLD,
    ADMISSION_SCORE,
    ADMITTED,
    NDKA,
    POOR_OUTCOME,
    S100B,
    SEPARATED,
    SEPARATING,
    WFNS,
)
from thetahat.analyses.metrics.variances import estimate_ledell, estimate_variances, sum_variance
from thetahat.distributions import compute_p_value
from thetahat.metrics.balanced_accuracy import BalancedAccuracy
from thetahat.metrics.f1 import F1
from thetahat.metrics.r2 import RSquared
from thetahat.metrics.roc_auc import RocAuc
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind, FloatArray, IntArray, MeanKind, Target

PROC = "R package pROC, tests/testthat/test-roc.test.R, on its data set aSAH"
CVAUC = "R package cvAUC, example of man/ci.cvAUC.Rd (admissions)"
AUC = RocAuc(n_resamples=0)
PATIENTS = {"wfns": WFNS, "s100b": S100B, "ndka": NDKA}


@pytest.mark.outside(PROC)
@pytest.mark.about("metrics/roc_auc")
@pytest.mark.parametrize(
    ("marker", "lower", "upper"),
    [
        ("wfns", 0.7485348878194529, 0.898822835757783),
        ("s100b", 0.6301182117616226, 0.8326189156096511),
        ("ndka", 0.5012449992717026, 0.722670989888189),
    ],
)
def test_golden_delong_intervals(marker: str, lower: float, upper: float) -> None:
    # vector delong_aSAH
    of = reading(AUC, binary(POOR_OUTCOME, PATIENTS[marker]), holdout(113))

    interval = interval_of(of, "normal", "delong")

    assert_allclose(ends(interval), [lower, upper], rtol=1e-12)
    assert interval_of(of, "area_score", "delong").recommended
    assert interval.target is Target.THESE_MODELS
    assert interval.mean is MeanKind.POOLED


@pytest.mark.outside(PROC)
@pytest.mark.about("metrics/roc_auc")
@pytest.mark.parametrize(
    ("a", "b", "statistic", "p_value", "lower", "upper"),
    [
        (
            "wfns",
            "s100b",
            2.20898359144091,
            0.0271757822291882,
            0.0104061769564846,
            0.174214419249478,
        ),
        (
            "wfns",
            "ndka",
            2.79777591868904,
            0.00514557970691098,
            0.0634011709339876,
            0.3600405634833566,
        ),
        (
            "ndka",
            "s100b",
            -1.39077002573558,
            0.164295175223054,
            -0.2876917446341914,
            0.0488706064228094,
        ),
    ],
)
def test_golden_delong_differences(
    a: str, b: str, statistic: float, p_value: float, lower: float, upper: float
) -> None:
    # vector delong_aSAH
    both = [binary(POOR_OUTCOME, PATIENTS[m]) for m in (a, b)]
    of = difference(AUC, both[0], both[1], holdout(113))

    interval = interval_of(of, "normal", "delong")
    assert interval.standard_error is not None
    z = interval.estimate / interval.standard_error

    assert_allclose(z, statistic, rtol=1e-12)
    assert_allclose(compute_p_value(z, None, Alternative.TWO_SIDED), p_value, rtol=1e-11)
    assert_allclose(ends(interval), [lower, upper], rtol=1e-11)


@pytest.mark.outside("R package cvAUC, its code run in R 4.2.2 on twelve made-up rows")
@pytest.mark.about("metrics/roc_auc")
def test_golden_ledell_of_two_folds() -> None:
    # vector cvauc_tiny
    scores = [0.9, 0.8, 0.3, 0.2, 0.6, 0.55, 0.7, 0.4, 0.35, 0.65, 0.1, 0.5]
    judged = binary([1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0], scores)

    of = reading(AUC, judged, folds([1] * 6 + [2] * 6), clip=True)
    interval = interval_of(of, "normal", "ledell")

    assert_allclose(interval.estimate, 0.8888888889, atol=1e-10)
    assert interval.standard_error is not None
    assert_allclose(interval.standard_error, 0.1014301032, atol=1e-10)
    assert_allclose(ends(interval), [0.6900895396, 1.0], atol=1e-9)
    assert interval_of(of, "area_score", "delong_blocks").recommended  # covers more nearly
    assert of.main[0] == "delong_blocks"
    assert "interval_clipped_to_range" in codes(interval.cautions)


@pytest.mark.outside(CVAUC)
@pytest.mark.about("metrics/roc_auc")
def test_golden_ledell_of_the_admissions() -> None:
    # vector cvauc_iid_admissions
    of = reading(AUC, binary(ADMITTED, ADMISSION_SCORE), folds(ADMISSION_FOLD))

    interval = interval_of(of, "normal", "ledell")

    assert_allclose(interval.estimate, 0.9046473, atol=5e-8)
    assert interval.standard_error is not None
    assert_allclose(interval.standard_error, 0.01620238, atol=5e-9)
    assert_allclose(ends(interval), [0.8728913, 0.9364034], atol=5e-8)
    assert interval.mean is MeanKind.MACRO


def naive_ledell(truth: np.ndarray, scores: np.ndarray, fold: np.ndarray, ids: np.ndarray) -> float:
    """The clustered form, as METHODS and the source's code have it, in loops."""
    n = len(truth)
    weight = {1: n / truth.sum(), 0: n / (n - truth.sum())}
    mean_size = n / len(np.unique(ids))
    squares = []
    for v in np.unique(fold):
        at = np.flatnonzero(fold == v)
        x, y = scores[at][truth[at] == 1], scores[at][truth[at] == 0]
        area = ((x[:, None] > y) + 0.5 * (x[:, None] == y)).mean()
        of_id: dict[int, float] = {}
        for i in at:
            share = (y < scores[i]).mean() if truth[i] else (x > scores[i]).mean()
            of_id[ids[i]] = of_id.get(ids[i], 0.0) + weight[int(truth[i])] * (share - area)
        squares.append(np.mean([(total / mean_size) ** 2 for total in of_id.values()]))
    return float(np.mean(squares) / len(np.unique(ids)))


@pytest.mark.about("metrics/roc_auc")
@pytest.mark.parametrize("clusters", [False, True])
def test_naive_ledell(clusters: bool) -> None:  # noqa: FBT001 - a parameter of the test
    judged = noisy(3, 60)
    assert judged.scores is not None
    scores = np.round(judged.scores, 1)  # with ties
    fold, ids = np.arange(60) // 2 % 5, np.arange(60)
    if clusters:
        ids = fold * 100 + np.arange(60) // 10 % 4
    layout = folds(fold, cluster=ids) if clusters else folds(fold)

    of = measured(AUC, binary(judged.truth, scores), layout)

    assert_allclose(
        known(estimate_ledell(of)), naive_ledell(judged.truth, scores, fold, ids), rtol=1e-12
    )


@pytest.mark.about("metrics/roc_auc")
def test_limit_ledell_of_clusters_of_one_is_that_of_rows() -> None:
    judged, fold = noisy(4, 60), np.arange(60) // 2 % 5

    alone = estimate_ledell(measured(AUC, judged, folds(fold)))
    clustered = estimate_ledell(measured(AUC, judged, folds(fold, cluster=np.arange(60))))

    assert_allclose(known(clustered), known(alone), rtol=1e-12)


def test_degenerate_ledell_has_no_form_for_these() -> None:
    judged, fold = noisy(4, 60), np.arange(60) // 2 % 5
    crossing = folds(fold, cluster=np.arange(60) // 6)
    twice = folds(
        np.r_[fold, fold], repeat=np.repeat([0, 1], 60), instance=np.tile(np.arange(60), 2)
    )
    lacking = folds(np.where(judged.truth == 1, 0, 1) + 2 * (np.arange(60) % 2 == 5))

    assert estimate_ledell(measured(AUC, judged, crossing)) is None
    assert estimate_ledell(measured(AUC, judged.rows(np.tile(np.arange(60), 2)), twice)) is None
    assert estimate_ledell(measured(AUC, judged, lacking)) is None
    assert "ledell" not in estimate_variances(measured(F1(n_resamples=0), judged, folds(fold)))
    assert "cluster_robust_blocks" in estimate_variances(measured(AUC, judged, crossing))


@pytest.mark.outside("issue 15 of the Python package confidenceinterval: perfect separation")
@pytest.mark.about("metrics/roc_auc")
def test_golden_perfect_separation_has_no_variance_and_a_bound() -> None:
    # vector auc_perfect_separation
    of = reading(RocAuc(), binary(SEPARATED, SEPARATING), holdout(50))

    assert of.measured.pooled == 1.0
    assert of.variances["delong"].value == 0.0
    assert not of.variances["delong"].usable
    assert "zero_variance" in codes(of.variances["delong"].cautions)
    (bound,) = of.intervals
    # 13 in the smaller class: (alpha / 2)^(1 / 13), the Clopper-Pearson bound of 13 of 13
    assert_allclose(known(bound.lower), binomtest(13, 13).proportion_ci().low, rtol=1e-12)
    assert (bound.method, bound.upper, bound.recommended) == ("no_error_bound", 1.0, True)


@pytest.mark.about("metrics/balanced_accuracy")
def test_by_hand_cluster_robust() -> None:
    # classes of 4 and 4; recalls 3/4 and 2/4; parts: (hit - recall) / 8
    judged = labelled([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 0, 0])
    parts = (np.array([1, 1, 1, 0, 1, 1, 0, 0]) - np.repeat([0.75, 0.5], 4)) / 8
    of = reading(BalancedAccuracy(), judged, holdout(8, cluster=[0, 0, 1, 2, 2, 2, 0, 1]))

    sums = [parts[0] + parts[1] + parts[6], parts[2] + parts[7], parts[3] + parts[4] + parts[5]]
    by_hand = sum(8 / (8 - n) * s * s for n, s in zip((3, 2, 3), sums, strict=True))
    # q = (9/64) / (5/8) twice and (4/64) / (6/8); the squared shares sum to 22/64
    degrees = 1 / (22 / 64 + 2 * (0.225**2 + 2 * 0.225 / 12))

    assert_allclose(known(of.variances["cluster_robust"].value), by_hand, rtol=1e-13)
    assert_allclose(known(of.variances["cluster_robust"].degrees_of_freedom), degrees, rtol=1e-13)
    interval = interval_of(of, "student_t", "cluster_robust")
    assert interval_of(of, "mean_of_rates", None).recommended
    assert codes(interval.cautions) == {"few_clusters"}
    assert "ignores_clusters" in codes(of.variances["influence"].cautions)


@pytest.mark.about("metrics/r2")
def test_by_hand_between_sources() -> None:
    # R2 of three sources: 1 - 2/8, 1 - 8/8, 1 - 4/8, so 3/4, 0 and 1/2
    truth = [0.0, 4.0] * 3
    predictions = [1.0, 3.0, 2.0, 6.0, 0.0 + np.sqrt(2), 4.0 - np.sqrt(2)]
    of = reading(RSquared(), values(truth, predictions), sources([0, 0, 1, 1, 2, 2]))

    assert_allclose(of.measured.splits, [0.75, 0.0, 0.5], atol=1e-15)
    variance = of.variances["between_sources"]
    # mean 5/12; deviations 4/12, -5/12, 1/12: 42/144 over 2, over 3
    assert_allclose(variance.estimate, 5 / 12, rtol=1e-14)
    assert_allclose(known(variance.value), 42 / 144 / 2 / 3, rtol=1e-13)
    assert (variance.degrees_of_freedom, variance.target) == (2, Target.NEW_SOURCE)
    assert interval_of(of, "student_t", "between_sources").recommended
    assert of.target is Target.NEW_SOURCE


@pytest.mark.about("metrics/roc_auc")
def test_exact_delong_of_blocks_adds_up() -> None:
    judged, block = noisy(5, 80), np.arange(80) // 20
    of = estimate_variances(measured(AUC, judged, sources(block)))
    alone = [
        known(
            estimate_variances(measured(AUC, judged.rows(np.flatnonzero(block == k)), holdout(20)))[
                "delong"
            ].value
        )
        for k in range(4)
    ]

    assert_allclose(known(of["delong_blocks"].value), sum(alone) / 16, rtol=1e-12)


@pytest.mark.about("metrics/roc_auc", "metrics/f1")
@pytest.mark.parametrize("metric", [AUC, F1(n_resamples=0)])
def test_exact_corrected_resampled_variance(metric: RocAuc | F1) -> None:
    layout = folds(np.arange(60) // 2 % 5)
    of = measured(metric, noisy(6, 60), layout)

    variance = estimate_variances(of)["nadeau_bengio"]

    assert_allclose(known(variance.value), (1 / 5 + 1 / 4) * np.var(of.splits, ddof=1), rtol=1e-12)
    assert (variance.degrees_of_freedom, variance.target) == (4, Target.THESE_SOURCES)
    assert_allclose(variance.estimate, of.splits.mean())


@pytest.mark.about("metrics/f1", "metrics/roc_auc")
@pytest.mark.parametrize("metric", [AUC, F1(n_resamples=0)])
def test_exact_the_same_repeat_named_twice_gives_the_same(metric: RocAuc | F1) -> None:
    """Variances sum the rows of an instance first, so a copied repeat is no new data."""
    judged, fold = noisy(6, 60), np.arange(60) // 2 % 5
    once = estimate_variances(measured(metric, judged, folds(fold, instance=np.arange(60))))
    index = np.tile(np.arange(60), 2)
    layout = folds(np.r_[fold, fold], repeat=np.repeat([0, 1], 60), instance=index)
    twice = estimate_variances(measured(metric, judged.rows(index), layout))

    for name in ("influence", "delong"):
        if name in once:
            # with repeats ddof 1 is over all instances, not inside a class
            assert_allclose(known(twice[name].value), known(once[name].value), rtol=0.04)
            assert twice[name].estimate == once[name].estimate
    unmatched = folds(np.r_[fold, fold], repeat=np.repeat([0, 1], 60))
    lost = estimate_variances(measured(metric, judged.rows(index), unmatched))
    assert math.isnan(known(lost.get("influence", lost.get("delong")).value))  # type: ignore[union-attr]


def test_by_hand_independent_by_group() -> None:
    parts: FloatArray = np.array([1.0, 3.0, 0.0, 0.0, 6.0])
    group: IntArray = np.array([0, 0, 2, 2, 2])

    # 2 x (1 + 1) + 3/2 x (4 + 4 + 16)
    assert sum_variance(parts, group) == 4 + 36
    assert sum_variance(parts, None) == 5 / 4 * (1 + 1 + 4 + 4 + 16)
    assert math.isnan(sum_variance(parts, np.array([0, 0, 0, 0, 1])))


@pytest.mark.about("metrics/roc_auc")
def test_degenerate_splits_without_a_class() -> None:
    judged = binary([1, 0, 1, 0, 1, 1], [3, 1, 2, 4, 5, 6])
    of = reading(RocAuc(), judged, sources([0, 0, 1, 1, 2, 2]))

    assert np.isnan(of.measured.splits).tolist() == [False, False, True]
    assert of.measured.macro == 0.5
    # one positive in each source: the spread inside a class cannot be seen
    assert "undefined_variance" in codes(of.variances["delong_blocks"].cautions)
    assert of.variances["between_sources"].degrees_of_freedom == 1


@pytest.mark.about("metrics/roc_auc")
def test_degenerate_leave_one_out_is_read_pooled() -> None:
    judged = noisy(8, 30)

    of = reading(RocAuc(n_resamples=100), judged, folds(np.arange(30)))

    assert math.isnan(of.measured.macro)
    assert of.mean is MeanKind.POOLED
    assert interval_of(of, "area_score", "delong").recommended
    assert interval_of(of, "percentile", None).mean is MeanKind.POOLED
    assert set(of.variances) == {"delong"}


@pytest.mark.about("metrics/roc_auc")
def test_degenerate_only_one_source_has_a_value() -> None:
    of = reading(AUC, binary([1, 0, 1, 1], [3, 1, 2, 4]), sources([0, 0, 1, 1]))

    assert "between_sources" not in of.variances
    assert of.main == (None, None)
    # one source without an error excludes next to nothing: (alpha / 2)^1
    assert of.interval is not None
    assert_allclose(ends(of.interval), (0.025, 1.0))


@pytest.mark.about("metrics/roc_auc")
def test_exact_subsamples_sum_the_rows_of_an_instance() -> None:
    rng = np.random.default_rng(1)
    judged = noisy(9, 40)
    tests = [rng.permutation(40)[:20] for _ in range(6)]
    index = np.concatenate(tests)
    layout = build_layout(
        BlockKind.SUBSAMPLES,
        np.repeat(np.arange(6), 20),
        instance=index,
        n_train=20,
    )
    of = reading(RocAuc(n_resamples=100), judged.rows(index), layout)
    parts = of.measured.macro_parts()
    assert parts is not None

    sums = np.bincount(layout.instance if layout.instance is not None else index, weights=parts)
    n = len(sums)
    about = sums - sums.mean()
    assert_allclose(
        known(of.variances["delong_blocks"].value), n / (n - 1) * (about @ about), rtol=1e-12
    )
    assert "ledell" not in of.variances
    assert_allclose(
        known(of.variances["nadeau_bengio"].value), (1 / 6 + 1) * np.var(of.measured.splits, ddof=1)
    )
    assert interval_of(of, "area_score", "delong_blocks").recommended


@pytest.mark.about("metrics/roc_auc")
def test_property_ties_are_worth_a_word_where_they_matter() -> None:
    judged = noisy(3, 60)
    assert judged.scores is not None
    rough, fold = binary(judged.truth, np.round(judged.scores)), np.arange(60) // 2 % 5

    strict = estimate_variances(measured(AUC, rough, folds(fold)))["ledell"]
    half = estimate_variances(
        measured(RocAuc(fold_ties="half", n_resamples=0), rough, folds(fold))
    )["ledell"]

    assert "ties_counted_as_wrong" in codes(strict.cautions)
    assert "ties_counted_as_wrong" not in codes(half.cautions)
    assert known(strict.value) > known(half.value)
    assert "ties_counted_as_wrong" not in codes(
        estimate_variances(measured(AUC, judged, folds(fold)))["ledell"].cautions
    )


@pytest.mark.calibration
@pytest.mark.about("metrics/roc_auc", "metrics/average_precision", "metrics/f1", "metrics/matthews")
def test_calibrated_intervals_of_the_area_cover() -> None:
    """DeLong's interval covers the true area of normal scores about as often as it says."""
    repetitions, n = 1500, 120
    truth = 0.7602499389065233  # Phi(1 / sqrt 2)
    inside = 0
    for seed in range(repetitions):
        interval = interval_of(reading(AUC, noisy(seed, n), holdout(n)), "normal", "delong")
        assert interval.lower is not None
        assert interval.upper is not None
        inside += interval.lower <= truth <= interval.upper

    error = math.sqrt(0.95 * 0.05 / repetitions)
    # the normal approximation itself is worth about a percent at this size
    assert abs(inside / repetitions - 0.95) < 4 * error + 0.01
