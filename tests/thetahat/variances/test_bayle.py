from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtri

from tests.thetahat.naive.loss_matrices import FIVE_BY_NINE, RAGGED, losses_of, repeats_of
from thetahat.values.types import MeanKind, Target
from thetahat.variances import VARIANCES
from thetahat.variances.bayle_all_pairs import BayleAllPairs
from thetahat.variances.bayle_within import BayleWithin

# mlr-org/mlr3inferr R/MeasureCiWaldCV.R, executed in R 4.2.2
LOSSES = [[0.3, 1.2, 0.1], [0.7, 0.9, 0.2], [1.5, 0.4, 0.6], [0.8, 1.1, 0.05]]


@pytest.mark.about("variances/bayle_all_pairs", "variances/bayle_within")
@pytest.mark.outside(
    "mlr-org/mlr3inferr R/MeasureCiWaldCV.R run in R 4.2.2 (vector mlr3inferr_wald_holdout)"
)
@pytest.mark.parametrize(
    ("name", "lower", "upper"),
    [
        ("bayle_all_pairs", 0.402866527196501, 0.905466806136832),
        ("bayle_within", 0.356228681114074, 0.952104652219259),
    ],
)
def test_golden_mlr3inferr(name: str, lower: float, upper: float) -> None:
    estimate = VARIANCES[name]().estimate(losses_of(LOSSES))
    half = ndtri(0.975) * np.sqrt(estimate.value)

    assert_allclose(estimate.estimate, 0.654166666666667, rtol=1e-12)
    assert_allclose(estimate.estimate - half, lower, rtol=1e-12)
    assert_allclose(estimate.estimate + half, upper, rtol=1e-12)


@pytest.mark.about("variances/bayle_all_pairs", "variances/bayle_within")
def test_by_hand_values() -> None:
    # 45 zero-one losses with mean 1/3: sum (e - 1/3)^2 = 10, over 45^2; average V = 1/5, over 45
    assert_allclose(BayleAllPairs().estimate(losses_of(FIVE_BY_NINE)).value, 2 / 405, rtol=1e-13)
    assert_allclose(BayleWithin().estimate(losses_of(FIVE_BY_NINE)).value, 1 / 225, rtol=1e-13)
    # sum e^2 = 241, sum e = 41, N = 9: (241 - 41^2/9) / 81; average V = (2 + 3 + 2/3)/3
    assert_allclose(BayleAllPairs().estimate(losses_of(RAGGED)).value, 488 / 729, rtol=1e-13)
    assert_allclose(BayleWithin().estimate(losses_of(RAGGED)).value, 17 / 81, rtol=1e-13)


@pytest.mark.parametrize("name", ["bayle_within", "bayle_all_pairs"])
def test_exact_its_target_and_mean(name: str) -> None:
    estimate = VARIANCES[name]().estimate(losses_of(RAGGED))

    assert_allclose(estimate.estimate, 41 / 9, rtol=1e-15)
    assert (estimate.target, estimate.mean) == (Target.THESE_MODELS, MeanKind.POOLED)
    assert estimate.degrees_of_freedom is None
    assert [c.code for c in estimate.cautions] == ["ignores_training_variance"]


@pytest.mark.about("variances/bayle_all_pairs")
def test_exact_all_pairs_averages_over_repeats() -> None:
    first, second = [[1.0, 2.0], [4.0, 6.0]], [[3.0, 5.0], [0.0, 7.0]]
    estimate = BayleAllPairs().estimate(repeats_of([first, second]))

    of_repeats = [np.var(np.ravel(rows)) / 4 for rows in (first, second)]
    assert_allclose(estimate.value, np.mean(of_repeats), rtol=1e-14)
    assert "variance_of_one_repeat" in {c.code for c in estimate.cautions}
    named = repeats_of([first, second], instance=[0, 1, 2, 3, 0, 3, 1, 2])
    assert BayleAllPairs().estimate(named).value == estimate.value


def test_limit_equal_repeats_are_no_new_instances() -> None:
    losses = repeats_of([RAGGED, RAGGED], instance=[*range(9), *range(9)])

    assert_allclose(BayleAllPairs().estimate(losses).value, 488 / 729, rtol=1e-13)
    assert_allclose(BayleWithin().estimate(losses).value, 17 / 81, rtol=1e-13)


@pytest.mark.about("variances/bayle_within")
def test_exact_within_averages_over_repeats() -> None:
    other = [[5.0, 5.0], [5.0, 5.0, 5.0], [5.0] * 4]
    estimate = BayleWithin().estimate(repeats_of([RAGGED, other]))

    assert_allclose(estimate.value, 17 / 162, rtol=1e-13)
    assert "variance_of_one_repeat" in {c.code for c in estimate.cautions}


@pytest.mark.about("variances/bayle_within", "variances/bayle_all_pairs")
@pytest.mark.calibration
@pytest.mark.parametrize("name", ["bayle_within", "bayle_all_pairs"])
def test_calibrated_for_independent_losses(name: str) -> None:
    rng = np.random.default_rng(414)
    repetitions, k, m = 3000, 5, 4
    draws = rng.exponential(size=(repetitions, k, m))
    method = VARIANCES[name]()

    values = np.array([method.estimate(losses_of(x)).value for x in draws.tolist()])

    n = k * m
    truth = 1 / n if name == "bayle_within" else (n - 1) / n**2
    assert abs(values.mean() - truth) < 4 * values.std(ddof=1) / np.sqrt(repetitions)
