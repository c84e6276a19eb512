"""CR2 with Satterthwaite degrees of freedom as Bell and McCaffrey define them, by full matrices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thetahat.values.types import FloatArray, IntArray


class ClusterRobustFit(NamedTuple):
    """Coefficients of least squares with their CR2 covariances and degrees of freedom."""

    coefficients: FloatArray
    covariances: FloatArray
    degrees: FloatArray


def fit(y: FloatArray, design: FloatArray, cluster: IntArray) -> ClusterRobustFit:
    """Fit y by least squares; every matrix is n x n, and the working model is independence."""
    n = len(y)
    bread = np.linalg.inv(design.T @ design)
    residual_maker = np.eye(n) - design @ bread @ design.T
    residuals = residual_maker @ y
    members = [np.flatnonzero(cluster == c) for c in np.unique(cluster)]
    adjusted = [design[at].T @ _take_inverse_root(residual_maker[np.ix_(at, at)]) for at in members]
    scores = [part @ residuals[at] for part, at in zip(adjusted, members, strict=True)]
    meat = sum(np.outer(score, score) for score in scores)
    degrees = []
    for row in bread:
        # the variance of this coefficient is the sum of (w'y)^2 over the columns w
        columns = np.column_stack(
            [
                residual_maker[:, at] @ (row @ part)
                for part, at in zip(adjusted, members, strict=True)
            ]
        )
        products = columns.T @ columns
        degrees.append(np.trace(products) ** 2 / np.trace(products @ products))
    return ClusterRobustFit(bread @ design.T @ y, bread @ meat @ bread, np.array(degrees))


def fit_mean(y: FloatArray, cluster: IntArray) -> tuple[float, float]:
    """Return the CR2 variance of the mean of y, and its degrees of freedom."""
    fitted = fit(y, np.ones((len(y), 1)), cluster)
    return float(fitted.covariances[0, 0]), float(fitted.degrees[0])


def _take_inverse_root(matrix: FloatArray) -> FloatArray:
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors @ np.diag(values**-0.5) @ vectors.T)
