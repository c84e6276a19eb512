"""A regression that is linear in its features, or nearly so."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from thetahat.generators._clusters import assign_clusters, draw_correlated
from thetahat.generators._size import DrawSize
from thetahat.generators.base import DrawKind
from thetahat.parameter_checks import MAX_COLUMNS, MAX_ROWS, check_range, require
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.tables.data import REGRESSION, Data
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearModelGenerator:
    r"""A regression whose features are normal and whose errors may have heavy tails.

    x is standard normal, and every two features are correlated by ``correlation``;
    :math:`\varepsilon` has variance 1: normal, or Student's t with ``degrees_of_freedom`` divided
    by its standard deviation; :math:`a_s` is normal about 0 with standard deviation
    ``source_spread``, one for each source.

    Rows may come in clusters of ``cluster_size`` consecutive rows, labelled in ``cluster``. The
    errors of cluster c are :math:`\sqrt{r}\, u_c + \sqrt{1 - r}\, z_i` with r
    ``cluster_correlation`` and u, z like :math:`\varepsilon`; features are independent of clusters.

    Parameters
    ----------
    n_features, n_relevant : int
        p, and q <= p, at least 1.
    noise : float
        sigma, above 0.
    curvature : float
        c; with 0 the truth is linear.
    correlation : float
        In [0, 1).
    degrees_of_freedom : float or None
        Above 2; None for normal errors.
    source_spread : float
        0 or above.
    cluster_size : int
        Rows of a cluster, all of one source; the last of a source may be smaller. 1 is no clusters.
    cluster_correlation : float
        r, of the errors of two rows of one cluster, in [0, 1].
    """

    n_features: int = 10
    n_relevant: int = 5
    noise: float = 1.0
    curvature: float = 0.0
    correlation: float = 0.0
    degrees_of_freedom: float | None = None
    source_spread: float = 0.0
    cluster_size: int = 1
    cluster_correlation: float = 0.0

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Linear regression",
        summary=(
            "Numbers that are a sum of a few normal features and an error, with heavy tails or a "
            "curve where asked for; sources may have levels of their own, and errors may be "
            "correlated in clusters of rows."
        ),
        formula=(
            r"y = a_s + \sum_{j \le q} x_j / \sqrt{q} + c (x_1^2 - 1) / \sqrt{2} + \sigma"
            r" \varepsilon"
        ),
        references=("hastie2009",),
        assumptions="Features are normal; errors do not depend on them.",
        errs="Where the curvature is 0, linear learners are right here and seldom elsewhere.",
        blocks=EVERY_BLOCK_KIND,
    )
    draws: ClassVar[DrawKind] = DrawKind.DATA
    task: ClassVar[str] = REGRESSION

    def __post_init__(self) -> None:
        check_range("n_features", self.n_features, 1, MAX_COLUMNS)
        few = 1 <= self.n_relevant <= self.n_features
        require(few, "n_relevant", self.n_relevant, "must be between 1 and n_features")
        good = math.isfinite(self.noise) and self.noise > 0
        require(good, "noise", self.noise, "must be finite and above 0")
        require(math.isfinite(self.curvature), "curvature", self.curvature, "must be finite")
        require(0 <= self.correlation < 1, "correlation", self.correlation, "must be in [0, 1)")
        degrees = self.degrees_of_freedom
        heavy = degrees is None or (math.isfinite(degrees) and degrees > 2)
        require(heavy, "degrees_of_freedom", degrees, "must be finite and above 2, or null")
        spread = math.isfinite(self.source_spread) and self.source_spread >= 0
        require(spread, "source_spread", self.source_spread, "must be finite, 0 or above")
        check_range("cluster_size", self.cluster_size, 1, MAX_ROWS)
        alike = self.cluster_correlation
        require(0 <= alike <= 1, "cluster_correlation", alike, "must be in [0, 1]")

    def draw_sources(self, n_sources: int, rng: np.random.Generator) -> DrawnLevels:
        """Draw the levels of the sources."""
        return DrawnLevels(self, self.source_spread * rng.standard_normal(n_sources))

    def compute_signal(self, X: FloatArray) -> FloatArray:
        """Return the (n,) expected values of rows of a source with level 0."""
        line = X[:, : self.n_relevant].sum(axis=1) / math.sqrt(self.n_relevant)
        return np.asarray(line + self.curvature * (X[:, 0] ** 2 - 1) / math.sqrt(2))

    def errors(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return (n,) errors with standard deviation ``noise``."""
        degrees = self.degrees_of_freedom
        if degrees is None:
            return self.noise * rng.standard_normal(n)
        return self.noise * rng.standard_t(degrees, size=n) / math.sqrt(degrees / (degrees - 2))


@dataclass(frozen=True, slots=True, eq=False)
class DrawnLevels:
    """Sources with their levels."""

    generator: LinearModelGenerator
    levels: FloatArray

    def draw(self, size: DrawSize, rng: np.random.Generator) -> Data:
        """Draw equally many rows of each source, or a random source for each cluster."""
        generator, n_sources = self.generator, len(self.levels)
        size.check_columns(generator.n_features)
        cluster = assign_clusters(size, generator.cluster_size)
        if size.per_source is None:
            of_row = np.arange(size.rows) if cluster is None else cluster
            source = rng.integers(n_sources, size=int(of_row[-1]) + 1)[of_row]
        else:
            source = np.repeat(np.arange(n_sources), size.per_source)
        X = rng.standard_normal((len(source), generator.n_features))
        rho = generator.correlation
        if rho:
            shared = rng.standard_normal((len(source), 1))
            X = math.sqrt(1 - rho) * X + math.sqrt(rho) * shared
        errors = draw_correlated(
            lambda n: generator.errors(n, rng), len(source), cluster, generator.cluster_correlation
        )
        y = self.levels[source] + generator.compute_signal(X) + errors
        names = tuple(f"x{column}" for column in range(X.shape[1]))
        return Data(
            features=Features(names, tuple(np.ascontiguousarray(X.T))),
            y=y,
            task=REGRESSION,
            source=source,
            cluster=cluster,
        )

    def drop_clusters(self) -> DrawnLevels:
        """Return the same sources with independent rows."""
        return DrawnLevels(replace(self.generator, cluster_size=1), self.levels)
