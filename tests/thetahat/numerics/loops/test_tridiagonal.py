"""The loop over a tridiagonal matrix beside plain solutions of the equations."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.numerics.loops.compiling import compiled
from thetahat.numerics.loops.tridiagonal import solve_shifted, solved_by_kernel
from thetahat.values.types import FloatArray

ADDED = np.array([0.0, 1e-3, 1.0, 1e6])


def case(p: int) -> tuple[FloatArray, tuple[FloatArray, FloatArray, FloatArray]]:
    rng = np.random.default_rng(20_270_301 + p)
    beside, rhs = rng.normal(size=p - 1), rng.normal(size=p)
    diagonal = 0.1 + np.abs(np.append(beside, 0)) + np.abs(np.append(0, beside))
    matrix = np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)
    return matrix, (diagonal, beside, rhs)


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize("p", [1, 2, 7, 40])
def test_naive_each_number_added_is_solved_for(p: int, *, is_compiled: bool) -> None:
    matrix, right_side = case(p)
    out, ratios = np.empty((2, p, 4))
    solve = compiled(solve_shifted) if is_compiled else solve_shifted

    assert solve(*right_side, ADDED, 0.0, out, ratios)

    for at, added in enumerate(ADDED):
        wanted = np.linalg.solve(matrix + added * np.eye(p), right_side[-1])
        assert_allclose(out[:, at], wanted, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("p", [1, 2, 7, 40])
def test_exact_it_is_known_which_eigenvalues_are_above(p: int) -> None:
    matrix, added = case(p)
    least = float(np.linalg.eigvalsh(matrix)[0])

    assert solved_by_kernel(*added, ADDED, least * (1 - 1e-9)) is not None
    for below in (least * (1 + 1e-9), float(np.diag(matrix)[0]), np.inf, np.nan):
        assert solved_by_kernel(*added, ADDED, below) is None
