"""Resampled mean losses of all models at once: bootstrap counts and normal multipliers."""

from __future__ import annotations

import math
from typing import Final, Literal

import numpy as np

from thetahat.parameter_checks import check_range
from thetahat.values.batch_sizes import NUMBERS_IN_1_MB
from thetahat.values.block_losses import ROUNDING
from thetahat.values.types import FloatArray

MAX_COUNTED: Final = 1 << 17
"""Largest number of units resampled one by one; above it, normal multipliers replace the counts."""

SmallSample = Literal["student", "none"]
SMALL_SAMPLE: Final = ("student", "none")

_ROWS_AT_ONCE = 1 << 13  # rows of one QR step
_MIN_RESAMPLES, _MAX_RESAMPLES, _DEFAULT_RESAMPLES = 99, 100_000, 5000
_TIE = 1e-9  # a resampled maximum below T by less than this share of T counts as equal to T


def check_n_resamples(n_resamples: int | None) -> None:
    """Raise ``InvalidParameter`` if the number of resamples is out of range."""
    check_range("n_resamples", n_resamples, _MIN_RESAMPLES, _MAX_RESAMPLES)


def choose_n_resamples(requested: int | None) -> int:
    """Return the requested number of resamples or the default."""
    return _DEFAULT_RESAMPLES if requested is None else requested


def draw_bootstrap_deviations(
    deviations: FloatArray, shares: FloatArray, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    r"""Return the (k, B) mean losses of resamples of the units, minus the observed means.

    .. math::

        \bar L^*_{bj} - \bar L_j = \frac{\sum_u c_{ub} w_u e_{uj}}{\sum_u c_{ub} w_u}

    with :math:`e_{uj}` the deviations (N, k) of the units' losses from the models' means,
    :math:`w_u` the shares and :math:`c_{ub}` the number of times that unit u is in resample b.
    With more than ``MAX_COUNTED`` units :math:`c_{ub} - 1` is standard normal and the denominator
    1, which has the same first two moments and takes time that does not grow with their product.
    """
    weighted = deviations * shares[:, np.newaxis]
    n = len(weighted)
    if n > MAX_COUNTED:
        return draw_multiplier_sums(compute_triangular_factor(weighted), n_resamples, rng)
    means = np.empty((weighted.shape[1], n_resamples))
    step = max(1, NUMBERS_IN_1_MB // n)
    for start in range(0, n_resamples, step):
        n_drawn = min(step, n_resamples - start)
        drawn = rng.integers(n, size=(n_drawn, n)) + n * np.arange(n_drawn)[:, np.newaxis]
        counts = np.bincount(drawn.ravel(), minlength=n_drawn * n).reshape(n_drawn, n)
        multiplicities = counts.astype(np.float64)
        means[:, start : start + n_drawn] = (multiplicities @ weighted).T / (
            multiplicities @ shares
        )
    return means


def draw_multiplier_sums(factor: FloatArray, n_draws: int, rng: np.random.Generator) -> FloatArray:
    r"""Return (k, B) sums :math:`\sum_u \zeta_{ub} t_{uj}` with standard normal multipliers.

    ``factor`` is the triangular factor R of the terms (N, k) = Q R: :math:`Q' \zeta_b` is standard
    normal too, so :math:`g_b' R` with B x k normals has the same distribution as B x N normals.
    """
    drawn = rng.standard_normal((n_draws, len(factor)))
    return np.ascontiguousarray((drawn @ factor).T)


def draw_inflation_factors(
    kind: SmallSample, n_units: int, degrees: int, n_draws: int, rng: np.random.Generator
) -> FloatArray:
    r"""Return (B,) factors of the reference draws that allow for estimated standard errors.

    .. math:: \sqrt{n / \chi^2_\nu}

    with n the number of units that a mean square was divided by and :math:`\nu` its degrees of
    freedom: normal draws become draws of Student's t. The factors are 1 for ``none``.
    """
    if kind == "none":
        return np.ones(n_draws)
    return np.asarray(math.sqrt(n_units) / np.sqrt(rng.chisquare(degrees, n_draws)))


def compute_triangular_factor(terms: FloatArray) -> FloatArray:
    """Return R of terms = Q R with a non-negative diagonal; the order of rows does not matter.

    R is (min(N, k), k). The rows are taken in steps, which bounds the memory.
    """
    factor = np.linalg.qr(terms[:_ROWS_AT_ONCE], mode="r")
    for start in range(_ROWS_AT_ONCE, len(terms), _ROWS_AT_ONCE):
        chunk = terms[start : start + _ROWS_AT_ONCE]
        factor = np.linalg.qr(np.vstack([factor, chunk]), mode="r")
    signs = np.where(np.diagonal(factor) < 0, -1.0, 1.0)
    return np.asarray(factor * signs[:, np.newaxis])


def bound_model_roundings(losses: FloatArray) -> FloatArray:
    """Return (k,) bounds on the rounding errors of the models' (N, k) losses.

    The bound is 8 units in the last place of the largest loss of the model.
    """
    return np.asarray(ROUNDING * np.abs(losses).max(axis=0))


def studentise(differences: FloatArray, errors: FloatArray, slack: FloatArray) -> FloatArray:
    """Return differences over their standard errors, both of which count as 0 up to the slack.

    The ratio is 0 for no difference, and infinite for a difference without an error.
    """
    is_zero, is_certain = np.abs(differences) <= slack, errors <= slack
    ratios = differences / np.where(is_certain, 1.0, errors)
    ratios = np.where(is_certain, np.copysign(np.inf, differences), ratios)
    return np.where(is_zero & is_certain, 0.0, ratios)


def compute_exceedance_p_value(
    reference: FloatArray, statistic: float, n_units: int, n_differences: int
) -> float:
    r"""Return (count + 1) / (B + 1) with the count of (B,) reference values at or above T.

    An infinite statistic is of a difference that is the same on all n units, which have one sign by
    chance with probability :math:`2^{-n}`. Its p-value is at least that of one of the m one-sided
    differences that the statistic is the largest of, :math:`m 2^{-n}`.
    """
    if statistic == np.inf:
        of_signs = n_differences * 2.0 ** -min(n_units, 1000)
        return min(1.0, max(of_signs, 1 / (len(reference) + 1)))
    n_exceeding = int((reference >= statistic - _TIE * abs(statistic)).sum())
    return (n_exceeding + 1) / (len(reference) + 1)
