"""Designs on which rules for one partition were judged from the third set of rules on.

Each was written down before any of its figures was known.
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


def draw_moons(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw two half circles that interlock, with normal noise and a third feature without use."""
    y = (rng.random((r, n)) < 0.5).astype(np.float64)
    angle = rng.uniform(0, np.pi, (r, n))
    x = 0.3 * rng.standard_normal((r, n, 3))
    x[..., 0] += np.where(y == 1, 1 - np.cos(angle), np.cos(angle))
    x[..., 1] += np.where(y == 1, 0.5 - np.sin(angle), np.sin(angle))
    return x, y


def draw_word_counts(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw Poisson counts of eight words, two of which are more frequent in class 1."""
    y = (rng.random((r, n)) < 0.4).astype(np.float64)
    rates = np.full((r, n, 8), 1.5)
    rates[..., :2] += 1.5 * y[..., None]
    return rng.poisson(rates).astype(np.float64), y


def draw_two_groups_against_one(
    rng: np.random.Generator, r: int, n: int
) -> tuple[FloatArray, FloatArray]:
    """Draw class 0 between the two groups of class 1, in five dimensions."""
    group = rng.integers(0, 3, (r, n))
    x = rng.standard_normal((r, n, 5))
    x[..., 0] += 2.0 * (group - 1)
    x[..., 1] += 0.5 * group
    return x, (group != 1).astype(np.float64)


def draw_over_a_limit(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw whether a sum of four of ten uniform features and Laplace noise is over a limit."""
    x = rng.uniform(-1, 1, (r, n, 10))
    score = x[..., :4].sum(axis=2) + rng.laplace(scale=0.4, size=(r, n))
    return x, (score > 1.1).astype(np.float64)


def draw_blocks(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw steps in two of five uniform features with triangular noise."""
    x = rng.random((r, n, 5))
    curve = np.floor(4 * x[..., 0]) + (x[..., 1] > 0.7)
    return x, curve + rng.triangular(-1.5, 0, 1.5, (r, n))


def draw_saddle(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a saddle over two of five normal features with logistic noise."""
    x = rng.standard_normal((r, n, 5))
    curve = 0.5 * (x[..., 0] ** 2 - x[..., 1] ** 2) + x[..., 2]
    return x, curve + rng.logistic(scale=0.5, size=(r, n))


def draw_many_weak_features(
    rng: np.random.Generator, r: int, n: int
) -> tuple[FloatArray, FloatArray]:
    """Draw a linear model with 35 features, half of them 0 or 1, all of small weight."""
    x = rng.standard_normal((r, n, 35))
    x[..., ::2] = x[..., ::2] > 0
    return x, x @ (0.3 * np.cos(np.arange(35.0))) + rng.standard_normal((r, n))


def draw_durations(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw gamma times of shape 3, whose mean depends on two of four uniform features."""
    x = rng.random((r, n, 4))
    return x, np.exp(0.8 * x[..., 0] - 0.5 * x[..., 1]) * rng.gamma(3.0, 1 / 3, (r, n))


def draw_without_noise(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a smooth function of three uniform features without any noise."""
    x = rng.uniform(-1, 1, (r, n, 3))
    return x, np.sin(3 * x[..., 0]) * np.cos(2 * x[..., 1]) + x[..., 2] ** 3


def draw_heavy_ramp(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a ramp in one of four uniform features with t noise of 2.5 df."""
    x = rng.uniform(-1, 1, (r, n, 4))
    return x, np.maximum(0, 3 * x[..., 0]) + rng.standard_t(2.5, (r, n))


def draw_incomes(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw amounts of a Burr distribution, of which one of five normal features moves the scale.

    Its squares have no mean, which was not seen when it was written down.
    """
    x = rng.standard_normal((r, n, 5))
    amounts = ((1 - rng.random((r, n))) ** -1.5 - 1) ** 0.4
    return x, np.exp(0.4 * x[..., 0]) * amounts


def draw_stripes(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw classes by stripes across the first of three uniform features, with a soft edge."""
    x = rng.uniform(-1, 1, (r, n, 3))
    rates = expit(4 * np.sin(4 * x[..., 0]) + x[..., 1])
    return x, (rng.random((r, n)) < rates).astype(np.float64)


def draw_answers(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw classes by a logistic model of four of twelve answers on a scale of 0 to 4."""
    x = rng.binomial(4, 0.45, (r, n, 12)).astype(np.float64)
    rates = expit(0.8 * (x[..., 0] + x[..., 1] - x[..., 2] - x[..., 3]) - 0.6)
    return x, (rng.random((r, n)) < rates).astype(np.float64)


def draw_scales(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw two classes with exponential features, three of five of which differ in scale."""
    y = (rng.random((r, n)) < 0.45).astype(np.float64)
    x = rng.exponential(size=(r, n, 5))
    x[..., :3] *= 1 + y[..., None]
    return x, y


def draw_nearly_apart(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw two classes in four dimensions, on which good learners err in one row of twenty."""
    y = (rng.random((r, n)) < 0.5).astype(np.float64)
    x = rng.standard_normal((r, n, 4))
    x[..., 0] += 2.5 * y
    x[..., 1] += 2.0 * y
    return x, y


def draw_seasons(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a yearly and a half-yearly wave over the first of two uniform features."""
    x = rng.random((r, n, 2))
    curve = np.sin(2 * np.pi * x[..., 0]) + 0.5 * np.cos(4 * np.pi * x[..., 0]) + x[..., 1]
    return x, curve + 0.6 * rng.standard_normal((r, n))


def draw_two_regimes(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a line whose slope depends on one of six features, with uniform noise."""
    x = rng.standard_normal((r, n, 6))
    x[..., 5] = x[..., 5] > 0.5
    slope = np.where(x[..., 5] == 1, 1.5, 0.5)
    return x, slope * x[..., 0] + 0.5 * x[..., 1] + rng.uniform(-1.5, 1.5, (r, n))


def draw_few_factors(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw 30 features that three factors move, on the first of which the target depends."""
    factors = rng.standard_normal((r, n, 3))
    loadings = np.cos(np.outer(np.arange(1.0, 4.0), np.arange(30.0)))
    x = factors @ loadings + rng.standard_normal((r, n, 30))
    return x, 1.5 * factors[..., 0] + rng.standard_normal((r, n))


def draw_skewed_noise(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a curve in one of three features with chi-squared noise of 8 df."""
    x = rng.uniform(-1, 1, (r, n, 3))
    return x, 2 * x[..., 0] ** 2 + x[..., 1] + (rng.chisquare(8, (r, n)) - 8) / 4


def draw_ratings(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw ratings of 1 to 5, which two of five normal features move."""
    x = rng.standard_normal((r, n, 5))
    opinion = 3 + 0.7 * x[..., 0] - 0.5 * x[..., 1] + 0.7 * rng.standard_normal((r, n))
    return x, np.clip(np.round(opinion), 1, 5)


def draw_heavy_fork(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw the size of one of four normal features with t noise of 3.2 df."""
    x = rng.standard_normal((r, n, 4))
    return x, np.abs(x[..., 0]) + 0.5 * x[..., 1] + rng.standard_t(3.2, (r, n))


def draw_repairs(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw inverse gamma amounts of shape 3, whose scale two of five normal features move."""
    x = rng.standard_normal((r, n, 5))
    return x, np.exp(0.3 * x[..., 0] + 0.3 * x[..., 1]) * 2 / rng.gamma(3.0, size=(r, n))


def draw_gains_and_losses(
    rng: np.random.Generator, r: int, n: int
) -> tuple[FloatArray, FloatArray]:
    """Draw log-normal amounts of shape 1 of either sign about a line in three normal features."""
    x = rng.standard_normal((r, n, 3))
    sign = np.where(rng.random((r, n)) < 0.5, -1, 1)
    return x, 2 * x[..., 0] + x[..., 1] + sign * rng.lognormal(sigma=1.0, size=(r, n))


def draw_hollow_ball(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw classes by the distance from the middle in four normal features, with a soft edge."""
    x = rng.standard_normal((r, n, 4))
    rates = expit(2 * ((x**2).sum(axis=2) - 3.5))
    return x, (rng.random((r, n)) < rates).astype(np.float64)


def draw_doses(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw responses by the logarithm of one of six log-normal doses."""
    x = rng.lognormal(sigma=0.8, size=(r, n, 6))
    rates = expit(2.5 * np.log(x[..., 0]) + 0.5)
    return x, (rng.random((r, n)) < rates).astype(np.float64)


def draw_three_sites(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw two normal classes in five dimensions that are moved by one of three sites."""
    y = (rng.random((r, n)) < 0.35).astype(np.float64)
    site = rng.integers(0, 3, (r, n))
    x = rng.standard_normal((r, n, 5))
    x[..., 0] += 1.6 * y + 1.5 * (site == 1)
    x[..., 1] += 0.8 * y - 1.0 * (site == 2)
    return x, y


def draw_switches(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw classes by pairs among eight 0/1 features, three in twenty labels turned over."""
    x = (rng.random((r, n, 8)) < 0.5).astype(np.float64)
    y = (x[..., 0] * x[..., 1] + x[..., 2] * x[..., 3] > 0) ^ (rng.random((r, n)) < 0.15)
    return x, y.astype(np.float64)


def draw_growth(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a logistic curve of growth over one of three uniform features with normal noise."""
    x = rng.random((r, n, 3))
    return x, 3 * expit(8 * (x[..., 0] - 0.5)) + x[..., 1] + 0.5 * rng.standard_normal((r, n))


def draw_interactions(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw two products among five uniform features with Gumbel noise."""
    x = rng.uniform(-1, 1, (r, n, 5))
    curve = 2 * x[..., 0] * x[..., 1] + x[..., 2] - x[..., 2] * x[..., 3]
    return x, curve + rng.gumbel(scale=0.5, size=(r, n))


def draw_wide(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a linear model with 40 uniform features, six of weight, and logistic noise."""
    x = rng.uniform(-1.7, 1.7, (r, n, 40))
    weights = np.zeros(40)
    weights[:6] = 1.0, -0.8, 0.6, -0.4, 0.3, -0.2
    return x, x @ weights + rng.logistic(scale=0.6, size=(r, n))


def draw_stairs(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw stairs along the sum of two of four normal features with beta noise."""
    x = rng.standard_normal((r, n, 4))
    return x, np.floor(x[..., 0] + x[..., 1]) + 3 * rng.beta(2, 5, (r, n))


def draw_visits(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw negative binomial counts, whose mean two of four normal features move."""
    x = rng.standard_normal((r, n, 4))
    mean = np.exp(1 + 0.4 * x[..., 0] - 0.3 * x[..., 1])
    return x, rng.negative_binomial(5, 5 / (5 + mean)).astype(np.float64)


def draw_heavy_wave(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a wave in one of three uniform features with t noise of 3 df."""
    x = rng.uniform(-1, 1, (r, n, 3))
    return x, 2 * np.sin(3 * x[..., 0]) + x[..., 1] + rng.standard_t(3, (r, n))


def draw_premiums(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw log-normal amounts of shape .9, whose median three of five features move."""
    x = rng.standard_normal((r, n, 5))
    median = 0.3 * (x[..., 0] + x[..., 1] - x[..., 2])
    return x, np.exp(median + 0.9 * rng.standard_normal((r, n)))


def draw_heavy_step(rng: np.random.Generator, r: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw a step in one of four uniform features with Pareto noise (3) of either sign."""
    x = rng.uniform(-1, 1, (r, n, 4))
    noise = rng.pareto(3.0, (r, n)) * np.where(rng.random((r, n)) < 0.5, -1, 1)
    return x, 1.5 * (x[..., 0] > 0) + x[..., 1] + noise


THIRD: Final = (
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
"""The designs of the page ``weighted_fresh``."""

FOURTH: Final = (
    DrawnPopulation(
        name="moons",
        draw=draw_moons,
        of_classes=True,
        learners=("kernel mean", "logistic 0.1", "11 neighbours", "class stump"),
        sizes=(50, 140, 320),
    ),
    DrawnPopulation(
        name="word counts",
        draw=draw_word_counts,
        of_classes=True,
        learners=("logistic 0.1", "naive Bayes", "2 neighbours", "ten trees"),
        sizes=(70, 180),
    ),
    DrawnPopulation(
        name="two groups against one",
        draw=draw_two_groups_against_one,
        of_classes=True,
        learners=("discriminant", "11 neighbours", "class tree, depth 3"),
        sizes=(40, 110, 280),
    ),
    DrawnPopulation(
        name="over a limit",
        draw=draw_over_a_limit,
        of_classes=True,
        learners=("logistic 0.1", "discriminant", "kernel mean"),
        sizes=(80, 200, 500),
    ),
    DrawnPopulation(
        name="blocks",
        draw=draw_blocks,
        of_classes=False,
        learners=("tree, leaves of 2", "kernel mean", "ridge 0.3", "mean"),
        sizes=(60, 130, 350),
    ),
    DrawnPopulation(
        name="saddle",
        draw=draw_saddle,
        of_classes=False,
        learners=("products", "ridge 1", "tree, depth 2"),
        sizes=(50, 90, 240),
        has_absolute_losses=True,
    ),
    DrawnPopulation(
        name="many weak features",
        draw=draw_many_weak_features,
        of_classes=False,
        learners=("elastic net", "ridge 10", "least squares"),
        sizes=(60, 120, 300),
    ),
    DrawnPopulation(
        name="durations",
        draw=draw_durations,
        of_classes=False,
        learners=("ridge 0.3", "11 neighbours", "tree, depth 3", "2 neighbours"),
        sizes=(50, 160, 400),
    ),
    DrawnPopulation(
        name="no noise",
        draw=draw_without_noise,
        of_classes=False,
        learners=("kernel ridge", "products", "2 neighbours", "tree, leaves of 1"),
        sizes=(40, 120, 300),
    ),
    DrawnPopulation(
        name="ramp, t(2.5)",
        draw=draw_heavy_ramp,
        of_classes=False,
        learners=("elastic net", "11 neighbours", "mean"),
        sizes=(50, 200, 600),
        is_heavy=True,
    ),
    DrawnPopulation(
        name="incomes",
        draw=draw_incomes,
        of_classes=False,
        learners=("ridge 0.3", "kernel mean", "tree, depth 3"),
        sizes=(60, 250, 700),
        is_heavy=True,
    ),
)
"""The designs of the page ``fallback_fresh``."""

FIFTH: Final = (
    DrawnPopulation(
        name="stripes",
        draw=draw_stripes,
        of_classes=True,
        learners=("9 neighbours", "class tree, leaves of 3", "nearest mean", "random features"),
        sizes=(40, 120, 300),
    ),
    DrawnPopulation(
        name="answers",
        draw=draw_answers,
        of_classes=True,
        learners=("logistic 5", "class tree, leaves of 3", "nearest mean", "1 neighbour"),
        sizes=(60, 160, 400),
    ),
    DrawnPopulation(
        name="scales",
        draw=draw_scales,
        of_classes=True,
        learners=("nearest mean", "4 neighbours", "class tree, depth 3"),
        sizes=(40, 100, 250),
    ),
    DrawnPopulation(
        name="nearly apart",
        draw=draw_nearly_apart,
        of_classes=True,
        learners=("discriminant", "1 neighbour", "class stump"),
        sizes=(50, 200, 400),
    ),
    DrawnPopulation(
        name="seasons",
        draw=draw_seasons,
        of_classes=False,
        learners=("9 neighbours", "tree, leaves of 4", "random features", "median"),
        sizes=(40, 100, 300),
        has_absolute_losses=True,
    ),
    DrawnPopulation(
        name="two regimes",
        draw=draw_two_regimes,
        of_classes=False,
        learners=("ridge 5", "stump", "best feature", "4 neighbours"),
        sizes=(50, 120, 400),
    ),
    DrawnPopulation(
        name="few factors",
        draw=draw_few_factors,
        of_classes=False,
        learners=("ridge 5", "least squares", "best feature"),
        sizes=(60, 120, 300),
    ),
    DrawnPopulation(
        name="skewed noise",
        draw=draw_skewed_noise,
        of_classes=False,
        learners=("kernel ridge", "tree, leaves of 4", "median"),
        sizes=(40, 150, 400),
    ),
    DrawnPopulation(
        name="ratings",
        draw=draw_ratings,
        of_classes=False,
        learners=("ridge 5", "stump", "4 neighbours", "median"),
        sizes=(40, 150, 400),
        has_absolute_losses=True,
    ),
    DrawnPopulation(
        name="fork, t(3.2)",
        draw=draw_heavy_fork,
        of_classes=False,
        learners=("products", "4 neighbours", "tree, leaves of 4"),
        sizes=(50, 150, 400),
        is_heavy=True,
    ),
    DrawnPopulation(
        name="repairs",
        draw=draw_repairs,
        of_classes=False,
        learners=("9 neighbours", "ridge 5", "stump"),
        sizes=(60, 200, 400),
        is_heavy=True,
    ),
    DrawnPopulation(
        name="gains and losses",
        draw=draw_gains_and_losses,
        of_classes=False,
        learners=("ridge 5", "median", "best feature"),
        sizes=(40, 120, 400),
        is_heavy=True,
    ),
)
"""The designs of the page ``halved_judging``."""

SIXTH: Final = (
    DrawnPopulation(
        name="hollow ball",
        draw=draw_hollow_ball,
        of_classes=True,
        learners=("kernel mean", "class tree, leaves of 5", "logistic 5"),
        sizes=(50, 150, 350),
    ),
    DrawnPopulation(
        name="doses",
        draw=draw_doses,
        of_classes=True,
        learners=("logistic", "naive Bayes", "class tree, depth 3", "5 neighbours"),
        sizes=(40, 120, 400),
    ),
    DrawnPopulation(
        name="three sites",
        draw=draw_three_sites,
        of_classes=True,
        learners=("discriminant", "15 neighbours", "class tree, leaves of 1"),
        sizes=(60, 180, 360),
    ),
    DrawnPopulation(
        name="switches",
        draw=draw_switches,
        of_classes=True,
        learners=("ten trees", "nearest mean", "class tree, leaves of 3"),
        sizes=(80, 200),
    ),
    DrawnPopulation(
        name="growth",
        draw=draw_growth,
        of_classes=False,
        learners=("kernel ridge", "tree, leaves of 2", "ridge 3", "mean"),
        sizes=(40, 100, 250),
        has_absolute_losses=True,
    ),
    DrawnPopulation(
        name="interactions",
        draw=draw_interactions,
        of_classes=False,
        learners=("products", "7 neighbours", "ridge 10", "tree, leaves of 10"),
        sizes=(60, 150, 300),
    ),
    DrawnPopulation(
        name="wide",
        draw=draw_wide,
        of_classes=False,
        learners=("lasso", "ridge 20", "least squares", "best feature"),
        sizes=(80, 160, 400),
    ),
    DrawnPopulation(
        name="stairs",
        draw=draw_stairs,
        of_classes=False,
        learners=("tree, depth 3", "3 neighbours", "boosting", "median"),
        sizes=(50, 200),
        has_absolute_losses=True,
    ),
    DrawnPopulation(
        name="visits",
        draw=draw_visits,
        of_classes=False,
        learners=("ridge 1", "15 neighbours", "tree, depth 2"),
        sizes=(60, 120, 300),
    ),
    DrawnPopulation(
        name="wave, t(3)",
        draw=draw_heavy_wave,
        of_classes=False,
        learners=("kernel ridge", "3 neighbours", "mean"),
        sizes=(50, 150, 400),
        is_heavy=True,
    ),
    DrawnPopulation(
        name="premiums",
        draw=draw_premiums,
        of_classes=False,
        learners=("ridge 10", "tree, leaves of 10", "median"),
        sizes=(40, 160, 400),
        is_heavy=True,
    ),
    DrawnPopulation(
        name="step, Pareto",
        draw=draw_heavy_step,
        of_classes=False,
        learners=("least squares", "9 neighbours", "stump"),
        sizes=(60, 200, 400),
        is_heavy=True,
    ),
)
"""The designs of the page ``halved_judging_again``."""
