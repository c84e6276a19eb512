"""A small labelled source and a target, for the tests of weighted cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np

from thetahat.analyses.importance_weighting.samples import SourceAndTarget
from thetahat.tables.data import build_data
from thetahat.tables.features import Features


def shift(
    seed: int = 1, *, task: str = "classification", labelled: bool = True, **roles: Any
) -> SourceAndTarget:
    """Return 24 source rows in 4 folds and 15 target rows, of two features."""
    rng = np.random.default_rng(seed)
    X, Z = rng.standard_normal((24, 2)), rng.standard_normal((15, 2)) + 0.5
    y: Any = np.where(X[:, 0] + rng.standard_normal(24) > 0, 1, -1)
    u: Any = (Z[:, 0] > 0).astype(np.intp)
    if task == "regression":
        y, u = X @ [1.0, -1.0], Z @ [1.0, -1.0]
    return SourceAndTarget(
        source=build_data({"a": X[:, 0], "b": X[:, 1]}, y, task),
        target=Features(("a", "b"), tuple(Z.T.copy())),
        target_y=u if labelled else None,
        fold=np.arange(24) % 4,
        fold_labels=(0, 1, 2, 3),
        **roles,
    )
