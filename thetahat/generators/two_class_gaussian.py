"""Two normal classes in many dimensions, few of which differ between them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from thetahat.generators._clusters import assign_clusters, draw_correlated
from thetahat.generators._size import DrawSize, check_drawn
from thetahat.generators.base import DrawKind
from thetahat.parameter_checks import MAX_COLUMNS, MAX_ROWS, check_range, require
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.tables.data import CLASSIFICATION, Data
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoClassGaussian:
    r"""Two classes whose features are normal with one covariance.

    The first ``n_relevant`` entries of :math:`\delta` are ``shift``, the others 0. Features come in
    blocks of ``block_size`` in which every two have the correlation ``correlation``; a block may
    hold both relevant and irrelevant features. :math:`\mu_s` is 0, or normal with standard
    deviation ``source_spread`` in every feature, one for each source.

    Rows may come in clusters of ``cluster_size`` consecutive rows, labelled in ``cluster``. The
    rows of a cluster c have one class, and a part :math:`u_c` of their features in common:

    .. math:: x_i = \mu_s + (y_c - \tfrac12)\,\delta + \sqrt{r}\, u_c + \sqrt{1 - r}\, z_i,
        \quad u_c, z_i \sim N(0, \Sigma)

    with r ``cluster_correlation``. A single row has the same distribution as without clusters, and
    every model has the same risk; only rows of one cluster are alike, so that a model is right or
    wrong about most of them together.

    Parameters
    ----------
    n_features : int
        p.
    n_relevant : int
        Number of features that differ between the classes; with 0 there is nothing to learn.
    shift : float
        Distance of the class means in each relevant feature, in standard deviations.
    prior : float
        Share of the second class, in (0, 1).
    correlation : float
        Between features of one block, in [0, 1).
    block_size : int
        Features in a block; the last may be smaller.
    source_spread : float
        Standard deviation of the sources' centres in each feature.
    cluster_size : int
        Rows of a cluster, all of one source; the last of a source may be smaller. 1 is no clusters.
    cluster_correlation : float
        r, between two rows of one cluster in each feature, conditional on their class; in [0, 1].
    """

    n_features: int = 20
    n_relevant: int = 5
    shift: float = 1.0
    prior: float = 0.5
    correlation: float = 0.0
    block_size: int = 1
    source_spread: float = 0.0
    cluster_size: int = 1
    cluster_correlation: float = 0.0

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Two normal classes",
        summary=(
            "Two classes whose p features are normal with one covariance; the means differ in the "
            "first few features alone. Features may be correlated in blocks, sources may have "
            "centres of their own, and rows may come in clusters that are alike."
        ),
        formula=r"x \mid y \sim N(\mu_s + (y - 1/2) \delta, \Sigma)",
        references=("hastie2009",),
        assumptions="Features are normal and both classes have one covariance.",
        errs=(
            "A linear discriminant is the best rule here; what is found on these data flatters "
            "linear learners."
        ),
        blocks=EVERY_BLOCK_KIND,
    )
    draws: ClassVar[DrawKind] = DrawKind.DATA
    task: ClassVar[str] = CLASSIFICATION

    def __post_init__(self) -> None:
        check_range("n_features", self.n_features, 1, MAX_COLUMNS)
        few = 0 <= self.n_relevant <= self.n_features
        require(few, "n_relevant", self.n_relevant, "must be between 0 and n_features")
        require(math.isfinite(self.shift), "shift", self.shift, "must be finite")
        require(0 < self.prior < 1, "prior", self.prior, "must be in (0, 1)")
        require(0 <= self.correlation < 1, "correlation", self.correlation, "must be in [0, 1)")
        check_range("block_size", self.block_size, 1, MAX_COLUMNS)
        good = math.isfinite(self.source_spread) and self.source_spread >= 0
        require(good, "source_spread", self.source_spread, "must be finite, 0 or above")
        check_range("cluster_size", self.cluster_size, 1, MAX_ROWS)
        alike = self.cluster_correlation
        require(0 <= alike <= 1, "cluster_correlation", alike, "must be in [0, 1]")

    def draw_sources(self, n_sources: int, rng: np.random.Generator) -> DrawnCentres:
        """Draw the centres of the sources."""
        check_drawn(n_sources, self.n_features, "n_sources")
        centres = self.source_spread * rng.standard_normal((n_sources, self.n_features))
        return DrawnCentres(self, centres)

    def features(
        self,
        y: IntArray,
        centres: FloatArray,
        rng: np.random.Generator,
        cluster: IntArray | None = None,
    ) -> FloatArray:
        """Return the (n, p) features of rows of these classes, around these (n, p) centres.

        ``cluster`` is (n,) codes from 0 in ascending order, or None.
        """
        features = draw_correlated(
            lambda n: self._draw_noise(n, rng), len(y), cluster, self.cluster_correlation
        )
        features += centres
        features[:, : self.n_relevant] += (y[:, None] - 0.5) * self.shift
        return features

    def _draw_noise(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return (n, p) normal numbers with the covariance of a class."""
        noise = rng.standard_normal((n, self.n_features))
        if self.correlation:
            n_blocks = -(-self.n_features // self.block_size)
            shared = rng.standard_normal((n, n_blocks)).repeat(self.block_size, axis=1)
            noise *= math.sqrt(1 - self.correlation)
            noise += math.sqrt(self.correlation) * shared[:, : self.n_features]
        return noise


@dataclass(frozen=True, slots=True, eq=False)
class DrawnCentres:
    """Sources with their centres."""

    generator: TwoClassGaussian
    centres: FloatArray

    def draw(self, size: DrawSize, rng: np.random.Generator) -> Data:
        """Draw equally many rows of each source, or a random source for each cluster."""
        generator, n_sources = self.generator, len(self.centres)
        size.check_columns(generator.n_features)
        cluster = assign_clusters(size, generator.cluster_size)
        of_row = np.arange(size.rows) if cluster is None else cluster
        n_clusters = int(of_row[-1]) + 1
        if size.per_source is None:
            source = rng.integers(n_sources, size=n_clusters)[of_row]
        else:
            source = np.repeat(np.arange(n_sources), size.per_source)
        y = (rng.random(n_clusters) < generator.prior).astype(np.intp)[of_row]
        x = generator.features(y, self.centres[source], rng, cluster)
        names = tuple(f"x{column}" for column in range(x.shape[1]))
        return Data(
            features=Features(names, tuple(np.ascontiguousarray(x.T))),
            y=y,
            task=CLASSIFICATION,
            classes=(0, 1),
            source=source,
            cluster=cluster,
        )

    def drop_clusters(self) -> DrawnCentres:
        """Return the same sources with independent rows of the same distribution."""
        return DrawnCentres(replace(self.generator, cluster_size=1), self.centres)
