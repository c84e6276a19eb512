from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.statistics.replicating import bootstrap_rows, check_by_hand, drawn, sample
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.statistics.auc import Auc


def by_pairs(x: np.ndarray, y: np.ndarray) -> float:
    above = x[y == 1][:, None] - x[y == 0][None, :]
    if not above.size:
        return float("nan")
    return float(((above > 0) + 0.5 * (above == 0)).mean())


@pytest.mark.outside("scikit-learn's documented example of roc_auc_score: 0.75")
def test_golden_documented_example() -> None:
    replicates = bootstrap_rows(Auc(), sample([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]), [[0, 0, 2, 3]])

    assert replicates.estimate == 0.75
    assert replicates.values[0] == 1


@pytest.mark.parametrize("digits", [0, 5])
def test_naive_by_pairs_of_the_resamples(digits: int) -> None:
    rng = np.random.default_rng(1)
    y = np.repeat([0.0, 1.0], [24, 16])

    check_by_hand(Auc(), sample((rng.normal(0, 1, 40) + y).round(digits), y), by_pairs)


def test_naive_the_compiled_loop() -> None:
    rng = np.random.default_rng(2)
    y = (rng.random(2100) < 0.3).astype(float)
    data = sample((rng.normal(0, 1, 2100) + y).round(2), y)

    replicates = drawn(Auc(), data, 2000)
    from_start = drawn(Auc(), data, 30)

    assert_allclose(replicates.values[:30], from_start.values, rtol=1e-12)


@pytest.mark.about("statistics/auc")
def test_exact_the_jackknife_s_error_is_near_delong_s() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(0, 1, 400), np.repeat([0.0, 1.0], 200)
    x = x + y
    replicates = drawn(Auc(), sample(x, y), errors=True)

    above = x[200:, None] > x[None, :200]
    delong = above.mean(axis=1).var(ddof=1) / 200 + above.mean(axis=0).var(ddof=1) / 200
    assert replicates.sample_standard_error is not None
    assert_allclose(replicates.sample_standard_error**2, delong, rtol=0.01)


def test_exact_draws_without_a_class_are_drawn_again_and_counted() -> None:
    data = sample([1, 2, 3, 4, 5], [0, 0, 1, 0, 0])
    replicates = drawn(Auc(), data, 4000)

    assert np.isfinite(replicates.values).all()
    p = 0.8**5 + 0.2**5
    assert abs(replicates.n_drawn_again - 4000 * p / (1 - p)) < 5 * (4000 * p) ** 0.5 / (1 - p)
    assert_array_equal(replicates.values[:70], drawn(Auc(), data, 70).values)
    assert replicates.acceleration is None


def test_degenerate_separated_classes() -> None:
    replicates = drawn(Auc(), sample(np.arange(12), np.arange(12) > 5), 300)

    assert replicates.is_constant
    assert replicates.variance == 0


def test_invalid_labels() -> None:
    with pytest.raises(InvalidParameter, match="Label 1 is 2, and labels") as caught:
        drawn(Auc(), sample([1, 2, 3], [0, 2, 1]))
    assert caught.value.loc == ("y", 1)
    with pytest.raises(InsufficientData, match="needs both labels, and all are 1"):
        drawn(Auc(), sample([1, 2, 3], [1, 1, 1]))
    with pytest.raises(InvalidParameter, match="Resample 0 has no value: a class is missing"):
        bootstrap_rows(Auc(), sample([1, 2, 3], [0, 0, 1]), [[0, 0, 1]])
