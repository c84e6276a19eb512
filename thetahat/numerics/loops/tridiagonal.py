"""Compiled loop that solves tridiagonal equations for many shifts of the diagonal.

The function is plain Python over numpy arrays, whole in itself, as
``thetahat.numerics.loops.compiling``
takes it.
"""

from __future__ import annotations

import numpy as np

from thetahat.numerics.loops.compiling import compiled
from thetahat.values.types import FloatArray


def solved_by_kernel(
    diagonal: FloatArray, beside: FloatArray, rhs: FloatArray, added: FloatArray, below: float
) -> FloatArray | None:
    """Return the solution of the equations for each shift of the diagonal.

    Parameters
    ----------
    diagonal, beside, rhs : ndarray
        (p,) and (p - 1,) of the matrix, and (p,) right-hand side.
    added : ndarray
        (L,) all above ``-below``, or nearly.
    below : float
        Lower bound that the smallest eigenvalue must exceed.

    Returns
    -------
    ndarray or None
        (p, L); None if the smallest eigenvalue does not exceed ``below``.
    """
    out, ratios = np.empty((2, len(rhs), len(added)))
    return (
        out if compiled(solve_shifted)(diagonal, beside, rhs, added, below, out, ratios) else None
    )


def solve_shifted(  # noqa: PLR0913 - a compiled loop calls no others
    diagonal: FloatArray,
    beside: FloatArray,
    rhs: FloatArray,
    added: FloatArray,
    below: float,
    out: FloatArray,
    ratios: FloatArray,
) -> bool:
    """Write the solutions to ``out`` (p, L); return whether all eigenvalues exceed ``below``.

    They are where all pivots of the matrix less ``below`` are positive. ``ratios`` is (p, L) too.
    """
    p, n = out.shape
    pivot = diagonal[0] - below
    for i in range(1, p):
        if not pivot > 0:
            return False
        pivot = diagonal[i] - below - beside[i - 1] * (beside[i - 1] / pivot)
    if not pivot > 0:
        return False
    pivots = diagonal[0] + added
    out[0] = rhs[0]
    for i in range(1, p):
        e, t, b = beside[i - 1], diagonal[i], rhs[i]
        for k in range(n):
            inverse = 1 / pivots[k]
            ratio = e * inverse
            ratios[i, k] = ratio
            out[i, k] = b - ratio * out[i - 1, k]
            out[i - 1, k] *= inverse
            pivots[k] = t + added[k] - ratio * e
    out[p - 1] /= pivots
    for i in range(p - 1, 0, -1):
        for k in range(n):
            out[i - 1, k] -= ratios[i, k] * out[i, k]
    return True
