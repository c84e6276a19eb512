r"""Quadratic forms of block means and sums of squares, which the theta estimators are made of.

With :math:`m_k` the block means, :math:`\hat\mu` their average, :math:`d_k = m_k - \hat\mu`,
:math:`V_k` the variances within blocks (ddof 1), :math:`q_k` the centred sums of squares and
:math:`B` the variance of the block means (ddof 1), the second moments are

.. math::

    s^{\sigma^2}_k = q_k / M_k + m_k^2, \qquad
    s^\omega_k = m_k^2 - V_k / M_k, \qquad
    s^\gamma_{kl} = m_k m_l,

so that the plug-in :math:`\sum_k s^{\sigma^2}_k / (K^2 M_k) + \ldots` is :math:`\hat\mu^2`, and

.. math::

    \overline{s^\omega} = \hat\mu^2 + \tfrac{K-1}{K} B - \overline{V_k / M_k}, \qquad
    s_3 = \hat\mu^2 - B / K.

The squares of the means cancel in these formulas. The functions below use the cancelled form: the
second moments themselves lose all digits if the mean loss is large compared with its spread.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from thetahat.values.moments import BlockMoments, Moments
from thetahat.values.types import FloatArray

_ROUNDING = 1e-12  # a sum of coefficients below this share of its terms' sizes counts as 0
_LAST_BITS = 64 * float(np.finfo(np.float64).eps)  # the same share for sums of computed terms


def average_over_repeats(moments: Moments, form: Callable[[BlockMoments], float]) -> float:
    """Return the average over repeats of a form that is computed in each repeat."""
    values = [form(part) for part in moments.yield_repeats()]
    return sum(values) / len(values)


def square_macro_mean(blocks: BlockMoments) -> float:
    """Return the square of the macro mean, which is theta_1."""
    return blocks.macro_mean**2


def compute_between_blocks(blocks: BlockMoments) -> float:
    """Return B / K, which is theta_3 and theta_gamma."""
    return blocks.between_variance / blocks.n_blocks


def compute_within_blocks(blocks: BlockMoments) -> float:
    """Return (1 / K^2) sum of V_k / M_k, which is theta_4 and theta_A."""
    return blocks.mean_sampling_variance / blocks.n_blocks


def compute_omega_free(blocks: BlockMoments) -> float:
    """Return the plug-in value minus the average of w_k, which is theta_2 and theta_omega."""
    between = (1 - 1 / blocks.n_blocks) * blocks.between_variance
    return add_terms(blocks.mean_sampling_variance, -between)


def compute_theta_5(blocks: BlockMoments) -> float:
    """Return (1 + 1/K) B minus the average of V_k / M_k, which is theta_5."""
    between = (1 + 1 / blocks.n_blocks) * blocks.between_variance
    return add_terms(between, -blocks.mean_sampling_variance)


def compute_by_source(blocks: BlockMoments) -> FloatArray:
    """Return (K,) plug-in values minus w_k, using mu^2 - m_k^2 = -(m_k - mu)(m_k + mu)."""
    d, mu = _compute_deviations(blocks), blocks.macro_mean
    return np.asarray(blocks.within_variances / blocks.sizes - d * (d + 2 * mu))


def compute_by_pair(blocks: BlockMoments) -> FloatArray:
    """Return (K, K) plug-in values minus m_k m_l; the diagonal is NaN."""
    d, mu = _compute_deviations(blocks), blocks.macro_mean
    pairs = -mu * (d[:, None] + d[None, :]) - np.outer(d, d)
    np.fill_diagonal(pairs, np.nan)
    return np.asarray(pairs)


def compute_fourth_coefficient(bias: tuple[float, float, float]) -> float:
    """Return a_4 = a_1 + a_2 + a_3 + 1 of Proposition 1; 0 if it is only a rounding error."""
    total = sum(bias) + 1
    size = sum(abs(a) for a in bias) + 1
    return 0.0 if abs(total) <= _ROUNDING * size else total


def compute_between_coefficient(bias: tuple[float, float, float], n_blocks: int) -> float:
    """Return the factor of B in ``compute_with_bias``; 0 if it is only a rounding error."""
    a1, a2, a3 = bias
    parts = ((a1 + a2) * (n_blocks - 1) / n_blocks, -a3 / n_blocks)
    size = abs(parts[0]) + abs(parts[1])
    return 0.0 if abs(sum(parts)) <= _ROUNDING * size else sum(parts)


def compute_with_bias(blocks: BlockMoments, bias: tuple[float, float, float]) -> float:
    """Return the estimator for random folds that has this bias.

    It is the plug-in value plus a_1 s_1 + a_2 s_2 + a_3 s_3.
    """
    a1, a2, _ = bias
    return add_terms(
        a1 * float((get_centred_squares(blocks) / blocks.sizes).mean()),
        -a2 * blocks.mean_sampling_variance,
        compute_between_coefficient(bias, blocks.n_blocks) * blocks.between_variance,
        compute_fourth_coefficient(bias) * square_macro_mean(blocks),
    )


class MeanForm(NamedTuple):
    """The part m'Hm of a quadratic estimator over sources, with m the block means."""

    matrix: FloatArray
    """(K, K) H: a_k + b_k on the diagonal, the symmetric part of c off it."""
    row_sums: FloatArray
    """(K,) sums of the rows of H, without rounding errors: all 0 if the form does not change when a
    constant is added to every loss."""

    @property
    def is_zero(self) -> bool:
        """Whether the form is 0 for all block means."""
        return not self.matrix.any()

    @property
    def ignores_shifts(self) -> bool:
        """Whether the form does not change when a constant is added to every loss."""
        return not self.row_sums.any()

    def at(self, blocks: BlockMoments) -> float:
        """Return the value at the block means, ordered by powers of the macro mean."""
        d, mu = _compute_deviations(blocks), blocks.macro_mean
        return add_terms(
            float(d @ self.matrix @ d),
            2 * mu * float(self.row_sums @ d),
            mu**2 * float(self.row_sums.sum()),
        )


def build_mean_form(a: FloatArray, b: FloatArray, c: FloatArray) -> MeanForm:
    """Build the form of coefficients a (K,), b (K,) and c (K, K), whose diagonal is not used."""
    matrix = (c + c.T) / 2
    np.fill_diagonal(matrix, a + b)
    floor = _ROUNDING * float(np.abs(c).sum() + np.abs(a).sum() + np.abs(b).sum())
    matrix[np.abs(matrix) <= floor / len(a)] = 0.0
    row_sums = matrix.sum(axis=1)
    row_sums[np.abs(row_sums) <= floor] = 0.0
    return MeanForm(matrix, row_sums)


def compute_with_coefficients(
    blocks: BlockMoments, a: FloatArray, b: FloatArray, form: MeanForm
) -> float:
    """Return the sum of a_k s2_k + b_k w_k + c_kl g_kl, with ``build_mean_form(a, b, c)``."""
    return add_terms(
        float(a @ (get_centred_squares(blocks) / blocks.sizes)),
        -float(b @ (blocks.within_variances / blocks.sizes)),
        form.at(blocks),
    )


def add_terms(*terms: float) -> float:
    """Return the sum of the terms; 0 if only rounding errors are left of them.

    A difference that is exactly 0 must not become a tiny positive variance, on which an interval
    of nearly no width would be built.
    """
    total = math.fsum(terms)
    size = math.fsum(abs(term) for term in terms)
    return 0.0 if abs(total) <= _LAST_BITS * size else total


def get_centred_squares(blocks: BlockMoments) -> FloatArray:
    """Return (K,) q_k = (M_k - 1) V_k; raises if losses by instance are not known."""
    return np.asarray(blocks.within_variances * (blocks.sizes - 1))


def _compute_deviations(blocks: BlockMoments) -> FloatArray:
    return np.asarray(blocks.deviations - blocks.deviations.mean())
