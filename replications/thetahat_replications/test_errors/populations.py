"""The populations of the study: rows, and one set of features for each of four models.

The models ``a``, ``b`` and ``c`` have features of the same distribution, so their expected losses
are exactly equal; ``d`` has a weaker one and is worse.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from scipy.special import ndtr, ndtri

from thetahat.values.types import FloatArray, IntArray

MODELS: Final = ("a", "b", "c", "d")
"""``a`` is compared with each of the others."""
N_FEATURES: Final = 4
"""Features of a model; only the first depends on the target."""
ERROR: Final = 0.2
"""Error of the best rule on the features of ``a``, ``b`` and ``c``, for classes."""
EXPLAINED: Final = 0.5
"""Share of the signal's variance that these features explain, for numbers."""
HARDNESS: Final = 0.5
"""Share of the noise that the models' first features have in common: some rows are hard for all."""
CLUSTER_SIZE: Final = 5
CLUSTER_CORRELATION: Final = 0.5
"""Correlation of features (given the class) and of the noise of numbers within a cluster."""
SOURCE_SPREAD: Final = 0.5
"""Standard deviation of the sources' offsets in the first feature of each model."""
NOISE: Final = 0.5
"""Standard deviation of what no model can explain, for numbers."""
WORSE_CLASSES: Final = 1.5
"""The best rule of ``d`` errs by this more than that of ``a``, divided by the root of n."""
WORSE_NUMBERS: Final = 2.75
"""The features of ``d`` explain this less than those of ``a``, divided by the root of n."""

LossName: TypeAlias = Literal["zero_one", "squared"]
Groups: TypeAlias = Literal["none", "clusters", "own sources", "alike sources"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DrawnRows:
    """The rows of one sample."""

    y: FloatArray | IntArray
    """(n,) class codes 0 and 1, or numbers."""
    features: dict[str, FloatArray]
    """(n, p) by model."""
    fixed_losses: dict[str, FloatArray]
    """(n,) losses of the best rule on these features, which was not trained, by model."""
    source: IntArray | None = None
    cluster: IntArray | None = None
    """Both (n,) labels of the rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStrength:
    """How much the first feature of a model says about the target."""

    shift: float
    """Distance of the class means, in standard deviations, for classes."""
    explained: float
    """Share of the signal's variance, for numbers."""


def get_strength(model: str, n: int) -> ModelStrength:
    """Return the strength of a model; that of ``d`` depends on the number of rows.

    Its difference falls as 1 / sqrt(n), so that the power is of the same order at each size.
    """
    worse = model == "d"
    error = min(ERROR + worse * WORSE_CLASSES / math.sqrt(n), 0.5)
    explained = max(EXPLAINED - worse * WORSE_NUMBERS / math.sqrt(n), 0.01)
    return ModelStrength(shift=float(-2 * ndtri(error)), explained=explained)


def draw_rows(  # noqa: PLR0913 - what a sample is
    loss: LossName, groups: Groups, n_effect: int, n: int, n_groups: int, rng: np.random.Generator
) -> DrawnRows:
    """Return n rows.

    ``n_effect`` is the number of rows that the strength of ``d`` is for. Where rows come from
    sources, each of the ``n_groups`` sources has the same number of rows.
    """
    cluster = np.arange(n) // CLUSTER_SIZE if groups == "clusters" else None
    source = np.arange(n) * n_groups // n if groups.endswith("sources") else None
    offsets = _draw_offsets(groups, source, n_groups, rng)
    y: FloatArray | IntArray
    if loss == "zero_one":
        # equally many of both, so that every training part has both
        n_units = n if cluster is None else int(cluster[-1]) + 1
        classes = rng.permutation(np.arange(n_units) % 2)
        y = signal = classes if cluster is None else classes[cluster]
    else:
        signal = rng.standard_normal(n)
        y = signal + NOISE * _draw_noise(n, (), cluster, rng)
    common = _draw_noise(n, (), cluster, rng)
    features: dict[str, FloatArray] = {}
    losses: dict[str, FloatArray] = {}
    for place, model in enumerate(MODELS):
        strength = get_strength(model, n_effect)
        noise = math.sqrt(1 - HARDNESS) * _draw_noise(n, (), cluster, rng)
        noise += math.sqrt(HARDNESS) * common
        columns = _draw_noise(n, (N_FEATURES,), cluster, rng)
        if loss == "zero_one":
            columns[:, 0] = (signal - 0.5) * strength.shift + noise + offsets[place]
            losses[model] = ((columns[:, 0] > 0) != y).astype(np.float64)
        else:
            ratio = strength.explained
            columns[:, 0] = signal + math.sqrt(1 / ratio - 1) * noise + offsets[place]
            losses[model] = (y - ratio * columns[:, 0]) ** 2
        features[model] = columns
    own_source = np.arange(n) // CLUSTER_SIZE if groups == "clusters" else source
    return DrawnRows(
        y=y, features=features, fixed_losses=losses, source=own_source, cluster=cluster
    )


def _draw_offsets(
    groups: Groups, source: IntArray | None, n_groups: int, rng: np.random.Generator
) -> FloatArray:
    """Return the (models, n) offsets of the sources: of each model's own, or the same for all."""
    if source is None:
        return np.zeros((len(MODELS), 1))
    offsets = SOURCE_SPREAD * rng.standard_normal((len(MODELS), n_groups))
    if groups == "alike sources":
        offsets[:] = offsets[0]
    return offsets[:, source]


def _draw_noise(
    n: int, shape: tuple[int, ...], cluster: IntArray | None, rng: np.random.Generator
) -> FloatArray:
    """Return normal numbers of variance 1, correlated within clusters."""
    noise = rng.standard_normal((n, *shape))
    if cluster is None:
        return noise
    shared = rng.standard_normal((n, *shape))[cluster]
    return np.asarray(
        math.sqrt(1 - CLUSTER_CORRELATION) * noise + math.sqrt(CLUSTER_CORRELATION) * shared
    )


def compute_linear_risk(
    loss: LossName, model: str, n_effect: int, constant: float, slopes: FloatArray
) -> float:
    r"""Return the exact risk of a rule :math:`b_0 + b^T x` on new rows without sources.

    For classes the rule predicts class 1 where it is positive, and given the class
    :math:`b_0 + b^T x \sim N(b_0 + b_1 (y - 1/2) \delta, |b|^2)`. For numbers, with signal
    :math:`f`, :math:`x_1 = f + \tau h` and residual variance :math:`\sigma^2`, the risk is
    :math:`\sigma^2 + (1 - b_1)^2 + b_1^2 \tau^2 + \sum_{j>1} b_j^2 + b_0^2`.
    """
    strength = get_strength(model, n_effect)
    if loss == "zero_one":
        scale = math.sqrt(float((slopes**2).sum()))
        reach = slopes[0] * strength.shift / 2
        return float(ndtr((constant - reach) / scale) + ndtr(-(constant + reach) / scale)) / 2
    noise = 1 / strength.explained - 1
    return float(
        NOISE**2
        + (1 - slopes[0]) ** 2
        + slopes[0] ** 2 * noise
        + (slopes[1:] ** 2).sum()
        + constant**2
    )
