"""The two-dimensional setting of the authors' published script, which differs from the paper's.

Source: kouw2019, the script ``exp_l2est_2DG`` that is published with the paper.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from scipy.special import ndtr

from thetahat.generators.gaussian_shift import ShiftedSamples
from thetahat.values.types import FloatArray
from thetahat_replications.importance.penalty_selection import GRAIN

ENVELOPE: Final = 1.2
"""The script accepts rows where a uniform number times so many peaks of the normal density is below
the density of a class. That density reaches two peaks, so it is cut off at ``ENVELOPE`` peaks."""
BOX: Final = ((-6.0, 4.0), (-4.0, 4.0))
"""The ranges of the two features from which the script draws."""
_BLOCK: Final = 20_000


def control_transposed(weights: FloatArray, members: FloatArray) -> FloatArray:
    r"""Return (R, n) coefficients of the losses in the controlled risk with the script's beta.

    A factor of the script is transposed, so that the products of losses and weights become a table
    of every loss with every weight. Row i then has its own :math:`\beta_i = w_i b`, with b the
    slope of the plain losses on the weights, and the risk is
    :math:`\frac{1}{n} \sum_i w_i (\ell_i - b (w_i - 1))`, with one b for each fold.

    Degenerate cases: where the weights of a fold do not vary, b = 0; the script divides by zero.
    """
    sizes = np.maximum(members.sum(axis=-1), 1)
    means = (members @ weights[..., None])[..., 0] / sizes
    deviations = members * (weights[:, None] - means[..., None])
    spread = (deviations**2).sum(axis=-1)
    varies = spread > np.finfo(np.float64).eps * sizes * means**2
    excess = (members @ (weights * (weights - 1))[..., None])[..., 0]
    factor = np.divide(excess, spread, out=np.zeros_like(excess), where=varies)
    slopes = (factor[:, None] @ deviations)[:, 0]
    return np.asarray((weights - slopes) / weights.shape[-1])


def draw_script_samples(
    gamma: float, rng: np.random.Generator, *, n_source: int, n_target: int
) -> ShiftedSamples:
    """Draw data sets with as many rows of each class; gamma is the variance of the source."""
    parts: list[FloatArray] = []
    labels: list[FloatArray] = []
    for n, mean, variance in ((n_source, -1.0, gamma), (n_target, 0.0, 1.0)):
        sizes = {-1: n // 2, 1: n - n // 2}
        classes = [
            _draw_class(rng, GRAIN * size, mean, variance, label).reshape(GRAIN, size, 2)
            for label, size in sizes.items()
        ]
        parts.append(np.concatenate(classes, axis=1))
        labels.append(np.tile(np.repeat([-1.0, 1.0], [*sizes.values()]), (GRAIN, 1)))
    return ShiftedSamples(parts[0], labels[0], parts[1], labels[1])


def compute_class_density(x: FloatArray, label: int) -> FloatArray:
    """Return the density of a class at (N, 2) rows over the normal density of all rows.

    The posterior of class 1 is Phi(-2 x1) Phi(-2 x2), and each class is taken for a half.
    """
    positive = ndtr(-2 * x).prod(axis=1)
    return np.asarray(2 * (positive if label > 0 else 1 - positive))


def _draw_class(
    rng: np.random.Generator, count: int, mean: float, variance: float, label: int
) -> FloatArray:
    """Draw (count, 2) rows of one class by the script's rejection rule.

    Rows proposed from the normal density are accepted with the density of the class over the
    normal one, cut off where the script's envelope lies below it.
    """
    rows = np.empty((0, 2))
    while len(rows) < count:
        z = rng.standard_normal((_BLOCK, 2))
        x = math.sqrt(variance) * z
        x[:, 0] += mean
        envelope = ENVELOPE * np.exp((z**2).sum(axis=1) / 2)
        keep = 2 * rng.random(_BLOCK) < np.minimum(compute_class_density(x, label), envelope)
        for column, (low, high) in enumerate(BOX):
            keep &= (low <= x[:, column]) & (x[:, column] <= high)
        rows = np.concatenate([rows, x[keep]])
    return rows[:count]
