"""Linear regression with known moments."""

from __future__ import annotations

import numpy as np
import pytest

from thetahat.errors import InvalidParameter
from thetahat.generators._size import DrawSize
from thetahat.generators.linear_model import LinearModelGenerator


# By hand: variances of sums of normal features.
def test_by_hand_variance_of_the_target() -> None:
    # 4 features with correlation .5, all relevant: the line has variance (4 + 12 * .5) / 4 = 2.5;
    # the curve c (x^2 - 1) / sqrt 2 has c^2 = .25 and does not covary with the line; noise 4
    model = LinearModelGenerator(
        n_features=4, n_relevant=4, noise=2.0, curvature=0.5, correlation=0.5, degrees_of_freedom=9
    )
    rng = np.random.default_rng(0)
    y = model.draw_sources(1, rng).draw(DrawSize(n=40_000), rng).y
    squares = (y - y.mean()) ** 2
    assert abs(squares.mean() - 6.75) < 4.5 * squares.std() / np.sqrt(len(y))


def test_calibrated_least_squares_finds_the_line() -> None:
    rng = np.random.default_rng(1)
    data = (
        LinearModelGenerator(n_features=3, n_relevant=2, noise=0.5)
        .draw_sources(1, rng)
        .draw(DrawSize(n=4000), rng)
    )
    X = np.column_stack([data.features.matrix(), np.ones(data.n)])
    coefficients = np.linalg.lstsq(X, data.y, rcond=None)[0]
    error = 0.5 / np.sqrt(data.n)
    np.testing.assert_allclose(coefficients, [0.5**0.5, 0.5**0.5, 0, 0], atol=4.5 * error)


@pytest.mark.outside(
    "scipy.stats: distribution functions of chi2, Student's t and the normal, run here"
)
def test_against_scipy_distributions_of_features_and_errors() -> None:
    from scipy import stats

    model = LinearModelGenerator(
        n_features=4, n_relevant=2, noise=2.0, correlation=0.5, degrees_of_freedom=5
    )
    data = model.draw_sources(1, np.random.default_rng(0)).draw(
        DrawSize(n=50_000), np.random.default_rng(4)
    )
    X = data.features.matrix()
    covariance = 0.5 * np.eye(4) + 0.5
    distances = np.einsum("ij,jk,ik->i", X, np.linalg.inv(covariance), X)
    errors = (data.y - model.compute_signal(X)) / 2.0

    # correct code fails a test of Kolmogorov and Smirnov for 1 seed in 16 000
    assert stats.kstest(distances, stats.chi2(4).cdf).pvalue > 6e-5
    assert stats.kstest(errors, stats.t(5, scale=(3 / 5) ** 0.5).cdf).pvalue > 6e-5
    assert stats.kstest(X.sum(axis=1), stats.norm(scale=10**0.5).cdf).pvalue > 6e-5


def test_exact_sources_have_levels_of_their_own() -> None:
    rng = np.random.default_rng(2)
    drawn = LinearModelGenerator(source_spread=50.0, noise=0.1).draw_sources(3, rng)
    data = drawn.draw(DrawSize(n_sources=3, per_source=300), rng)
    means = [data.y[np.asarray(data.source) == k].mean() for k in range(3)]
    np.testing.assert_allclose(means, drawn.levels, atol=0.5)
    mixed = drawn.draw(DrawSize(n=30), rng)
    assert mixed.n == 30


def test_calibrated_squared_errors_are_correlated_within_clusters() -> None:
    # r = .8: E[e1 e2] = .8 s^2 and, by Isserlis' theorem, E[e1^2 e2^2] = (1 + 2 * .64) s^4;
    # s = 2. Five standard errors: 1 seed in 1.7 million each
    model = LinearModelGenerator(noise=2.0, cluster_size=2, cluster_correlation=0.8)
    data = model.draw_sources(1, np.random.default_rng(0)).draw(
        DrawSize(n=40_000), np.random.default_rng(1)
    )
    errors = data.y - model.compute_signal(data.features.matrix())
    first, second = errors[::2], errors[1::2]
    products = first * second
    for values, wanted in (
        (first**2, 4.0),
        (products, 3.2),
        (products**2, 2.28 * 16),
        (second[:-1] * first[1:], 0.0),
    ):
        assert abs(values.mean() - wanted) < 5 * values.std() / np.sqrt(len(values))


def test_exact_clusters_are_of_one_source_and_can_be_left_out() -> None:
    of = LinearModelGenerator(source_spread=1.0, cluster_size=2)
    sources = of.draw_sources(2, np.random.default_rng(0))
    data = sources.draw(DrawSize(n_sources=2, per_source=3), np.random.default_rng(1))
    mixed = sources.draw(DrawSize(n=4), np.random.default_rng(1))

    assert data.cluster is not None
    assert data.cluster.tolist() == [0, 0, 1, 2, 2, 3]
    assert mixed.source is not None
    assert np.array_equal(mixed.source[::2], mixed.source[1::2])
    alone = sources.drop_clusters().draw(DrawSize(n=4), np.random.default_rng(1))
    same = LinearModelGenerator(source_spread=1.0, cluster_correlation=0.5)
    again = same.draw_sources(2, np.random.default_rng(0)).draw(
        DrawSize(n=4), np.random.default_rng(1)
    )
    assert alone.cluster is None
    assert np.array_equal(alone.y, again.y)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("cluster_size", 0),
        ("cluster_correlation", -0.5),
        ("n_features", 0),
        ("n_relevant", 11),
        ("noise", 0.0),
        ("curvature", float("inf")),
        ("correlation", 1.0),
        ("degrees_of_freedom", 2.0),
        ("source_spread", -1.0),
    ],
)
def test_invalid_parameters_are_named(parameter: str, value: float) -> None:
    with pytest.raises(InvalidParameter, match=parameter) as refused:
        LinearModelGenerator(**{parameter: value})  # type: ignore[arg-type]
    assert refused.value.loc == (parameter,)
