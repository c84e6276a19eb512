"""Coefficients of a linear regression by least squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.statistics._columns import centre_and_scale
from thetahat.statistics.vector_statistics._columns import centre_columns, check_columns
from thetahat.statistics.vector_statistics.base import (
    ComponentsFunctional,
    VectorSample,
    VectorStatistic,
)
from thetahat.values.types import FloatArray

MOST_COLUMNS: Final = 20
LEAST_EIGENVALUE: Final = 1e-10
"""Least eigenvalue of the correlation matrix of the columns below which coefficients are undefined:
the sums of squares then hold no digit of them."""
INTERCEPT: Final = "intercept"


class _Coefficients(ComponentsFunctional):
    """Intercept and slopes, from the sums of columns, response, squares and products."""

    def __init__(self, sample: VectorSample, response: FloatArray) -> None:
        rows, scales = centre_columns(sample)
        y, y_scale = centre_and_scale(response)
        self._p = rows.shape[1]
        products = (rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)
        columns = np.hstack([rows, y[:, None], products, rows * y[:, None]])
        self._slope_scales = y_scale / scales
        means = np.array([float(values.mean()) for values in sample.columns.values()])
        # the means that ``centred`` has taken off, to rounding
        self._centres, self._y_scale = means, y_scale
        self._y_centre = float(response.mean())
        self._scales = scales
        super().__init__(np.ascontiguousarray(columns), np.zeros(self._p + 1))

    def compute_components(self, sums: FloatArray, n: float) -> FloatArray:
        p = self._p
        if n < 1:
            return np.full((*sums.shape[:-1], p + 1), np.nan)
        x, y = sums[..., :p] / n, sums[..., p] / n
        squares = sums[..., p + 1 : p + 1 + p * p].reshape(*sums.shape[:-1], p, p) / n
        with_y = sums[..., p + 1 + p * p :] / n - x * y[..., None]
        covariances = squares - x[..., :, None] * x[..., None, :]
        variances = np.einsum("...jj->...j", covariances)
        is_varying = (variances > LEAST_EIGENVALUE * np.einsum("...jj->...j", squares)).all(axis=-1)
        deviations = np.sqrt(np.where(is_varying[..., None], variances, 1.0))
        correlations = covariances / (deviations[..., :, None] * deviations[..., None, :])
        correlations = np.where(is_varying[..., None, None], correlations, np.eye(p))
        least = np.linalg.eigvalsh(correlations)[..., 0]
        is_defined = is_varying & (least > LEAST_EIGENVALUE)
        correlations = np.where(is_defined[..., None, None], correlations, np.eye(p))
        standardised = np.linalg.solve(correlations, (with_y / deviations)[..., None])[..., 0]
        slopes = standardised / deviations * self._slope_scales
        means = self._centres + self._scales * x
        intercept = self._y_centre + self._y_scale * y - (slopes * means).sum(axis=-1)
        components = np.concatenate([intercept[..., None], slopes], axis=-1)
        return np.asarray(np.where(is_defined[..., None], components, np.nan))


@dataclass(frozen=True, slots=True)
class RegressionCoefficients(VectorStatistic):
    """Intercept and slopes of least squares; rows with their response are resampled together.

    Resampling of pairs (section 9.3 of the source) needs neither equal variances of the errors nor
    a line that is right: the slopes are those of the best line.

    Degenerate cases: a resample whose columns are linearly dependent has no coefficients; it is
    drawn again, and the result says how many were. A sample with such columns is refused.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Coefficients of a linear regression",
        summary="Intercept and slopes of least squares of y on the columns.",
        formula=(
            r"(\hat a, \hat b) = \arg\min_{a, b} \sum_i "
            r"\Bigl(y_i - a - \sum_j b_j x_{ij}\Bigr)^2"
        ),
        references=("efron1993",),
        assumptions="Independent rows of one distribution with finite fourth moments.",
        errs=(
            "Intervals are too short with few rows for each column. Where the values of x were "
            "chosen and not drawn, resampled rows vary more than the design does."
        ),
        blocks=EVERY_BLOCK_KIND,
    )

    def undefined(self) -> str:
        """Say when a resample has no value."""
        return "its columns are constant or linearly dependent"

    def list_components(self, names: list[str]) -> list[tuple[str, ...]]:
        """Return the intercept and the names of the columns."""
        return [(INTERCEPT,), *((name,) for name in names)]

    def on(self, sample: VectorSample) -> ComponentsFunctional:
        """Return the coefficients on that sample."""
        check_columns(
            "regression_coefficients",
            sample,
            fewest_rows=len(sample.columns) + 2,
            most_columns=MOST_COLUMNS,
            response=True,
        )
        if INTERCEPT in sample.columns:
            raise InvalidParameter(
                f"A column is called {INTERCEPT!r}, which is the name of the constant. Leave it "
                "out, or give it another name.",
                loc=("x", INTERCEPT),
            )
        assert sample.y is not None  # noqa: S101 - checked above
        functional = _Coefficients(sample, sample.y)
        if np.isnan(functional.evaluate_counts(np.ones((1, sample.n)))).any():
            raise InvalidParameter(
                "The columns of x are constant or linearly dependent, so that the coefficients are "
                "not determined. Leave one of them out.",
                loc=("x",),
            )
        return functional
