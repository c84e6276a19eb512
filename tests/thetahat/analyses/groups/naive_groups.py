"""Means of groups and their covariance by dense matrices, as slow and plain as the definition."""

from __future__ import annotations

from typing import Any

import numpy as np


def compute_cr2(
    values: Any, codes: Any, cluster: Any, weights: Any
) -> tuple[float, float, np.ndarray]:
    """Return estimate, CR2 variance and the covariance of all means, for a contrast of means.

    The design has a column for each group. The residuals of a cluster are multiplied by the inverse
    symmetric root of I - H of its rows.
    """
    groups = np.unique(codes)
    x = (np.asarray(codes)[:, None] == groups).astype(float)
    bread = np.linalg.inv(x.T @ x)
    means = bread @ x.T @ values
    residuals = values - x @ means
    meat = np.zeros((len(groups), len(groups)))
    for label in np.unique(cluster):
        rows = np.flatnonzero(cluster == label)
        x_c = x[rows]
        leverage = np.eye(len(rows)) - x_c @ bread @ x_c.T
        eigenvalues, vectors = np.linalg.eigh(leverage)
        root = vectors @ np.diag(eigenvalues**-0.5) @ vectors.T
        score = x_c.T @ root @ residuals[rows]
        meat += np.outer(score, score)
    covariance = bread @ meat @ bread
    contrast = np.asarray(weights, dtype=float)
    return float(contrast @ means), float(contrast @ covariance @ contrast), covariance


def compute_bell_mccaffrey(codes: Any, cluster: Any, group: int) -> float:
    """Return the degrees of freedom of the variance of one mean, for independent rows."""
    rows = np.flatnonzero(np.asarray(codes) == group)
    n, labels = len(rows), np.asarray(cluster)[rows]
    hat = np.full((n, n), 1 / n)
    columns = []
    for label in np.unique(labels):
        inside = labels == label
        m = int(inside.sum())
        eigenvalues, vectors = np.linalg.eigh(np.eye(m) - hat[np.ix_(inside, inside)])
        root = vectors @ np.diag(eigenvalues**-0.5) @ vectors.T
        columns.append((np.eye(n) - hat)[:, inside] @ root @ np.full(m, 1 / n))
    g = np.stack(columns, axis=1)
    inner = g.T @ g
    return float(np.trace(inner) ** 2 / np.sum(inner**2))
