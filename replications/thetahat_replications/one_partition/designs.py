"""The two sets of designs: rules are chosen on one, and judged on the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

import numpy as np
from scipy.special import expit

from thetahat.values.types import FloatArray

Sampler: TypeAlias = Callable[[np.random.Generator, int, int], tuple[FloatArray, FloatArray]]
"""Takes a generator, R and n; returns (R, n, p) features and (R, n) targets."""


def draw_two_normals(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw two normal classes in five dimensions, of equal frequency."""
    y = (rng.random((r, n)) < 0.5).astype(np.float64)
    x = rng.standard_normal((r, n, 5))
    x[..., 0] += 1.5 * y
    return x, y


def draw_checkerboard(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw classes that are quadrants of a square, one label in ten turned over."""
    x = rng.uniform(-1, 1, (r, n, 2))
    y = (x[..., 0] * x[..., 1] > 0) ^ (rng.random((r, n)) < 0.1)
    return x, y.astype(np.float64)


def draw_line(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a linear model with eight normal features."""
    x = rng.standard_normal((r, n, 8))
    slopes = np.array([1, 0.8, 0.6, 0.4, 0.2, 0, 0, 0])
    return x, x @ slopes + rng.standard_normal((r, n))


def draw_many_columns(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a linear model with twenty normal features, of equal weight."""
    x = rng.standard_normal((r, n, 20))
    return x, 0.3 * x.sum(axis=2) + rng.standard_normal((r, n))


def draw_wave(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a wave in the first of three features, with noise that grows along the second."""
    x = rng.uniform(-1, 1, (r, n, 3))
    noise = (0.3 + 0.3 * (x[..., 1] + 1)) * rng.standard_normal((r, n))
    return x, np.sin(4 * x[..., 0]) + noise


def draw_unequal_normals(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw two normal classes of different spread in eight dimensions, a quarter in class 1."""
    y = (rng.random((r, n)) < 0.25).astype(np.float64)
    x = rng.standard_normal((r, n, 8)) * np.where(y == 1, 1.5, 1.0)[..., None]
    x[..., 0] += 1.2 * y
    x[..., 1] -= 0.8 * y
    return x, y


def draw_risks(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw classes by a logistic model of two exponential and two 0/1 features."""
    x = np.concatenate(
        [rng.exponential(size=(r, n, 2)), (rng.random((r, n, 2)) < 0.4).astype(np.float64)], axis=2
    )
    rates = expit(x @ np.array([1.0, -1.0, 1.5, -0.5]) - 0.3)
    return x, (rng.random((r, n)) < rates).astype(np.float64)


def draw_sparse_line(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a linear model with 15 correlated features, three of weight, and t noise of 5 df."""
    common = rng.standard_normal((r, n, 1))
    x = np.sqrt(0.3) * common + np.sqrt(0.7) * rng.standard_normal((r, n, 15))
    slopes = np.zeros(15)
    slopes[:3] = 1.0, -0.7, 0.5
    return x, x @ slopes + rng.standard_t(5, (r, n))


def draw_friedman(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw Friedman's first function of five uniform features, divided by five."""
    x = rng.random((r, n, 5))
    curve = 10 * np.sin(np.pi * x[..., 0] * x[..., 1]) + 20 * (x[..., 2] - 0.5) ** 2
    return x, (curve + 10 * x[..., 3] + 5 * x[..., 4]) / 5 + rng.standard_normal((r, n))


def draw_step(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a step in the first of four normal features, with exponential noise."""
    x = rng.standard_normal((r, n, 4))
    return x, 1.5 * (x[..., 0] > 0.3) + 0.5 * x[..., 1] + rng.exponential(size=(r, n)) - 1


def draw_heavy_line(
    rng: np.random.Generator, r: int, n: int, degrees: float
) -> tuple[FloatArray, FloatArray]:
    """Draw a linear model with five normal features and t noise."""
    x = rng.standard_normal((r, n, 5))
    return x, x @ np.array([1, 0.7, 0.4, 0, 0]) + rng.standard_t(degrees, (r, n))


def draw_costs(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw log-normal targets, whose median depends on two of four normal features."""
    x = rng.standard_normal((r, n, 4))
    return x, np.exp(0.3 * x[..., 0] - 0.3 * x[..., 1] + 0.8 * rng.standard_normal((r, n)))


def draw_rare_class(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw two normal classes in six dimensions, one row in twelve of class 1."""
    y = (rng.random((r, n)) < 1 / 12).astype(np.float64)
    x = rng.standard_normal((r, n, 6))
    x[..., :2] += 1.3 * y[..., None]
    return x, y


def draw_turned_labels(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw classes by a line through two of five log-normal features, 15 % of labels turned."""
    x = np.exp(rng.standard_normal((r, n, 5)))
    y = (x[..., 0] > x[..., 1]) ^ (rng.random((r, n)) < 0.15)
    return x, y.astype(np.float64)


def draw_near_p(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a linear model with thirty normal features, five of weight."""
    x = rng.standard_normal((r, n, 30))
    return x, 0.5 * x[..., :5].sum(axis=2) + rng.standard_normal((r, n))


def draw_counts(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw Poisson counts, whose logarithmic rate is linear in two of four uniform features."""
    x = rng.uniform(-1, 1, (r, n, 4))
    return x, rng.poisson(np.exp(0.7 + 0.8 * x[..., 0] - 0.6 * x[..., 1])).astype(np.float64)


def draw_fan(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a curve in one of three normal features, along which the noise grows."""
    x = rng.standard_normal((r, n, 3))
    noise = (0.3 + np.abs(x[..., 0])) * rng.standard_normal((r, n))
    return x, x[..., 1] + 0.5 * x[..., 0] ** 2 + noise


def draw_bounded(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a cosine in one of four uniform features with uniform noise."""
    x = rng.uniform(-1, 1, (r, n, 4))
    return x, np.cos(3 * x[..., 0]) + 0.5 * x[..., 1] + rng.uniform(-1, 1, (r, n))


def draw_heavy_hill(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a hill over two of three uniform features with t noise of 3 df."""
    x = rng.uniform(-1, 1, (r, n, 3))
    return x, 2 * np.exp(-2 * (x[..., :2] ** 2).sum(axis=2)) + rng.standard_t(3, (r, n))


def draw_claims(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw log-normal amounts of shape 1, of which two of six normal features move the median."""
    x = rng.standard_normal((r, n, 6))
    return x, np.exp(0.4 * x[..., 0] + 0.2 * x[..., 1] + rng.standard_normal((r, n)))


def draw_pareto_line(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a linear model with four normal features and Pareto noise (2.5) of either sign."""
    x = rng.standard_normal((r, n, 4))
    noise = rng.pareto(2.5, (r, n)) * np.where(rng.random((r, n)) < 0.5, -1, 1)
    return x, x @ np.array([0.8, 0.5, 0.2, 0]) + noise


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPopulation:
    """A generator with the learners that are tried on it."""

    name: str
    """As the tables name it."""
    draw: Sampler
    """Draws samples of it."""
    of_classes: bool
    """Whether its target is a class, 0 or 1."""
    learners: tuple[str, ...]
    """Learners by name; the second and later ones are compared with the first."""
    sizes: tuple[int, ...]
    """Numbers of rows, each a multiple of 5 and 10."""
    has_absolute_losses: bool = False
    """Whether absolute losses are studied besides the squared ones."""
    is_heavy: bool = False
    """Whether the noise has a tail with which squared losses have no variance, or a huge one."""


CHOOSING: Final = (
    DrawnPopulation(
        name="two normals",
        draw=draw_two_normals,
        of_classes=True,
        learners=("discriminant", "1 neighbour", "class tree, leaves of 5", "logistic"),
        sizes=(40, 100, 200),
    ),
    DrawnPopulation(
        name="checkerboard",
        draw=draw_checkerboard,
        of_classes=True,
        learners=("7 neighbours", "mean", "class tree, leaves of 1"),
        sizes=(40, 100, 400),
    ),
    DrawnPopulation(
        name="line",
        draw=draw_line,
        of_classes=False,
        learners=("ridge 1", "ridge 20", "1 neighbour", "tree, leaves of 10", "mean"),
        sizes=(40, 100, 200),
    ),
    DrawnPopulation(
        name="many columns",
        draw=draw_many_columns,
        of_classes=False,
        learners=("ridge 20", "ridge 1", "7 neighbours"),
        sizes=(40, 100, 400),
    ),
    DrawnPopulation(
        name="wave",
        draw=draw_wave,
        of_classes=False,
        learners=("7 neighbours", "tree, leaves of 2", "least squares"),
        sizes=(40, 100, 200),
    ),
)
"""Designs on which a rule may be chosen and calibrated."""

JUDGING: Final = (
    DrawnPopulation(
        name="unequal normals",
        draw=draw_unequal_normals,
        of_classes=True,
        learners=("logistic", "discriminant", "3 neighbours", "class tree, leaves of 1"),
        sizes=(50, 120, 300),
    ),
    DrawnPopulation(
        name="risks",
        draw=draw_risks,
        of_classes=True,
        learners=("logistic", "15 neighbours", "class tree, leaves of 5", "mean"),
        sizes=(50, 120, 400),
    ),
    DrawnPopulation(
        name="sparse line",
        draw=draw_sparse_line,
        of_classes=False,
        learners=("ridge 3", "least squares", "ridge 50", "3 neighbours"),
        sizes=(50, 120, 300),
    ),
    DrawnPopulation(
        name="Friedman",
        draw=draw_friedman,
        of_classes=False,
        learners=("least squares", "1 neighbour", "tree, leaves of 2", "mean"),
        sizes=(50, 120, 300),
    ),
    DrawnPopulation(
        name="step",
        draw=draw_step,
        of_classes=False,
        learners=("tree, leaves of 10", "ridge 1", "15 neighbours"),
        sizes=(40, 120, 400),
    ),
)
"""Designs on which the chosen rule is judged; they played no part in the choice."""

CHOOSING_TAILS: Final = (
    DrawnPopulation(
        name="line, t(3)",
        draw=partial(draw_heavy_line, degrees=3),
        of_classes=False,
        learners=("ridge 1", "7 neighbours", "mean"),
        sizes=(40, 100, 200, 1000),
        is_heavy=True,
    ),
    DrawnPopulation(
        name="line, t(4)",
        draw=partial(draw_heavy_line, degrees=4),
        of_classes=False,
        learners=("ridge 1", "1 neighbour", "tree, leaves of 10"),
        sizes=(40, 100, 200, 1000),
        is_heavy=True,
    ),
    DrawnPopulation(
        name="costs",
        draw=draw_costs,
        of_classes=False,
        learners=("ridge 20", "7 neighbours", "least squares"),
        sizes=(40, 100, 200, 1000),
        is_heavy=True,
    ),
    DrawnPopulation(
        name="line, 1000 rows",
        draw=draw_line,
        of_classes=False,
        learners=("ridge 1", "7 neighbours", "mean"),
        sizes=(600, 1000),
    ),
)
"""Heavy tails, and many rows without, for the choice of the losses that keep the long interval."""

UNSEEN: Final = (
    DrawnPopulation(
        name="rare class",
        draw=draw_rare_class,
        of_classes=True,
        learners=("discriminant", "naive Bayes", "15 neighbours", "class tree, depth 3"),
        sizes=(60, 150, 500),
    ),
    DrawnPopulation(
        name="turned labels",
        draw=draw_turned_labels,
        of_classes=True,
        learners=("logistic", "naive Bayes", "1 neighbour", "class tree, depth 3"),
        sizes=(40, 100, 400),
    ),
    DrawnPopulation(
        name="near p",
        draw=draw_near_p,
        of_classes=False,
        learners=("lasso", "ridge 3", "least squares"),
        sizes=(50, 100, 200),
    ),
    DrawnPopulation(
        name="counts",
        draw=draw_counts,
        of_classes=False,
        learners=("ridge 1", "tree, depth 3", "15 neighbours"),
        sizes=(40, 120, 300),
        has_absolute_losses=True,
    ),
    DrawnPopulation(
        name="fan",
        draw=draw_fan,
        of_classes=False,
        learners=("boosting", "ridge 1", "1 neighbour", "mean"),
        sizes=(60, 200),
    ),
    DrawnPopulation(
        name="bounded noise",
        draw=draw_bounded,
        of_classes=False,
        learners=("15 neighbours", "lasso", "tree, depth 3", "1 neighbour"),
        sizes=(40, 200, 1000),
        has_absolute_losses=True,
    ),
    DrawnPopulation(
        name="hill, t(3)",
        draw=draw_heavy_hill,
        of_classes=False,
        learners=("15 neighbours", "ridge 1", "tree, depth 3"),
        sizes=(40, 200, 1000),
        is_heavy=True,
    ),
    DrawnPopulation(
        name="claims",
        draw=draw_claims,
        of_classes=False,
        learners=("lasso", "ridge 1", "1 neighbour"),
        sizes=(60, 300, 1000),
        is_heavy=True,
    ),
    DrawnPopulation(
        name="line, Pareto",
        draw=draw_pareto_line,
        of_classes=False,
        learners=("ridge 3", "mean", "3 neighbours"),
        sizes=(50, 200, 1000),
        is_heavy=True,
    ),
)
"""Designs of the page ``shorter_unseen``. They were written down before any
of their figures was known."""

N_FOLDS: Final = (5, 10)
