"""A source and a target sample for importance weighting, and the paper's procedure in loops."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy.special import ndtr
from scipy.stats import multivariate_normal

from thetahat.values.types import FloatArray, IntArray

_RNG = np.random.default_rng(20_261_121)
X: Final = _RNG.standard_normal((30, 2)) * 0.9 + [-1.0, 0.0]
Z: Final = _RNG.standard_normal((40, 2))
Y: Final = np.where(_RNG.random(30) < ndtr(-X[:, 0]), 1, -1)
U: Final = np.where(_RNG.random(40) < ndtr(-Z[:, 0]), 1, -1)
FOLD: Final = _RNG.permutation(30) % 5
SITES: Final = ["b"] * 12 + ["a"] * 17 + ["c"]
PENALTIES: Final = [0.01, 1.0, 100.0, 10_000.0]

BODY: Final[dict[str, Any]] = {
    "kind": "importance_weighting",
    "source": {"X": X.tolist(), "y": Y.tolist(), "fold": FOLD.tolist()},
    "target": {"X": Z.tolist(), "y": U.tolist()},
    "grid": {"penalty": {"values": PENALTIES}},
}


def with_(**changes: Any) -> dict[str, Any]:
    """Return the request with some fields changed, and those that are None left out."""
    return {key: value for key, value in {**BODY, **changes}.items() if value is not None}


def ratio_of_normals(rows: FloatArray, source: FloatArray = X) -> FloatArray:
    """The density of a normal fitted to the target over that of one fitted to the source."""
    above = multivariate_normal(Z.mean(axis=0), np.cov(Z.T)).pdf(rows)
    below = multivariate_normal(source.mean(axis=0), np.cov(source.T)).pdf(rows)
    return np.asarray(above / below)


def losses_by_scikit_learn(
    penalties: list[float], weights: FloatArray | None, fold: IntArray = FOLD
) -> tuple[FloatArray, FloatArray]:
    """(n, L) validation losses and (m, L) target losses of refits, a fit at a time."""
    from sklearn.linear_model import Ridge

    losses, on_target = np.empty((len(X), len(penalties))), []
    for j, penalty in enumerate(penalties):
        for k in np.unique(fold):
            train, test = fold != k, fold == k
            model = Ridge(alpha=penalty, fit_intercept=False, solver="svd")
            w = None if weights is None else weights[train]
            model.fit(X[train], Y[train], sample_weight=w)
            losses[test, j] = (model.predict(X[test]) - Y[test]) ** 2
        model = Ridge(alpha=penalty, fit_intercept=False, solver="svd")
        model.fit(X, Y, sample_weight=weights)
        on_target.append((model.predict(Z) - U) ** 2)
    return losses, np.column_stack(on_target)
