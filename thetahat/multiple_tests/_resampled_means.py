"""Deviations of resampled mean losses from the observed ones, for all models at once."""

from __future__ import annotations

import math
from typing import Final, Literal

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.multiple_tests._rows import Rows
from thetahat.values.block_losses import LossTable
from thetahat.values.types import FloatArray

MOST_COUNTED: Final = 1 << 17
"""Most units whose resamples are drawn one by one; with more, normal multipliers do the same."""

SmallSample = Literal["student", "none"]
SMALL_SAMPLE: Final = ("student", "none")

_COUNTS_AT_ONCE = 1 << 21  # resampling counts held at a time
_ROWS_AT_ONCE = 1 << 13  # rows of one step of the triangular factor
_FEWEST_RESAMPLES, _MOST_RESAMPLES, _DEFAULT_RESAMPLES = 99, 100_000, 5000
_SAME = 1e-9  # of T: maxima this close are equal but for rounding
_ROUNDINGS = 8 * float(np.finfo(np.float64).eps)  # a loss, its mean and its centring


def check_n_resamples(n_resamples: int | None) -> None:
    """Raise ``InvalidParameter`` for a number of resamples out of range."""
    if n_resamples is not None and not _FEWEST_RESAMPLES <= n_resamples <= _MOST_RESAMPLES:
        raise InvalidParameter(
            f"n_resamples must be in {_FEWEST_RESAMPLES} to {_MOST_RESAMPLES}, got {n_resamples}",
            loc=("n_resamples",),
            value=n_resamples,
        )


def n_resamples_of(named: int | None) -> int:
    """Return the number asked for, or the default."""
    return _DEFAULT_RESAMPLES if named is None else named


def unit_shares(table: LossTable, rows: Rows) -> FloatArray:
    """(N,) share of each unit in the mean: clusters by their size, others alike."""
    if rows.unit == "cluster":
        assert table.layout.cluster is not None  # noqa: S101 - row_refusal saw to it
        return np.asarray(np.bincount(table.layout.cluster) / len(table.layout.cluster))
    return np.full(rows.n_rows, 1 / rows.n_rows)


def bootstrap_deviations(
    deviations: FloatArray, shares: FloatArray, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    r"""(k, B) mean losses of resamples of the units, less the observed means.

    .. math::

        \bar L^*_{bj} - \bar L_j = \frac{\sum_u c_{ub} w_u e_{uj}}{\sum_u c_{ub} w_u}

    with :math:`e_{uj}` the deviations (N, k) of the units' losses from the models' means,
    :math:`w_u` the shares and :math:`c_{ub}` how often unit u is in resample b. With more than
    ``MOST_COUNTED`` units :math:`c_{ub} - 1` is standard normal and the denominator 1: the same
    first two moments, in time that does not depend on the number of resamples times units.
    """
    weighted = deviations * shares[:, np.newaxis]
    n = len(weighted)
    if n > MOST_COUNTED:
        return multiplier_sums(triangular_factor(weighted), n_resamples, rng)
    found = np.empty((weighted.shape[1], n_resamples))
    step = max(1, _COUNTS_AT_ONCE // n)
    for start in range(0, n_resamples, step):
        taken = min(step, n_resamples - start)
        drawn = rng.integers(n, size=(taken, n)) + n * np.arange(taken)[:, np.newaxis]
        counts = np.bincount(drawn.ravel(), minlength=taken * n).reshape(taken, n)
        part = counts.astype(np.float64)
        found[:, start : start + taken] = (part @ weighted).T / (part @ shares)
    return found


def multiplier_sums(factor: FloatArray, n_draws: int, rng: np.random.Generator) -> FloatArray:
    r"""(k, B) sums :math:`\sum_u \zeta_{ub} t_{uj}` with independent standard normal multipliers.

    ``factor`` is the triangular factor R of the terms (N, k) = Q R: :math:`Q' \zeta_b` is standard
    normal too, so that :math:`g_b' R` with B x k normals has the distribution of B x N.
    """
    drawn = rng.standard_normal((n_draws, len(factor)))
    return np.ascontiguousarray((drawn @ factor).T)


def inflation(
    kind: SmallSample, n_units: int, degrees: int, n_draws: int, rng: np.random.Generator
) -> FloatArray:
    r"""(B,) factors of the reference draws for standard errors that are estimated once.

    .. math:: \sqrt{n / \chi^2_\nu}

    with n the units that a mean square was divided by and :math:`\nu` its degrees of freedom: what
    is drawn from normals becomes Student's t of mean squares over :math:`\nu`. 1 for ``none``.
    """
    if kind == "none":
        return np.ones(n_draws)
    return np.asarray(math.sqrt(n_units) / np.sqrt(rng.chisquare(degrees, n_draws)))


def triangular_factor(terms: FloatArray) -> FloatArray:
    """R of terms = Q R, its diagonal not negative, so that it does not depend on the rows' order.

    (min(N, k), k), by steps of rows, so that the scratch space stays small.
    """
    factor = np.linalg.qr(terms[:_ROWS_AT_ONCE], mode="r")
    for start in range(_ROWS_AT_ONCE, len(terms), _ROWS_AT_ONCE):
        part = terms[start : start + _ROWS_AT_ONCE]
        factor = np.linalg.qr(np.vstack([factor, part]), mode="r")
    signs = np.where(np.diagonal(factor) < 0, -1.0, 1.0)
    return np.asarray(factor * signs[:, np.newaxis])


def roundings_of(losses: FloatArray) -> FloatArray:
    """(k,) how far rounding may have moved a model's losses: 8 units of its largest's last place.

    ``losses`` is (N, k).
    """
    return np.asarray(_ROUNDINGS * np.abs(losses).max(axis=0))


def ratios(differences: FloatArray, errors: FloatArray, slack: FloatArray) -> FloatArray:
    """Differences over their standard errors; 0 for no difference, infinite for one without error.

    Both count as 0 up to the slack.
    """
    none, sure = np.abs(differences) <= slack, errors <= slack
    found = differences / np.where(sure, 1.0, errors)
    found = np.where(sure, np.copysign(np.inf, differences), found)
    return np.where(none & sure, 0.0, found)


def exceeded(reference: FloatArray, statistic: float) -> float:
    """Return (count + 1) / (B + 1) of the (B,) reference values that reach the statistic.

    0 where the statistic is infinite.
    """
    if statistic == np.inf:
        return 0.0
    reached = int((reference >= statistic - _SAME * abs(statistic)).sum())
    return (reached + 1) / (len(reference) + 1)
