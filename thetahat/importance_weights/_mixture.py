"""Proportions of a mixture of greatest likelihood."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.importance_weights._active_set import BoxProgramme
from thetahat.values.types import FloatArray

GAP: Final = 1e-9
"""The mean log likelihood is within this of its maximum."""
_MOST_STEPS: Final = 200
_EM_STEPS: Final = 5
_SMALL: Final = 0.01
"""Of an equal share: what is less may well be 0, and enters where the model asks for it."""
_NO_STEP: Final = 1e-15


def best_proportions(densities: FloatArray) -> tuple[FloatArray, float, int]:
    r"""Return the proportions that maximise the mean log density, a bound on what is missing.

    .. math:: \max_x \frac1m \sum_j \log \sum_l A_{jl} x_l, \quad x \ge 0, \; \sum_l x_l = 1

    by sequential quadratic programming on the equal problem of minimising
    :math:`-\frac1m \sum_j \log (Ax)_j + \sum_l x_l` over x >= 0, each step an active set. With
    :math:`d_l = \frac1m \sum_j A_{jl} / (Ax)_j`, the largest d less 1 bounds what is missing of
    the maximum: it is the certificate by which the steps end.

    Parameters
    ----------
    densities : ndarray of float
        (m, L), not negative, no row all zero; a row's scale does not matter.

    Returns
    -------
    x : ndarray of float
        (L,) proportions.
    gap : float
        At most this much of the mean log density is missing.
    n_steps : int
        Quadratic programmes solved.
    """
    L = densities.shape[1]
    x = np.full(L, 1 / L)
    for _ in range(_EM_STEPS):
        x = x * _slopes(densities, x)
    for step in range(_MOST_STEPS):
        x = x / x.sum()
        d = _slopes(densities, x)
        gap = float(d.max()) - 1
        if gap <= GAP:
            return x, max(gap, 0.0), step
        x = _stepped(densities, x, d)
    return x / x.sum(), float(_slopes(densities, x / x.sum()).max()) - 1, _MOST_STEPS


def _slopes(A: FloatArray, x: FloatArray) -> FloatArray:
    return np.asarray((A / (A @ x)[:, None]).mean(axis=0))


def _stepped(A: FloatArray, x: FloatArray, d: FloatArray) -> FloatArray:
    """Return x after one quadratic programme with a search along its step."""
    scaled = A / (A @ x)[:, None]
    H = scaled.T @ scaled / len(A)
    # around x: gradient 1 - d, Hessian H; the model in y >= 0 has the linear term H x - (1 - d)
    model = BoxProgramme(lambda j: H[j], H @ x - (1 - d), np.inf, 1e-12)
    model.start_from(np.where(x > _SMALL / len(x), x, 0.0))
    model.minimise()
    towards = model.w - x
    slope = float((1 - d) @ towards)
    by_row = scaled @ towards  # of the log density's argument, relative to what it is

    def falls(step: float) -> bool:
        if float((step * by_row).min()) <= -1:
            return False
        change = step * float(towards.sum()) - float(np.log1p(step * by_row).mean())
        return change <= 1e-4 * step * slope

    step = 1.0
    while step > _NO_STEP and not falls(step):
        step /= 2
    return np.asarray(np.maximum(x + step * towards, 0))
