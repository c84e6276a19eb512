r"""The algebra that all theta estimators share, centred and in linear time.

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

The squares of the means cancel on paper. They are cancelled here, before any number is formed:
the moments as printed would lose every digit where the mean loss is large against its spread.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from thetahat.values.moments import BlockMoments, Moments
from thetahat.values.types import FloatArray

_ROUNDING = 1e-12  # sums of coefficients this small against their terms are zero
_LAST_BITS = 64 * float(np.finfo(np.float64).eps)  # so are sums of computed terms


def average_over_repeats(moments: Moments, form: Callable[[BlockMoments], float]) -> float:
    """Average over repeats of a form computed in each."""
    values = [form(part) for part in moments.by_repeat()]
    return sum(values) / len(values)


def mean_squared(blocks: BlockMoments) -> float:
    """Square of the macro mean: theta_1, and the plug-in part of every other form."""
    return blocks.macro_mean**2


def between_blocks(blocks: BlockMoments) -> float:
    """B / K: theta_3 and theta_gamma."""
    return blocks.between_variance / blocks.n_blocks


def within_blocks(blocks: BlockMoments) -> float:
    """(1 / K^2) sum of V_k / M_k: theta_4 and theta_A."""
    return blocks.mean_sampling_variance / blocks.n_blocks


def omega_free(blocks: BlockMoments) -> float:
    """Plug-in minus the average of w_k: theta_2 and theta_omega."""
    between = (1 - 1 / blocks.n_blocks) * blocks.between_variance
    return add_terms(blocks.mean_sampling_variance, -between)


def fifth(blocks: BlockMoments) -> float:
    """(1 + 1/K) B - average of V_k / M_k: theta_5."""
    between = (1 + 1 / blocks.n_blocks) * blocks.between_variance
    return add_terms(between, -blocks.mean_sampling_variance)


def by_source(blocks: BlockMoments) -> FloatArray:
    """(K,) plug-in minus w_k, by way of mu^2 - m_k^2 = -(m_k - mu)(m_k + mu)."""
    d, mu = _deviations(blocks), blocks.macro_mean
    return np.asarray(blocks.within_variances / blocks.sizes - d * (d + 2 * mu))


def by_pair(blocks: BlockMoments) -> FloatArray:
    """(K, K) plug-in minus m_k m_l; the diagonal is no pair and is nan."""
    d, mu = _deviations(blocks), blocks.macro_mean
    pairs = -mu * (d[:, None] + d[None, :]) - np.outer(d, d)
    np.fill_diagonal(pairs, np.nan)
    return np.asarray(pairs)


def fourth_coefficient(bias: tuple[float, float, float]) -> float:
    """a_4 = a_1 + a_2 + a_3 + 1 of Proposition 1, zero where it is rounding."""
    total = sum(bias) + 1
    size = sum(abs(a) for a in bias) + 1
    return 0.0 if abs(total) <= _ROUNDING * size else total


def between_coefficient(bias: tuple[float, float, float], n_blocks: int) -> float:
    """Factor of B in ``by_bias``, zero where it is rounding."""
    a1, a2, a3 = bias
    parts = ((a1 + a2) * (n_blocks - 1) / n_blocks, -a3 / n_blocks)
    size = abs(parts[0]) + abs(parts[1])
    return 0.0 if abs(sum(parts)) <= _ROUNDING * size else sum(parts)


def by_bias(blocks: BlockMoments, bias: tuple[float, float, float]) -> float:
    """Plug-in + a_1 s_1 + a_2 s_2 + a_3 s_3: the random-fold estimator of that bias."""
    a1, a2, _ = bias
    return add_terms(
        a1 * float((centred_squares(blocks) / blocks.sizes).mean()),
        -a2 * blocks.mean_sampling_variance,
        between_coefficient(bias, blocks.n_blocks) * blocks.between_variance,
        fourth_coefficient(bias) * mean_squared(blocks),
    )


@dataclass(frozen=True, slots=True, eq=False)
class MeanForm:
    """The part m'Hm of a quadratic estimator over sources, with rounding taken out of H's sums.

    Parameters
    ----------
    matrix : ndarray of float
        (K, K) H: a_k + b_k on the diagonal, the symmetric part of c off it.
    row_sums : ndarray of float
        (K,) sums of H's rows; all zero where the form does not change when a constant is added
        to every loss.
    """

    matrix: FloatArray
    row_sums: FloatArray

    @property
    def is_zero(self) -> bool:
        """Whether the block means do not matter at all."""
        return not self.matrix.any()

    @property
    def ignores_shifts(self) -> bool:
        """Whether adding one constant to every loss leaves it as it is."""
        return not self.row_sums.any()

    def at(self, blocks: BlockMoments) -> float:
        """Value at the block means, by powers of the macro mean."""
        d, mu = _deviations(blocks), blocks.macro_mean
        return add_terms(
            float(d @ self.matrix @ d),
            2 * mu * float(self.row_sums @ d),
            mu**2 * float(self.row_sums.sum()),
        )


def mean_form(a: FloatArray, b: FloatArray, c: FloatArray) -> MeanForm:
    """Build the mean form of coefficients a (K,), b (K,), c (K, K); c's diagonal is not used."""
    matrix = (c + c.T) / 2
    np.fill_diagonal(matrix, a + b)
    floor = _ROUNDING * float(np.abs(c).sum() + np.abs(a).sum() + np.abs(b).sum())
    matrix[np.abs(matrix) <= floor / len(a)] = 0.0
    row_sums = matrix.sum(axis=1)
    row_sums[np.abs(row_sums) <= floor] = 0.0
    return MeanForm(matrix, row_sums)


def by_coefficients(blocks: BlockMoments, a: FloatArray, b: FloatArray, form: MeanForm) -> float:
    """Sum of a_k s2_k + b_k w_k + c_kl g_kl over sources; ``form`` is ``mean_form(a, b, c)``."""
    return add_terms(
        float(a @ (centred_squares(blocks) / blocks.sizes)),
        -float(b @ (blocks.within_variances / blocks.sizes)),
        form.at(blocks),
    )


def add_terms(*terms: float) -> float:
    """Sum of the terms, zero where they cancel to their last bits.

    A difference that is zero on paper must not come out as a tiny positive variance, on which an
    interval of no width would be built.
    """
    total = math.fsum(terms)
    size = math.fsum(abs(term) for term in terms)
    return 0.0 if abs(total) <= _LAST_BITS * size else total


def centred_squares(blocks: BlockMoments) -> FloatArray:
    """(K,) q_k = (M_k - 1) V_k; raises where one loss per instance is not known."""
    return np.asarray(blocks.within_variances * (blocks.sizes - 1))


def _deviations(blocks: BlockMoments) -> FloatArray:
    return np.asarray(blocks.deviations - blocks.deviations.mean())
