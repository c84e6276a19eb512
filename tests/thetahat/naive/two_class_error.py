"""The smallest possible error rate on data of the generator of two normal classes."""

from __future__ import annotations

import math

from scipy.special import ndtr

from thetahat.generators.two_class_gaussian import TwoClassGaussian


def best_error(generator: TwoClassGaussian) -> float:
    """Return the error rate of the best rule on one source, in closed form."""
    distance = math.sqrt(squared_distance(generator))
    odds = math.log(generator.prior / (1 - generator.prior))
    if not distance:
        return min(generator.prior, 1 - generator.prior)
    first = ndtr(-distance / 2 + odds / distance)  # of the first class, predicted as the second
    second = ndtr(-distance / 2 - odds / distance)
    return float((1 - generator.prior) * first + generator.prior * second)


def squared_distance(generator: TwoClassGaussian) -> float:
    """Return delta' Sigma^-1 delta: the inverse of a block is (I - c J) / (1 - rho)."""
    rho, distance = generator.correlation, 0.0
    for first in range(0, generator.n_features, generator.block_size):
        width = min(generator.block_size, generator.n_features - first)
        relevant = min(max(generator.n_relevant - first, 0), width)
        shrunk = rho / (1 + (width - 1) * rho) * relevant**2
        distance += generator.shift**2 * (relevant - shrunk) / (1 - rho)
    return distance
