"""Linear regression with known moments."""

from __future__ import annotations

import numpy as np
import pytest

from thetahat.errors import InvalidParameter
from thetahat.generators._size import Size
from thetahat.generators.linear_model import LinearModel


@pytest.mark.outside("hand arithmetic: variances of sums of normal features")
def test_golden_variance_of_the_target() -> None:
    # 4 features with correlation .5, all relevant: the line has variance (4 + 12 * .5) / 4 = 2.5;
    # the curve c (x^2 - 1) / sqrt 2 has c^2 = .25 and does not covary with the line; noise 4
    model = LinearModel(
        n_features=4, n_relevant=4, noise=2.0, curvature=0.5, correlation=0.5, degrees_of_freedom=9
    )
    rng = np.random.default_rng(0)
    y = model.settle(1, rng).draw(Size(n=40_000), rng).y
    squares = (y - y.mean()) ** 2
    assert abs(squares.mean() - 6.75) < 4.5 * squares.std() / np.sqrt(len(y))


def test_calibrated_least_squares_finds_the_line() -> None:
    rng = np.random.default_rng(1)
    data = LinearModel(n_features=3, n_relevant=2, noise=0.5).settle(1, rng).draw(Size(n=4000), rng)
    X = np.column_stack([data.features.matrix(), np.ones(data.n)])
    found = np.linalg.lstsq(X, data.y, rcond=None)[0]
    error = 0.5 / np.sqrt(data.n)
    np.testing.assert_allclose(found, [0.5**0.5, 0.5**0.5, 0, 0], atol=4.5 * error)


def test_exact_sources_have_levels_of_their_own() -> None:
    rng = np.random.default_rng(2)
    drawn = LinearModel(source_spread=50.0, noise=0.1).settle(3, rng)
    data = drawn.draw(Size(n_sources=3, per_source=300), rng)
    means = [data.y[np.asarray(data.source) == k].mean() for k in range(3)]
    np.testing.assert_allclose(means, drawn.levels, atol=0.5)
    mixed = drawn.draw(Size(n=30), rng)
    assert mixed.n == 30


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
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
        LinearModel(**{parameter: value})  # type: ignore[arg-type]
    assert refused.value.loc == (parameter,)
