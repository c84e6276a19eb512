"""Two normal populations with different means and spreads and the same rule for the labels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.generators._size import DrawSize
from thetahat.generators.base import DrawKind, SamplePair
from thetahat.parameter_checks import MAX_COLUMNS, check_positive, check_range, require
from thetahat.registry import MethodInfo
from thetahat.special_functions import ndtr
from thetahat.tables.data import CLASSIFICATION, Data
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray

_MIN_TARGET_SD: Final = math.sqrt(0.5)


@dataclass(frozen=True, slots=True, eq=False)
class ShiftedSamples:
    """Source and target samples of R data sets, with their labels."""

    source: FloatArray
    """(R, n, p) features."""
    labels: FloatArray
    """(R, n) -1 or 1."""
    target: FloatArray
    """(R, m, p) features."""
    target_labels: FloatArray
    """(R, m) -1 or 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianShift:
    r"""Source :math:`N(\delta e_1, g^2 I)` and target :math:`N(0, I)` with one rule for labels.

    .. math::

        P(y = 1 \mid x) = \Phi(x) \text{ for one feature}, \qquad
        P(y = 1 \mid x) = \prod_j \Phi(-x_j) \text{ for more}

    and y = -1 otherwise. The density ratio and its variance are closed forms (sections 2.1 and 5.1
    of the source).

    Deviations: ``scale`` is a standard deviation in any dimension; the gamma of the source's
    two-dimensional example is a variance, so use scale = sqrt(gamma) there. Rows are drawn
    directly, not by rejection, which has the same distribution.

    Degenerate cases: with scale 1 and shift 0 the populations are equal, and all weights are 1.

    Parameters
    ----------
    n_features : int
        p, at least 1.
    scale : float
        g, the standard deviation of every feature in the source. At 1/sqrt(2) and below the
        variance of the weights is infinite.
    shift : float
        Mean of the first feature in the source; the others have mean 0.
    """

    n_features: int = 1
    scale: float = 1.0
    shift: float = -1.0

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Two normal populations, one wider than the other",
        summary=(
            "A source N(shift, scale^2) and a target N(0, 1) in each feature, with one rule for "
            "the labels. The density ratio and its variance are known."
        ),
        formula=r"x_S \sim N(\delta e_1, g^2 I), \quad x_T \sim N(0, I)",
        references=("kouw2019",),
        assumptions="None: this is what is drawn.",
        errs="Two dimensions in the source take scale = sqrt(gamma): its gamma is a variance.",
    )
    draws: ClassVar[DrawKind] = DrawKind.PAIRS

    def __post_init__(self) -> None:
        check_range("n_features", self.n_features, 1, MAX_COLUMNS)
        check_positive("scale", self.scale)
        require(math.isfinite(self.shift), "shift", self.shift, "must be finite")

    def draw(self, size: DrawSize, rng: np.random.Generator) -> SamplePair:
        """Draw one source sample and one target sample, with the true weights."""
        if size.n is None:
            raise InvalidParameter(
                "The rows of this generator come from one source: set n, not per_source.",
                loc=("per_source",),
            )
        if size.n < 2:
            raise InsufficientData(
                f"A source sample needs at least two rows, and n is {size.n}.",
                loc=("n",),
                value=size.n,
            )
        size.check_columns(self.n_features)
        drawn = self.draw_many(rng, 1, size.n, size.n_target or size.n)
        return SamplePair(
            source=_build_data(drawn.source[0], drawn.labels[0]),
            target=_build_data(drawn.target[0], drawn.target_labels[0]),
            weights=self.weights(drawn.source[0]),
        )

    def draw_many(
        self, rng: np.random.Generator, count: int, n_source: int, n_target: int
    ) -> ShiftedSamples:
        """Draw ``count`` data sets in one call, which is ten times as fast as calls of ``draw``."""
        n = n_source + n_target
        x = rng.standard_normal((count, n, self.n_features))
        source, target = x[:, :n_source], x[:, n_source:]
        source *= self.scale
        source[..., 0] += self.shift
        y = self._draw_labels(x, rng.random((count, n)))
        return ShiftedSamples(source, y[:, :n_source], target, y[:, n_source:])

    def _draw_labels(self, x: FloatArray, u: FloatArray) -> FloatArray:
        """Return (R, n) labels: 1 if u is below the product of the probabilities, else -1."""
        y = np.full(u.shape, -1.0)
        if self.n_features == 1:
            y[u < ndtr(x[..., 0])] = 1
            return y
        below = ndtr(-x[..., 0])
        left = np.flatnonzero(u < below)
        u, below, rows = u.ravel()[left], below.ravel()[left], x.reshape(-1, self.n_features)
        for j in range(1, self.n_features):
            below *= ndtr(-rows[left, j])
            kept = u < below
            left, u, below = left[kept], u[kept], below[kept]
        y.ravel()[left] = 1
        return y

    def weights(self, rows: FloatArray) -> FloatArray:
        """Return the (..., n) density ratios of target to source at (..., n, p) rows."""
        g = self.scale
        # |x - d|^2 / g^2 - |x|^2, with the terms in |x|^2 combined
        sizes = np.einsum("...j,...j->...", rows, rows) * (1 / g**2 - 1)
        exponent = sizes + (self.shift**2 - 2 * self.shift * rows[..., 0]) / g**2
        return np.asarray(np.exp(0.5 * exponent + self.n_features * math.log(g)))

    def weight_variance(self) -> float:
        r"""Return the variance of the weights over the source; infinite for g up to 1/sqrt(2).

        .. math:: (g^2 / \sqrt{2 g^2 - 1})^p \exp(\delta^2 / (2 g^2 - 1)) - 1
        """
        if self.scale <= _MIN_TARGET_SD:
            return math.inf
        excess = 2 * self.scale**2 - 1
        factor = (self.scale**2 / math.sqrt(excess)) ** self.n_features
        return factor * math.exp(self.shift**2 / excess) - 1


def _build_data(rows: FloatArray, labels: FloatArray) -> Data:
    return Data(
        features=Features(tuple(f"x{j + 1}" for j in range(rows.shape[1])), tuple(rows.T)),
        y=(labels > 0).astype(np.intp),
        task=CLASSIFICATION,
        classes=(-1, 1),
    )
