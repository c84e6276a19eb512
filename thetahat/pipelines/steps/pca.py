"""Principal components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.parameter_checks import MAX_COLUMNS, check_range
from thetahat.pipelines.allowed_classes import ColumnKind
from thetahat.pipelines.steps.base import FeatureStep
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class FittedComponents:
    """(p,) mean and (m, p) orthonormal directions."""

    mean: FloatArray
    directions: FloatArray

    def transform(self, part: Features) -> Features:
        """Return the coordinates along the principal directions."""
        scores = (part.complete_matrix() - self.mean) @ self.directions.T
        names = tuple(f"component_{j + 1}" for j in range(len(self.directions)))
        return part.with_columns(names, tuple(scores.T))


@dataclass(frozen=True, slots=True)
class PrincipalComponents(FeatureStep):
    """Coordinates along the directions of largest variance of the training part.

    :math:`V_m` are the first m right singular vectors of the centred rows.

    Parameters
    ----------
    n_components : int or float or None
        A whole number m; or a share in (0, 1): the smallest m whose components explain more than
        that share of the variance; None keeps min(n, p).

    Columns are not scaled: put ``standardise`` before this step if units differ.

    Deviations: the sign of a direction is arbitrary; it is chosen so that its largest entry in
    absolute value is positive, as in scikit-learn.

    Degenerate cases: more components than min(n, p) of a training part are refused; if no column
    varies and a share is requested, the result is one component of zeros.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Principal components",
        summary="Replaces the columns by their coordinates along the directions of largest "
        "variance in the training part.",
        formula=r"Z = (X - 1 \bar x') V_m",
        references=("pearson1901",),
    )
    n_components: int | float | None = None

    default_columns: ClassVar[ColumnKind] = ColumnKind.NUMERIC

    def __post_init__(self) -> None:
        """Check the number of components."""
        m = self.n_components
        if isinstance(m, int) and m >= 1:
            check_range("n_components", m, 1, MAX_COLUMNS)
            return
        if m is None or (isinstance(m, float) and 0 < m < 1):
            return
        raise InvalidParameter(
            f"n_components must be a whole number of at least 1 or a share between 0 and 1; "
            f"got {m!r}.",
            loc=("n_components",),
            value=m,
        )

    def fit(self, part: Features) -> FittedComponents:
        """Compute the mean and the directions."""
        X = part.complete_matrix()
        mean = X.mean(axis=0)
        _, spread, directions = np.linalg.svd(X - mean, full_matrices=False)
        m = self._count(spread)
        directions = directions[:m]
        largest = np.abs(directions).argmax(axis=1)
        signs = np.sign(directions[np.arange(m), largest])
        return FittedComponents(mean, directions * signs[:, None])

    def _count(self, spread: FloatArray) -> int:
        """Return m, given the (min(n, p),) singular values, largest first."""
        if self.n_components is None:
            return len(spread)
        if isinstance(self.n_components, int):
            if self.n_components > len(spread):
                raise InsufficientData(
                    f"n_components is {self.n_components}, but this training part has at most "
                    f"{len(spread)} components (the smaller of its numbers of rows and columns).",
                    loc=("prepare",),
                    value=self.n_components,
                )
            return self.n_components
        explained = np.cumsum(spread**2)
        m = int(np.searchsorted(explained, self.n_components * explained[-1], side="right")) + 1
        return 1 if explained[-1] == 0 else min(m, len(spread))
