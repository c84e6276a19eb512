"""Weights from the ratio of two normal densities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cautions import DEPENDENT_COLUMNS, INFINITE_WEIGHT_VARIANCE, Caution
from thetahat.errors import InsufficientData
from thetahat.importance_weights.base import (
    ImportanceWeights,
    Samples,
    compute_weights_from_logarithms,
)
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class GaussianRatio:
    r"""Ratio of two normal densities, one fitted to each sample.

    :math:`\bar z, S_z` and :math:`\bar x, S_x` are the mean and the covariance (ddof 1) of the
    target rows and of the source rows.

    Computed as the difference of two log densities, in coordinates in which the pooled sample has
    unit covariance: no density under- or overflows, and the units of the features do not matter.

    Deviations: columns that depend linearly on the others in both samples (a constant, a copy) are
    left out; the source, in its section 5.2, inverts the covariances as they are.

    Degenerate cases: a covariance that is singular in one sample only is refused, because one
    density is then zero where the other is not; equal samples have weights of 1.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Ratio of normal densities",
        summary=(
            "The density of a normal distribution fitted to the target divided by that of one "
            "fitted to the source."
        ),
        formula=r"\hat{w}(x) = N(x \mid \bar{z}, S_z) / N(x \mid \bar{x}, S_x)",
        references=("kouw2019",),
        assumptions=(
            "Both populations are normal. Each sample has more rows than features. Labels "
            "depend on the features in the same way in both populations."
        ),
        errs=(
            "Weights in the tails of the source are far too large or too small if a population "
            "is not normal. With few rows per feature the weights vary too much."
        ),
        is_default=True,
    )

    def estimate(self, samples: Samples, rng: np.random.Generator) -> ImportanceWeights:
        """Fit both normals and take their ratio; ``rng`` is not used."""
        del rng
        if samples.m < 2:
            raise InsufficientData(
                "A covariance needs two target rows, and there is one.", loc=("target",), value=1
            )
        coordinates = _whiten(samples)
        source, target = coordinates.source, coordinates.target
        source_normal, target_normal = (
            _fit_normal(rows, name, coordinates.noise)
            for rows, name in ((source, "source"), (target, "target"))
        )

        def weigh(rows: FloatArray) -> FloatArray:
            points = coordinates.of(rows)
            with np.errstate(over="ignore"):
                return np.exp(target_normal.log_density(points) - source_normal.log_density(points))

        n_dropped = samples.p - source.shape[1]
        details = {"n_dependent_columns": n_dropped} if n_dropped else {}
        return ImportanceWeights(
            values=compute_weights_from_logarithms(
                target_normal.log_density(source) - source_normal.log_density(source)
            ),
            target_values=_compute_weights(
                target_normal.log_density(target) - source_normal.log_density(target)
            ),
            details=details,
            cautions=(
                *_check_dependent_columns(n_dropped),
                *_check_variance(source_normal, target_normal),
            ),
            weight_function=weigh,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Normal:
    """A normal distribution: mean (r,), axes (r, r) in columns and standard deviations (r,)."""

    mean: FloatArray
    axes: FloatArray
    deviations: FloatArray

    def log_density(self, rows: FloatArray) -> FloatArray:
        """Return (n,) log densities, without the constant that both normals share."""
        z = (rows - self.mean) @ self.axes / self.deviations
        return np.asarray(-0.5 * (z * z).sum(axis=1) - np.log(self.deviations).sum())

    def precision(self) -> FloatArray:
        """Return the (r, r) inverse of the covariance."""
        half = self.axes / self.deviations
        return np.asarray(half @ half.T)


@dataclass(frozen=True, slots=True, eq=False)
class _Coordinates:
    """Coordinates in which the covariance of the pooled sample is the identity matrix."""

    source: FloatArray
    target: FloatArray
    """(n, r) and (m, r)."""
    noise: float
    """Size of rounding errors in the coordinates."""
    mean: FloatArray
    axes: FloatArray
    """(p,) and (p, r): origin and directions, for the coordinates of other rows."""

    def of(self, rows: FloatArray) -> FloatArray:
        """Return the (k, r) coordinates of (k, p) other rows."""
        return np.asarray((rows - self.mean) @ self.axes)


def _whiten(samples: Samples) -> _Coordinates:
    pooled = np.concatenate([samples.source, samples.target])
    mean = pooled.mean(axis=0)
    centred = pooled - mean
    scale = np.sqrt((centred**2).mean(axis=0))
    # a constant column is not exactly 0 after centring, because of rounding
    varies = scale > 4 * _EPS * np.abs(pooled).max(axis=0)
    if not varies.any():
        raise InsufficientData("No feature varies in the two samples.", loc=("source",))
    standard = centred[:, varies] / scale[varies]
    U, s, Vt = np.linalg.svd(standard, full_matrices=False)
    kept = s > _EPS * max(standard.shape) * s[0]
    root = np.sqrt(len(pooled) - 1)
    rows, axes = U[:, kept] * root, np.zeros((samples.p, int(kept.sum())))
    axes[varies] = Vt[kept].T / s[kept] * root / scale[varies][:, None]
    offset = float((np.abs(pooled).max(axis=0)[varies] / scale[varies]).max())
    noise = 16 * _EPS * max(offset, float(s[0] / s[kept][-1]))
    return _Coordinates(rows[: samples.n], rows[samples.n :], noise, mean, axes)


def _fit_normal(rows: FloatArray, name: str, noise: float) -> _Normal:
    n, r = rows.shape
    if n <= r:
        raise InsufficientData(
            f"The {name} has {n} rows and {r} features that vary, so its covariance is singular. "
            f"Leave features out until there are at least {r + 1} rows, or use fewer components.",
            loc=(name,),
            value=n,
        )
    mean = rows.mean(axis=0)
    # from the rows: the rounding of a covariance matrix would hide that it is singular
    _, s, Vt = np.linalg.svd(rows - mean, full_matrices=False)
    deviations = s / np.sqrt(n - 1)
    if float(deviations[-1]) <= noise:
        raise InsufficientData(
            f"The {name}'s covariance is singular in a direction in which the other sample varies, "
            "so the ratio of the two densities is not defined. Leave out features that are "
            f"constant in the {name} or depend on the others there.",
            loc=(name,),
        )
    return _Normal(mean, Vt.T, deviations)


def _compute_weights(logarithms: FloatArray) -> FloatArray | None:
    """Return (m,) weights at the target rows; None if one overflows."""
    return np.exp(logarithms) if float(logarithms.max()) < 300 else None


def _check_dependent_columns(n_dropped: int) -> tuple[Caution, ...]:
    if not n_dropped:
        return ()
    columns = "1 column is" if n_dropped == 1 else f"{n_dropped} columns are"
    return (DEPENDENT_COLUMNS(columns=columns),)


def _check_variance(source: _Normal, target: _Normal) -> tuple[Caution, ...]:
    """Return a caution if the weights' variance is infinite: 2 / S_z - 1 / S_x is not positive."""
    if float(np.linalg.eigvalsh(2 * target.precision() - source.precision())[0]) > 0:
        return ()
    return (INFINITE_WEIGHT_VARIANCE(),)
