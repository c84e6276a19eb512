"""Two normal classes in many dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.naive.two_class_error import best_error, squared_distance
from thetahat.errors import InvalidParameter
from thetahat.generators import DrawSize
from thetahat.generators.two_class_gaussian import TwoClassGaussian


@pytest.mark.outside("Abramowitz and Stegun (1964), Table 26.1: Phi(1) .841345, Phi(.5) .691462")
def test_golden_the_best_error() -> None:
    # the best rule errs with probability Phi(-Delta/2)
    # four features of shift 1: Delta^2 = 4, Phi(-1) = 0.158655
    assert_allclose(best_error(TwoClassGaussian(n_relevant=4)), 0.158655, atol=5e-7)
    # Phi(-0.5) = 0.308538 of one feature, whatever is correlated with nothing of it
    assert_allclose(best_error(TwoClassGaussian(n_relevant=1)), 0.308538, atol=5e-7)


def test_exact_the_best_error_by_the_inverse_of_the_covariance() -> None:
    of = TwoClassGaussian(n_features=7, n_relevant=4, correlation=0.6, block_size=3, shift=1.5)
    covariance = np.eye(7) * 0.4
    for block in (slice(0, 3), slice(3, 6), slice(6, 7)):
        covariance[block, block] += 0.6
    delta = np.array([1.5] * 4 + [0.0] * 3)

    distance = float(delta @ np.linalg.solve(covariance, delta))

    assert_allclose(squared_distance(of), distance, rtol=1e-12)


def test_limit_nothing_to_learn_and_unequal_classes() -> None:
    assert best_error(TwoClassGaussian(n_relevant=0)) == 0.5
    assert best_error(TwoClassGaussian(n_relevant=0, prior=0.2)) == 0.2
    assert best_error(TwoClassGaussian(n_relevant=4, prior=0.2)) < 0.158655


def test_calibrated_the_best_rule_errs_as_it_says() -> None:
    """With unequal classes and correlation: the rule of the known means; z = 5."""
    of = TwoClassGaussian(
        n_features=4, n_relevant=2, shift=1.2, prior=0.3, correlation=0.5, block_size=4
    )
    n = 40_000
    data = of.draw_sources(1, np.random.default_rng(0)).draw(
        DrawSize(n=n), np.random.default_rng(1)
    )
    covariance = np.full((4, 4), 0.5) + 0.5 * np.eye(4)
    direction = np.linalg.solve(covariance, [1.2, 1.2, 0.0, 0.0])
    predicted = data.features.matrix() @ direction + np.log(0.3 / 0.7) > 0
    wrong = (predicted != data.y).mean()

    assert abs(wrong - best_error(of)) < 5 * np.sqrt(wrong * (1 - wrong) / n)


def test_calibrated_features_have_the_covariance_and_the_means() -> None:
    """Moments inside a class, and of the sources' centres; z = 5."""
    of = TwoClassGaussian(n_features=5, n_relevant=2, correlation=0.3, block_size=2)
    n = 20_000
    data = of.draw_sources(1, np.random.default_rng(0)).draw(
        DrawSize(n=n), np.random.default_rng(1)
    )
    x = data.features.matrix()[data.y == 1]

    centred = x - [0.5, 0.5, 0.0, 0.0, 0.0]
    for i, j, wanted in ((0, 0, 1.0), (0, 1, 0.3), (0, 2, 0.0), (2, 3, 0.3), (4, 4, 1.0)):
        products = centred[:, i] * centred[:, j]
        assert abs(products.mean() - wanted) < 5 * products.std() / np.sqrt(len(x))


def test_exact_rows_come_by_source_and_sources_stay() -> None:
    of = TwoClassGaussian(source_spread=3.0)
    sources = of.draw_sources(4, np.random.default_rng(0))
    data = sources.draw(DrawSize(n_sources=4, per_source=5), np.random.default_rng(1))
    again = sources.draw(DrawSize(n_sources=4, per_source=5), np.random.default_rng(1))

    assert data.source is not None
    assert data.source.tolist() == [0] * 5 + [1] * 5 + [2] * 5 + [3] * 5
    assert np.array_equal(data.features.matrix(), again.features.matrix())
    far = data.features.matrix()[5:10].mean(axis=0) - sources.centres[1]
    assert np.abs(far).max() < 5 * np.sqrt((1 + 0.25) / 5)


def test_calibrated_rows_of_a_cluster_share_class_and_part_of_their_features() -> None:
    """Correlations within and across clusters, and a single row's moments; z = 5."""
    of = TwoClassGaussian(
        n_features=3, n_relevant=1, correlation=0.3, block_size=2, cluster_size=2,
        cluster_correlation=0.6,
    )  # fmt: skip
    data = of.draw_sources(1, np.random.default_rng(0)).draw(
        DrawSize(n=40_000), np.random.default_rng(1)
    )
    x = data.features.matrix() - np.outer(data.y - 0.5, [1.0, 0.0, 0.0])
    first, second = x[::2], x[1::2]

    assert data.cluster is not None
    assert data.cluster.tolist() == np.repeat(np.arange(20_000), 2).tolist()
    assert np.array_equal(data.y[::2], data.y[1::2])
    for a, b, wanted in (
        (first[:, 0], first[:, 0], 1.0),
        (first[:, 0], first[:, 1], 0.3),
        (first[:, 0], second[:, 0], 0.6),
        (first[:, 0], second[:, 1], 0.6 * 0.3),
        (first[:, 0], second[:, 2], 0.0),
        (second[:-1, 0], first[1:, 0], 0.0),
    ):
        assert abs((a * b).mean() - wanted) < 5 * (a * b).std() / np.sqrt(len(a))


def test_limit_clusters_of_one_row_or_of_equal_rows() -> None:
    def drawn(**parameters: Any) -> Any:
        sources = TwoClassGaussian(**parameters).draw_sources(1, np.random.default_rng(0))
        return sources.draw(DrawSize(n=6), np.random.default_rng(1))

    alone = drawn(cluster_correlation=0.7)
    assert alone.cluster is None
    assert np.array_equal(alone.features.matrix(), drawn().features.matrix())
    x = drawn(cluster_size=3, cluster_correlation=1.0).features.matrix()
    assert np.array_equal(x, x[[0, 0, 0, 3, 3, 3]])
    assert not np.array_equal(x[0], x[3])


def test_exact_clusters_are_of_one_source_and_can_be_left_out() -> None:
    of = TwoClassGaussian(source_spread=1.0, cluster_size=2)
    sources = of.draw_sources(2, np.random.default_rng(0))
    data = sources.draw(DrawSize(n_sources=2, per_source=5), np.random.default_rng(1))
    mixed = sources.draw(DrawSize(n=7), np.random.default_rng(1))

    assert data.cluster is not None
    assert data.cluster.tolist() == [0, 0, 1, 1, 2, 3, 3, 4, 4, 5]
    assert mixed.cluster is not None
    assert mixed.source is not None
    assert mixed.cluster.tolist() == [0, 0, 1, 1, 2, 2, 3]
    assert np.array_equal(mixed.source[:6:2], mixed.source[1:6:2])
    apart = sources.drop_clusters()
    assert apart.draw(DrawSize(n=7), np.random.default_rng(1)).cluster is None
    assert np.array_equal(apart.centres, sources.centres)


@pytest.mark.parametrize(
    ("parameters", "place"),
    [
        ({"cluster_size": 0}, "cluster_size"),
        ({"cluster_correlation": 1.5}, "cluster_correlation"),
        ({"n_features": 0}, "n_features"),
        ({"n_relevant": 21}, "n_relevant"),
        ({"shift": float("inf")}, "shift"),
        ({"prior": 1.0}, "prior"),
        ({"correlation": 1.0}, "correlation"),
        ({"block_size": 0}, "block_size"),
        ({"source_spread": -1.0}, "source_spread"),
    ],
)
def test_invalid_parameters(parameters: dict[str, Any], place: str) -> None:
    with pytest.raises(InvalidParameter, match=place):
        TwoClassGaussian(**parameters)


@pytest.mark.parametrize(
    ("parameters", "place"),
    [
        ({"n": 0}, "n"),
        ({}, "n"),
        ({"n": 5, "per_source": 5, "n_sources": 2}, "n"),
        ({"per_source": 5}, "n_sources"),
    ],
)
def test_invalid_sizes(parameters: dict[str, int], place: str) -> None:
    with pytest.raises(InvalidParameter) as refused:
        DrawSize(**parameters)

    assert refused.value.loc == (place,)
