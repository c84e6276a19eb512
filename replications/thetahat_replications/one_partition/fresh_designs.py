"""Designs on which the rules of ``weighted_allowance`` are judged.

They were written down before any of their figures was known.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.special import expit

from thetahat.values.types import FloatArray
from thetahat_replications.one_partition.designs import DrawnPopulation


def draw_rings(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw classes by the distance from the middle in two of four features, with a soft edge."""
    x = rng.standard_normal((r, n, 4))
    rates = expit(4 * (np.hypot(x[..., 0], x[..., 1]) - 1.2))
    return x, (rng.random((r, n)) < rates).astype(np.float64)


def draw_votes(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw the majority of three of ten 0/1 features, one label in ten turned over."""
    x = (rng.random((r, n, 10)) < 0.5).astype(np.float64)
    y = (x[..., :3].sum(axis=2) > 1) ^ (rng.random((r, n)) < 0.1)
    return x, y.astype(np.float64)


def draw_unequal_classes(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw two normal classes in six dimensions, fifteen of a hundred rows in class 1."""
    y = (rng.random((r, n)) < 0.15).astype(np.float64)
    x = rng.standard_normal((r, n, 6))
    x[..., 0] += 1.8 * y
    return x, y


def draw_chain(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a linear model with 25 normal features, neighbours of which have a correlation of .6."""
    x = rng.standard_normal((r, n, 25))
    for place in range(1, x.shape[2]):
        x[..., place] = 0.6 * x[..., place - 1] + 0.8 * x[..., place]
    return x, x[..., 0] + 0.5 * x[..., 10] - 0.8 * x[..., 20] + rng.standard_normal((r, n))


def draw_product(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw the product of two of six normal features with normal noise."""
    x = rng.standard_normal((r, n, 6))
    return x, x[..., 0] * x[..., 1] + 0.5 * rng.standard_normal((r, n))


def draw_hinges(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw two hinges in four uniform features with Laplace noise."""
    x = rng.uniform(-1, 1, (r, n, 4))
    curve = 2 * np.abs(x[..., 0]) + np.maximum(0, 3 * x[..., 1])
    return x, curve + rng.laplace(scale=0.5, size=(r, n))


def draw_proportions(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw beta numbers, whose mean depends on two of three normal features."""
    x = rng.standard_normal((r, n, 3))
    mean = expit(x[..., 0] - 0.5 * x[..., 1])
    return x, rng.beta(4 * mean, 4 * (1 - mean))


def draw_long_waits(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw Weibull times of shape .6, whose scale depends on one of four normal features."""
    x = rng.standard_normal((r, n, 4))
    return x, np.exp(0.5 * x[..., 0]) * rng.weibull(0.6, (r, n))


FRESH: Final = (
    DrawnPopulation(
        name="rings",
        draw=draw_rings,
        of_classes=True,
        learners=("5 neighbours", "1 neighbour", "class tree, leaves of 1", "kernel ridge"),
        sizes=(40, 100, 250),
    ),
    DrawnPopulation(
        name="votes",
        draw=draw_votes,
        of_classes=True,
        learners=("naive Bayes", "logistic", "class tree, leaves of 5", "3 neighbours"),
        sizes=(60, 160, 400),
    ),
    DrawnPopulation(
        name="unequal classes",
        draw=draw_unequal_classes,
        of_classes=True,
        learners=("discriminant", "naive Bayes", "5 neighbours", "class tree, leaves of 1"),
        sizes=(60, 150, 400),
    ),
    DrawnPopulation(
        name="chain",
        draw=draw_chain,
        of_classes=False,
        learners=("least squares", "ridge 10", "lasso"),
        sizes=(40, 80, 200),
    ),
    DrawnPopulation(
        name="product",
        draw=draw_product,
        of_classes=False,
        learners=("kernel ridge", "tree, leaves of 1", "7 neighbours", "mean"),
        sizes=(40, 100, 300),
    ),
    DrawnPopulation(
        name="hinges",
        draw=draw_hinges,
        of_classes=False,
        learners=("tree, depth 3", "ridge 10", "1 neighbour", "5 neighbours"),
        sizes=(50, 150, 400),
        has_absolute_losses=True,
    ),
    DrawnPopulation(
        name="proportions",
        draw=draw_proportions,
        of_classes=False,
        learners=("ridge 1", "kernel ridge", "tree, leaves of 1"),
        sizes=(40, 100, 400),
    ),
    DrawnPopulation(
        name="long waits",
        draw=draw_long_waits,
        of_classes=False,
        learners=("ridge 10", "5 neighbours", "tree, leaves of 10"),
        sizes=(40, 120, 400),
        is_heavy=True,
    ),
)
"""The designs."""
