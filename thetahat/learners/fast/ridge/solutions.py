"""Ridge solutions of many penalties, from one decomposition of the products."""

from __future__ import annotations

import numpy as np

from thetahat.learners.fast.thresholds import MIN_ENTRIES_FOR_LOOPS
from thetahat.numerics.loops.compiling import uses_loops
from thetahat.numerics.loops.tridiagonal import solved_by_kernel
from thetahat.values.types import FloatArray


def solutions(
    xx: FloatArray, xy: FloatArray, penalties: FloatArray, below: float, out: FloatArray
) -> bool:
    r"""Write the solutions of the normal equations for each of L penalties.

    .. math:: (A + \lambda I)^{-1} b = Q (T + \lambda I)^{-1} Q^T b, \quad A = Q T Q^T

    with T diagonal, or tridiagonal for large problems: then each penalty is two recurrences of p
    steps, without the diagonalisation, which costs several times as much.

    Parameters
    ----------
    xx, xy : ndarray
        (p, p) symmetric matrix, and (p,) right-hand side.
    penalties : ndarray
        (L,).
    below : float
        Lower bound that the smallest eigenvalue must exceed.
    out : ndarray
        (L, p), written if it does.

    Returns
    -------
    bool
        Whether the smallest eigenvalue exceeds ``below``.
    """
    if not uses_loops(len(xy) * len(penalties), MIN_ENTRIES_FOR_LOOPS):
        d, Q = np.linalg.eigh(xx)
        if not d[0] > below:
            return False
        solved = (Q.T @ xy) / (d + penalties[:, None])
    else:
        Q, diagonal, beside = tridiagonal(xx)
        solution = solved_by_kernel(diagonal, beside, Q.T @ xy, penalties, below)
        if solution is None:
            return False
        solved = solution.T
    np.matmul(solved, Q.T, out=out)
    return True


def tridiagonal(matrix: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the orthogonal (p, p) Q, the (p,) diagonal of T, and its (p - 1,) off-diagonal."""
    from scipy.linalg import lapack  # noqa: PLC0415 - the API need not load it

    p = len(matrix)
    if p == 1:
        return np.ones((1, 1)), matrix[0].copy(), np.empty(0)
    work, _ = lapack.dsytrd_lwork(p, lower=1)
    reflections, diagonal, beside, lengths, _ = lapack.dsytrd(matrix.T, lower=1, lwork=int(work))
    # The reflections are stored as those of a Hessenberg form, so the same routine combines them.
    work, _ = lapack.dorghr_lwork(p)
    Q, _ = lapack.dorghr(reflections, lengths, lwork=int(work), overwrite_a=1)
    return Q, diagonal, beside
