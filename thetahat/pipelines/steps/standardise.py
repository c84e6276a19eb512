"""The preparation step that scales columns to mean 0 and standard deviation 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.pipelines.allowed_classes import ColumnKind
from thetahat.pipelines.steps.base import get_present_values, is_missing
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class FittedScaler:
    """(p,) centre and scale of each column, in the column's units."""

    centre: FloatArray
    scale: FloatArray

    def transform(self, part: Features) -> Features:
        """Return the columns centred and scaled."""
        scaled = zip(part.columns, self.centre, self.scale, strict=True)
        return part.with_columns(part.names, tuple((x - c) / s for x, c, s in scaled))


@dataclass(frozen=True, slots=True)
class Standardise:
    r"""Scale each column so that it has mean 0 and standard deviation 1 in the training part.

    .. math:: x \mapsto (x - \bar x) / s, \quad s^2 = \frac1n \sum_i (x_i - \bar x)^2

    over the training part's values that are not missing. With instance weights (``weighted``) the
    means are weighted:
    :math:`\bar x = \sum_i w_i x_i / \sum_i w_i, \; s^2 = \sum_i w_i (x_i - \bar x)^2 / \sum_i w_i`.

    Parameters
    ----------
    centre, scale : bool
        Whether to subtract the mean, and to divide by the standard deviation.

    Degenerate cases: a column without spread, or without values, is not divided; with weights,
    among the values that have one. Missing values stay missing.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Standardise",
        summary="Subtracts each column's mean and divides by its standard deviation (divisor n), "
        "both computed on the training part.",
        formula=r"(x - \bar x) / s",
    )
    centre: bool = True
    scale: bool = True

    takes_weights: ClassVar[bool] = True
    default_columns: ClassVar[ColumnKind] = ColumnKind.NUMERIC

    def fit_transform(
        self,
        part: Features,
        y: np.ndarray,  # noqa: ARG002 - the protocol's; scales do not look at the target
        *,
        task: str,  # noqa: ARG002 - as above
        rng: np.random.Generator,  # noqa: ARG002 - as above
        weights: FloatArray | None = None,
    ) -> tuple[FittedScaler, Features]:
        """Compute the (weighted) mean and standard deviation of each column."""
        p = len(part.names)
        centre, scale = np.zeros(p), np.ones(p)
        for j, (name, column) in enumerate(zip(part.names, part.columns, strict=True)):
            values = get_present_values(name, column)
            w = None if weights is None else weights[~is_missing(column)]
            if w is not None:
                values, w = values[w > 0], w[w > 0]
            if not len(values):
                continue
            mean = np.average(values, weights=w)
            if self.centre:
                centre[j] = mean
            # Compared exactly: the rounded mean of equal values can differ from them.
            if self.scale and values.min() < values.max():
                scale[j] = np.sqrt(np.average((values - mean) ** 2, weights=w))
        fitted_step = FittedScaler(centre, scale)
        return fitted_step, fitted_step.transform(part)
