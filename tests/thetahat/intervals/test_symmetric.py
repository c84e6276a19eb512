"""normal, student_t and prediction."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.intervals.builders import (
    GREATER,
    LESS,
    TWO,
    codes,
    ends,
    holdout_of,
    some_variance,
    sources_of,
)
from thetahat.errors import InvalidParameter
from thetahat.intervals.normal import Normal
from thetahat.intervals.prediction import Prediction
from thetahat.intervals.student_t import StudentT
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout, build_score_layout
from thetahat.values.types import BlockKind, FloatArray, MeanKind, Target
from thetahat.variances import VARIANCES

IID = VARIANCES["iid"].info
NADEAU_BENGIO = VARIANCES["nadeau_bengio"].info
THETA_3 = VARIANCES["theta_3"].info
THETA_GAMMA = VARIANCES["theta_gamma"].info
ANY = holdout_of([1.0, 2.0])

# mlr-org/mlr3inferr, .ci of MeasureCiHoldout, MeasureCiWaldCV and MeasureCiCorT, R 4.2.2
LOSSES = [0.3, 1.2, 0.1, 0.7, 0.9, 0.2, 1.5, 0.4, 0.6, 0.8, 1.1, 0.05]
FOLDS = [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]
SCORES = [0.21, 0.18, 0.25, 0.19, 0.22, 0.3, 0.17, 0.24, 0.2, 0.26]


@pytest.mark.about("intervals/normal")
@pytest.mark.outside(
    "mlr-org/mlr3inferr, .ci of MeasureCiHoldout and MeasureCiWaldCV run in R 4.2.2 "
    "(vector mlr3inferr_wald_holdout)"
)
@pytest.mark.parametrize(
    ("variance", "kind", "block", "lower", "upper"),
    [
        ("iid", BlockKind.HOLDOUT, [0] * 12, 0.391692231344828, 0.916641101988505),
        ("bayle_all_pairs", BlockKind.RANDOM, FOLDS, 0.402866527196501, 0.905466806136832),
        ("bayle_within", BlockKind.RANDOM, FOLDS, 0.356228681114074, 0.952104652219259),
    ],
)
def test_golden_mlr3inferr_wald(
    variance: str, kind: BlockKind, block: list[int], lower: float, upper: float
) -> None:
    losses = BlockLosses(build_layout(kind, block), values=np.array(LOSSES))

    interval = Normal().build(
        losses, VARIANCES[variance].info, VARIANCES[variance]().estimate(losses), 0.95, TWO
    )

    assert_allclose(ends(interval), (lower, upper), rtol=1e-12)
    assert interval is not None
    assert_allclose(interval.estimate, 0.654166666666667, rtol=1e-12)
    assert interval.target is Target.THESE_MODELS
    assert interval.mean is MeanKind.POOLED
    assert interval.degrees_of_freedom is None


@pytest.mark.about("intervals/student_t")
@pytest.mark.outside(
    "mlr-org/mlr3inferr, .ci of MeasureCiCorT run in R 4.2.2 (vector mlr3inferr_cor_t)"
)
def test_golden_mlr3inferr_corrected_t() -> None:
    layout = build_score_layout(BlockKind.RANDOM, np.full(10, 90.0), np.full(10, 10.0), 1, 10)
    losses = BlockLosses(layout, scores=np.array(SCORES))
    variance = VARIANCES["nadeau_bengio"]().estimate(losses)

    interval = StudentT().build(losses, NADEAU_BENGIO, variance, 0.95, TWO)

    assert_allclose(ends(interval), (0.179907933881675, 0.264092066118325), rtol=1e-12)
    assert interval is not None
    assert interval.degrees_of_freedom == 9
    assert interval.variance == "nadeau_bengio"


@pytest.mark.about("intervals/student_t")
@pytest.mark.outside(
    "statsmodels/stats/tests/test_tost.py, from R's equivalence::tost (vector tost_paired_var1)"
)
def test_golden_equivalence_interval_of_fifteen_pairs() -> None:
    x = [2.84, 2.51, 2.41, 2.95, 3.14, 3.79, 4.14, 3.85, 3.02, 3.45, 5.37, 3.81, 4.19, 3.16, 3.84]
    y = [2.6, 2.82, 2.18, 3.46, 4.01, 3.04, 3.47, 4.06, 2.91, 3.59, 4.51, 3.16, 3.86, 3.31, 3.02]
    losses = holdout_of((np.array(x) - np.array(y)).tolist())

    interval = StudentT().build(losses, IID, VARIANCES["iid"]().estimate(losses), 0.9, TWO)

    assert interval is not None
    assert_allclose(ends(interval), (-0.0744336620516462, 0.4037669953849797), rtol=1e-9)
    assert_allclose(interval.estimate, 0.1646666666666667, rtol=1e-12)
    assert interval.standard_error == pytest.approx(0.1357514067862445, rel=1e-12)
    assert interval.degrees_of_freedom == 14


@pytest.mark.about("intervals/student_t")
# By hand: t on one degree has quantile tan(pi (p - 1/2)).
def test_by_hand_student_t_on_one_degree() -> None:
    # t_1 has quantile tan(pi (p - 1/2)): 1 at .75
    variance = some_variance(4.0, degrees=1)

    two = StudentT().build(ANY, THETA_3, variance, 0.5, TWO)
    less = StudentT().build(ANY, THETA_3, variance, 0.75, LESS)
    greater = StudentT().build(ANY, THETA_3, variance, 0.75, GREATER)

    assert_allclose(ends(two), (8, 12), rtol=1e-12)
    assert less is not None
    assert greater is not None
    assert less.lower is None
    assert less.upper == pytest.approx(12, rel=1e-12)
    assert greater.lower == pytest.approx(8, rel=1e-12)
    assert greater.upper is None
    assert less.standard_error == 2
    assert codes(less) == ["of_the_variance"]


@pytest.mark.about("intervals/prediction")
def test_by_hand_prediction() -> None:
    # means 1, 3: macro 2, B = 2, K = 2: 2 +- t_1 sqrt(2 * 3/2); t_1 at level .5 is 1
    losses = sources_of([0, 2], [3, 3])
    variance = VARIANCES["theta_gamma"]().estimate(losses)

    interval = Prediction().build(losses, THETA_GAMMA, variance, 0.5, TWO)

    assert_allclose(ends(interval), (2 - math.sqrt(3), 2 + math.sqrt(3)), rtol=1e-12)
    assert interval is not None
    assert interval.standard_error == pytest.approx(math.sqrt(3), rel=1e-14)
    assert interval.target is Target.NEW_SOURCE
    assert interval.degrees_of_freedom == 1
    assert "prediction_of_one_source" in codes(interval)


@pytest.mark.about("intervals/prediction")
def test_exact_prediction_is_wider_by_root_of_k_plus_one() -> None:
    losses = sources_of([0, 2], [3, 3], [5, 6], [1, 1])
    variance = VARIANCES["theta_gamma"]().estimate(losses)

    mean = ends(StudentT().build(losses, THETA_GAMMA, variance, 0.9, TWO))
    new = ends(Prediction().build(losses, THETA_GAMMA, variance, 0.9, TWO))

    assert_allclose((new[1] - new[0]) / (mean[1] - mean[0]), math.sqrt(5), rtol=1e-12)


@pytest.mark.parametrize(("degrees", "cautioned"), [(29.0, True), (30.0, False), (None, False)])
def test_exact_normal_says_when_degrees_are_few(degrees: float | None, cautioned: bool) -> None:  # noqa: FBT001 - a table's column
    interval = Normal().build(ANY, THETA_3, some_variance(degrees=degrees), 0.95, TWO)

    assert ("normal_with_few_degrees_of_freedom" in codes(interval)) == cautioned
    assert_allclose(ends(interval), (10 - 2 * 1.959963984540054, 10 + 2 * 1.959963984540054))


@pytest.mark.about("intervals/student_t", "intervals/normal")
def test_limit_student_t_meets_normal() -> None:
    variance = some_variance(degrees=1e9)

    t = ends(StudentT().build(ANY, IID, variance, 0.95, TWO))
    z = ends(Normal().build(ANY, IID, variance, 0.95, TWO))

    assert_allclose(t, z, rtol=1e-8)  # t - z is of order 1/degrees


@pytest.mark.parametrize(
    ("value", "usable"),
    [(0.0, True), (-1.0, True), (4.0, False), (np.ones(3), True), (math.inf, True)],
)
def test_degenerate_variances_carry_no_interval(value: float | FloatArray, *, usable: bool) -> None:
    losses, variance = sources_of([1.0], [2.0]), some_variance(value, usable=usable)

    assert Normal().build(losses, THETA_GAMMA, variance, 0.95, TWO) is None
    assert StudentT().build(losses, THETA_GAMMA, variance, 0.95, TWO) is None
    assert Prediction().build(losses, THETA_GAMMA, variance, 0.95, TWO) is None


def test_degenerate_ends_beyond_the_largest_number() -> None:
    losses = sources_of([1.0], [2.0])
    overflown = some_variance(estimate=math.inf)

    assert Normal().build(losses, THETA_GAMMA, overflown, 0.95, TWO) is None
    assert StudentT().build(losses, THETA_GAMMA, overflown, 0.95, TWO) is None
    assert Prediction().build(losses, THETA_GAMMA, overflown, 0.95, TWO) is None


def test_degenerate_variances_without_degrees() -> None:
    sources = sources_of([1], [2])

    assert StudentT().build(ANY, IID, some_variance(degrees=None), 0.95, TWO) is None
    assert StudentT().build(ANY, IID, some_variance(degrees=0.0), 0.95, TWO) is None
    assert Prediction().build(sources, THETA_GAMMA, some_variance(degrees=None), 0.9, TWO) is None


def test_limit_prediction_is_built_on_theta_gamma_of_sources_alone() -> None:
    sources, variance = sources_of([1, 2], [3, 4]), some_variance(target=Target.NEW_SOURCE)

    assert Prediction().build(sources, THETA_GAMMA, variance, 0.9, TWO) is not None
    assert Prediction().build(sources, NADEAU_BENGIO, variance, 0.9, TWO) is None
    assert Prediction().build(ANY, THETA_GAMMA, variance, 0.9, TWO) is None
    assert Prediction().inapplicable(sources.layout) is None
    assert "holdout blocks" in str(Prediction().inapplicable(ANY.layout))


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, 1.5, math.nan])
def test_invalid_level(level: float) -> None:
    with pytest.raises(InvalidParameter, match="level must be above 0 and at most"):
        Normal().build(ANY, IID, some_variance(), level, TWO)


@pytest.mark.about("intervals/student_t", "intervals/prediction")
def test_calibrated_coverage_over_sources() -> None:
    """t for the expected error and prediction for one more source, both exact under normality."""
    rng, reps, k = np.random.default_rng(91), 4000, 5
    means = rng.standard_normal((reps, k + 1))
    layout = build_layout(BlockKind.SOURCE, np.arange(k))
    method, mean_hits, new_hits, one_sided = VARIANCES["theta_gamma"](), 0, 0, 0
    for row in means:
        losses = BlockLosses(layout, values=row[:k].copy())
        variance = method.estimate(losses)
        lower, upper = ends(StudentT().build(losses, THETA_GAMMA, variance, 0.8, TWO))
        mean_hits += lower < 0 < upper
        lower, upper = ends(Prediction().build(losses, THETA_GAMMA, variance, 0.8, TWO))
        new_hits += lower < row[k] < upper
        bound = StudentT().build(losses, THETA_GAMMA, variance, 0.8, LESS)
        assert bound is not None
        assert bound.upper is not None
        one_sided += bound.upper > 0

    error = math.sqrt(0.8 * 0.2 / reps)  # a correct interval fails for 1 seed in 1.7 million
    assert abs(mean_hits / reps - 0.8) < 5 * error
    assert abs(new_hits / reps - 0.8) < 5 * error
    assert abs(one_sided / reps - 0.8) < 5 * error
