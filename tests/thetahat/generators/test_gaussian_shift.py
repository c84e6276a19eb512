from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.generators._size import DrawSize
from thetahat.generators.gaussian_shift import GaussianShift, ShiftedSamples
from thetahat_replications.importance.example_setting import ExampleSetting


def draw_samples(setting: GaussianShift, seed: int, n: int, m: int) -> ShiftedSamples:
    """Return one data set, without the leading axis."""
    many = setting.draw_many(np.random.default_rng(seed), 1, n, m)
    return ShiftedSamples(many.source[0], many.labels[0], many.target[0], many.target_labels[0])


@pytest.mark.outside("our specification: P(w > 10) at g = 0.7 is .247 (target) and .008 (source)")
def test_golden_share_of_large_weights() -> None:
    setting = GaussianShift(scale=0.7)
    drawn = draw_samples(setting, 1, 200_000, 200_000)
    for rows, share in ((drawn.target, 0.247), (drawn.source, 0.008)):
        observed_share = (setting.weights(rows) > 10).mean()
        # five standard errors and the rounding of the printed share: 1 in 1.7 million
        assert abs(observed_share - share) < 5 * math.sqrt(share * (1 - share) / 200_000) + 0.0005


@pytest.mark.outside("scipy.stats.norm.pdf, ratio of the densities as they are written")
@pytest.mark.parametrize(("p", "scale", "shift"), [(1, 0.6, -1), (2, 0.9, -1), (3, 1.4, 0.5)])
def test_against_scipy_density_ratio(p: int, scale: float, shift: float) -> None:
    x = np.random.default_rng(2).normal(size=(20, p))
    source = stats.norm.pdf(x - shift * np.eye(p)[0], scale=scale).prod(axis=1)
    expected = stats.norm.pdf(x).prod(axis=1) / source

    weights = GaussianShift(n_features=p, scale=scale, shift=shift).weights(x)

    assert_allclose(weights, expected, rtol=1e-12)


@pytest.mark.parametrize("scale", [0.75, 0.9, 1.3])
def test_exact_closed_forms_agree_with_the_example_setting(scale: float) -> None:
    example = ExampleSetting(scale)
    for p in (1, 2):
        variance = GaussianShift(n_features=p, scale=scale).weight_variance()
        assert_allclose(variance, example.weight_variance(p), rtol=1e-13)


@pytest.mark.parametrize("scale", [0.1, math.sqrt(0.5)])
def test_limit_infinite_variance(scale: float) -> None:
    assert GaussianShift(scale=scale).weight_variance() == math.inf


@pytest.mark.parametrize("p", [1, 2, 3])
def test_calibrated_moments_and_weights(p: int) -> None:
    """Means over 400 000 rows within five standard errors: 1 in 1.7 million each."""
    setting = GaussianShift(n_features=p, scale=0.95, shift=-0.6)
    drawn = draw_samples(setting, 3, 400_000, 400_000)

    def near(values: np.ndarray, expected: float) -> bool:
        return bool(abs(values.mean() - expected) < 5 * values.std() / math.sqrt(len(values)))

    for j in range(p):
        assert near(drawn.source[:, j], -0.6 if j == 0 else 0)
        assert near((drawn.source[:, j] - (-0.6 if j == 0 else 0)) ** 2, 0.9025)
        assert near(drawn.target[:, j] ** 2, 1)
    weights = setting.weights(drawn.source)
    assert near(weights, 1)
    assert near((weights - 1) ** 2, setting.weight_variance())


@pytest.mark.parametrize("p", [1, 2, 4])
def test_calibrated_labels_follow_the_rule(p: int) -> None:
    drawn = draw_samples(GaussianShift(n_features=p), 4, 200_000, 1)
    x, positive = drawn.source, drawn.labels > 0
    share = stats.norm.cdf(x[:, 0] if p == 1 else -x)
    expected = share if p == 1 else share.prod(axis=1)

    assert_array_equal(np.unique(drawn.labels), [-1, 1])
    for part in np.array_split(np.argsort(expected), 10):
        spread = math.sqrt((expected[part] * (1 - expected[part])).sum())
        # five standard errors, ten parts: 1 in 170 000
        assert abs(positive[part].sum() - expected[part].sum()) < 5 * spread


def test_exact_one_draw_is_a_batch_of_one() -> None:
    setting = GaussianShift(n_features=2, scale=0.7)
    pair = setting.draw(DrawSize(n=6, n_target=9), np.random.default_rng(1))
    drawn = draw_samples(setting, 1, 6, 9)

    assert pair.source.features.names == ("x1", "x2")
    assert_array_equal(pair.source.features.complete_matrix(), drawn.source)
    assert_array_equal(pair.target.features.complete_matrix(), drawn.target)
    assert_array_equal(np.array(pair.source.classes)[pair.source.y], drawn.labels)
    assert_array_equal(np.array(pair.target.classes)[pair.target.y], drawn.target_labels)
    assert pair.weights is not None
    assert_array_equal(pair.weights, setting.weights(drawn.source))
    assert setting.draw(DrawSize(n=6), np.random.default_rng(1)).target.n == 6


def test_degenerate_no_shift_at_all() -> None:
    setting = GaussianShift(n_features=2, shift=0.0)

    assert_allclose(setting.weights(np.random.default_rng(5).normal(size=(9, 2))), 1, rtol=1e-14)
    assert setting.weight_variance() == 0


def test_invalid_parameters() -> None:
    with pytest.raises(InvalidParameter, match="n_features must be from 1 to 20000"):
        GaussianShift(n_features=0)
    with pytest.raises(InvalidParameter, match="scale must be a finite number above 0"):
        GaussianShift(scale=0)
    with pytest.raises(InvalidParameter, match="shift must be finite"):
        GaussianShift(shift=math.inf)
    with pytest.raises(InvalidParameter, match="rows of this generator come from one source"):
        GaussianShift().draw(DrawSize(per_source=3, n_sources=2), np.random.default_rng(1))
    with pytest.raises(InsufficientData, match="needs at least two rows, and n is 1"):
        GaussianShift().draw(DrawSize(n=1), np.random.default_rng(1))
