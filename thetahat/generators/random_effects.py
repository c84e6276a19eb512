"""Normal losses with a chosen variance and chosen covariances."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.generators._size import DrawSize
from thetahat.generators.base import DrawKind, DrawnLosses
from thetahat.parameter_checks import require
from thetahat.registry import ONE_TEST_EACH, MethodInfo
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind, FloatArray, Target

TRAINED = "expected_at_training_size"
FITTED = "fold_models"
NEW = "new_source"
OBSERVED_ON_NEW = "observed_on_one_new_source"


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomEffects:
    r"""Normal losses with the covariances that cross-validation gives its losses.

    :math:`\mathrm{Var}[\varepsilon_{ki}] = \sigma^2 - \omega`, so a loss has variance
    :math:`\sigma^2`, two losses of one block have covariance :math:`\omega`, and two of different
    blocks :math:`\gamma`. The expected errors :math:`\mu_k` of the sources are normal about
    ``mean`` with standard deviation ``spread``. The macro mean has the variance

    .. math:: \frac1{K^2} \sum_k \frac{\sigma^2 - \omega}{M_k} + \frac\omega K
        + \frac{K-1}K \gamma

    about the mean of the :math:`\mu_k`, and ``spread`` squared over K more about ``mean``. The
    three parameters are those of grandvalet2006, and those of geras2013 if blocks are sources.

    Parameters
    ----------
    sigma2 : float
        Variance of a loss, conditional on its source.
    omega, gamma : float
        Covariances, conditional on the sources: 0 <= omega <= sigma2, and gamma between
        -omega / (K - 1) and omega.
    mean : float
        Expected loss of the first model on a new source.
    spread : float
        Standard deviation of the sources' expected losses.
    differences : tuple of float
        Expected loss of each further model minus that of the first model.
    correlation : float
        Between the losses of two models on one instance, in every part of the loss; in [0, 1].
    blocks : BlockKind
        Kind of the blocks: ``random``, ``source`` or ``holdout``.
    """

    sigma2: float = 1.0
    omega: float = 0.0
    gamma: float = 0.0
    mean: float = 0.0
    spread: float = 0.0
    differences: tuple[float, ...] = ()
    correlation: float = 0.0
    blocks: BlockKind = BlockKind.SOURCE

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Losses with given covariances",
        summary=(
            "Normal losses of one or more models over K blocks: sigma^2 is the variance of a loss, "
            "omega the covariance of two losses of one block, gamma that of two blocks, and the "
            "sources differ by a given spread. The variance of the mean is known in closed form."
        ),
        formula=(
            r"e_{ki} = \mu_k + a_k + \varepsilon_{ki}, \mathrm{Var}[a_k] = \omega, "
            r"\mathrm{Cov}[a_k, a_l] = \gamma"
        ),
        references=("grandvalet2006", "geras2013"),
        assumptions="Losses are normal, and the covariances are the same for all blocks.",
        errs=(
            "Losses of learners are skewed or discrete and their covariances differ from block to "
            "block: what covers here need not cover there."
        ),
        blocks=ONE_TEST_EACH,
        targets=(Target.THESE_SOURCES, Target.NEW_SOURCE, Target.THESE_MODELS),
    )
    draws: ClassVar[DrawKind] = DrawKind.LOSSES

    def __post_init__(self) -> None:
        for name in ("sigma2", "omega", "gamma", "mean", "spread", "correlation"):
            value = getattr(self, name)
            if not math.isfinite(value):
                raise InvalidParameter(f"{name} must be finite, got {value}.", loc=(name,))
        require(self.sigma2 > 0, "sigma2", self.sigma2, "must be above 0")
        require(0 <= self.omega <= self.sigma2, "omega", self.omega, "must be in [0, sigma2]")
        require(self.gamma <= self.omega, "gamma", self.gamma, "must be omega at most")
        require(self.spread >= 0, "spread", self.spread, "must be 0 or above")
        require(0 <= self.correlation <= 1, "correlation", self.correlation, "must be in [0, 1]")
        fits = self.blocks is not BlockKind.SUBSAMPLES
        require(fits, "blocks", self.blocks.value, "must be random, source or holdout")

    @property
    def models(self) -> tuple[str, ...]:
        """``m1``, ``m2``, ..."""
        return tuple(f"m{i}" for i in range(1, len(self.differences) + 2))

    def draw_sources(self, n_sources: int, rng: np.random.Generator) -> DrawnSources:
        """Draw the expected losses of K sources."""
        require(
            self.omega + (n_sources - 1) * self.gamma >= 0,
            "gamma",
            self.gamma,
            f"must be -omega / (K - 1) at least, with K = {n_sources}",
        )
        effects = self.mean + np.array([0.0, *self.differences])
        return DrawnSources(self, effects + self.spread * self.draw_normals(n_sources, rng))

    def draw_normals(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return (n, models) standard normal numbers, correlated between models."""
        own = rng.standard_normal((n, len(self.models)))
        if not self.correlation or len(self.models) == 1:
            return own
        common = rng.standard_normal((n, 1))
        return np.asarray(
            math.sqrt(self.correlation) * common + math.sqrt(1 - self.correlation) * own
        )


@dataclass(frozen=True, slots=True, eq=False)
class DrawnSources:
    """Sources with their expected losses."""

    generator: RandomEffects
    """The covariances."""
    means: FloatArray
    """(K, models) expected losses."""

    def draw(self, size: DrawSize, rng: np.random.Generator) -> DrawnLosses:
        """Draw the losses of all models on all sources."""
        generator, n_blocks = self.generator, len(self.means)
        layout = build_layout_over(generator.blocks, n_blocks, size)
        effects = self._draw_block_effects(rng)
        block = np.repeat(np.arange(n_blocks), layout.n_test.astype(np.intp))
        noise = math.sqrt(generator.sigma2 - generator.omega) * generator.draw_normals(
            len(block), rng
        )
        values = (self.means + effects)[block] + noise
        models = {
            name: BlockLosses(layout, values=np.ascontiguousarray(values[:, m]))
            for m, name in enumerate(generator.models)
        }
        truths = self._compute_truths(effects)
        new_source_means = self._draw_new_source(effects, round(size.rows / n_blocks), rng)
        if new_source_means is not None:
            for name, mean in zip(generator.models, new_source_means, strict=True):
                truths[name][OBSERVED_ON_NEW] = float(mean)
        return DrawnLosses(
            table=LossTable(layout, models),
            truths=truths,
            variances=dict.fromkeys(generator.models, self.variances(layout)),
        )

    def variances(self, layout: Layout) -> dict[str, float]:
        """Return the variance of the macro mean about each truth, over draws."""
        generator, n_blocks = self.generator, len(self.means)
        fitted = (
            (generator.sigma2 - generator.omega) * float((1 / layout.n_test).sum()) / n_blocks**2
        )
        trained = fitted + generator.omega / n_blocks + (n_blocks - 1) / n_blocks * generator.gamma
        return {FITTED: fitted, TRAINED: trained, NEW: trained + generator.spread**2 / n_blocks}

    def _draw_block_effects(self, rng: np.random.Generator) -> FloatArray:
        """Return (K, models) effects with variance omega and covariance gamma between blocks."""
        generator, n_blocks = self.generator, len(self.means)
        normal = generator.draw_normals(n_blocks, rng)
        average = normal.mean(axis=0)
        between, common = (
            generator.omega - generator.gamma,
            generator.omega + (n_blocks - 1) * generator.gamma,
        )
        return np.asarray(math.sqrt(between) * (normal - average) + math.sqrt(common) * average)

    def _draw_new_source(
        self, effects: FloatArray, size: int, rng: np.random.Generator
    ) -> FloatArray | None:
        """Return the (models,) mean losses on one new source, given the effects of the drawn ones.

        None if gamma does not allow another block, or if blocks are not sources.
        """
        generator, n_blocks = self.generator, len(self.means)
        if generator.blocks is not BlockKind.SOURCE:
            return None
        common = generator.omega + (n_blocks - 1) * generator.gamma
        share = generator.gamma / common if common > 0 else 0.0
        left = generator.omega - share * n_blocks * generator.gamma
        if left < 0:
            return None
        centre = (
            generator.mean + np.array([0.0, *generator.differences]) + share * effects.sum(axis=0)
        )
        spread = math.sqrt(generator.spread**2 + left + (generator.sigma2 - generator.omega) / size)
        return np.asarray(centre + spread * generator.draw_normals(1, rng)[0])

    def _compute_truths(self, effects: FloatArray) -> dict[str, dict[str, float]]:
        generator = self.generator
        trained, fitted = self.means.mean(axis=0), (self.means + effects).mean(axis=0)
        new = generator.mean + np.array([0.0, *generator.differences])
        return {
            name: {FITTED: float(fitted[m]), TRAINED: float(trained[m]), NEW: float(new[m])}
            for m, name in enumerate(generator.models)
        }


def build_layout_over(kind: BlockKind, n_blocks: int, size: DrawSize) -> Layout:
    """Return the layout of K blocks whose sizes differ by at most one."""
    if size.n_sources not in (None, n_blocks):
        raise InvalidParameter(
            f"n_sources is {size.n_sources}, but {n_blocks} sources were drawn.", loc=("n_sources",)
        )
    if size.rows < n_blocks:
        raise InvalidParameter(
            f"{size.rows} losses are too few for {n_blocks} blocks. Draw more.", loc=("n",)
        )
    return _build_layout(kind, n_blocks, size.rows)


@lru_cache(maxsize=64)
def _build_layout(kind: BlockKind, n_blocks: int, n: int) -> Layout:
    sizes = np.full(n_blocks, n // n_blocks)
    sizes[: n % n_blocks] += 1
    return build_layout(kind, np.repeat(np.arange(n_blocks), sizes), instance=np.arange(n))
