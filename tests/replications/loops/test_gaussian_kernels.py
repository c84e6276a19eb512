from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from thetahat.numerics.loops.compiling import compiled
from thetahat_replications.loops import gaussian_kernels


def loops_of(function: Any, kind: str) -> Any:
    return compiled(function) if kind == "compiled" else function


@pytest.mark.parametrize("kind", ["compiled", "plain"])
def test_exact_squared_distances(kind: str) -> None:
    rng = np.random.default_rng(1)
    rows, others, squares = rng.normal(size=(7, 3)), rng.normal(size=(23, 3)), np.empty((7, 23))

    loops_of(gaussian_kernels.fill_squares, kind)(rows, others, squares)

    assert_allclose(squares, ((rows[:, None] - others) ** 2).sum(axis=-1), rtol=1e-13)


@pytest.mark.outside("Python's decimal, with 28 digits, run here")
@pytest.mark.parametrize("kind", ["compiled", "plain"])
def test_against_decimal_powers_of_e(kind: str) -> None:
    powers = np.array([[0.0, 1.0], [0.5, 10.0], [100.0, 700.0]])
    expected = [float(Decimal(-power).exp()) for power in powers.ravel().tolist()]

    loops_of(gaussian_kernels.exponentiate, kind)(powers, -1.0)

    assert_allclose(powers.ravel(), expected, rtol=5e-16)


@pytest.mark.parametrize("kind", ["compiled", "plain"])
def test_against_numpy_exponentials(kind: str) -> None:
    rng = np.random.default_rng(2)
    size = (40, 250) if kind == "compiled" else (3, 250)  # more than one chunk
    squares = np.concatenate([rng.uniform(0, 1400, size), rng.exponential(1, size)])
    expected = np.where(squares < 1416, np.exp(-0.5 * squares), 0)

    loops_of(gaussian_kernels.exponentiate, kind)(squares, -0.5)

    assert_allclose(squares, expected, rtol=4.5e-16)  # two units in the last place


def test_exact_compiled_as_plain() -> None:
    squares = np.random.default_rng(3).exponential(50, (4, 200))
    other = squares.copy()

    gaussian_kernels.exponentiate(squares, -0.7)
    compiled(gaussian_kernels.exponentiate)(other, -0.7)

    assert_allclose(squares, other, rtol=3e-16)


@pytest.mark.parametrize("kind", ["compiled", "plain"])
def test_limit_at_the_end_of_the_range(kind: str) -> None:
    powers = np.array([[707.9, 708.0, 745.0, 1e300, 0.0, 1e-300]])

    loops_of(gaussian_kernels.exponentiate, kind)(powers, -1.0)

    assert powers[0, 0] > 0
    assert_array_equal(powers[0, 1:], [0, 0, 0, 1, 1])
