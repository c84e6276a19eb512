"""A learner over the splits of a scheme, beside scikit-learn's ``cross_val_predict``."""

from __future__ import annotations

from typing import Any

import numpy as np

from thetahat.cross_validation import build_rows, run_splits
from thetahat.learners.base import Learner
from thetahat.losses.squared import Squared
from thetahat.losses.zero_one import ZeroOne
from thetahat.schemes import SCHEMES
from thetahat.tables.data import build_data
from thetahat.values.types import FloatArray


def both(  # ours, theirs, and the data they share
    learner: Learner,
    theirs: Any,
    X: FloatArray,
    y: np.ndarray,
    scheme: str,
    *,
    source: Any = None,
    codes: bool = False,
) -> tuple[FloatArray, FloatArray]:
    """(n, C) probabilities, or (n,) values, of each row when it is left out: ours and theirs.

    ``codes`` asks for class codes instead. The same splits for both; the fast path predicts every
    one of ours.
    """
    from sklearn.model_selection import cross_val_predict

    task = min(learner.tasks) if len(learner.tasks) == 1 else _task(y)
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    data = build_data(columns, y, task, source=source)
    splits = list(SCHEMES[scheme]().splits(build_rows(data), 5))
    outcomes = run_splits(
        "m",
        learner,
        data,
        splits,
        ZeroOne() if data.n_classes else Squared(),
        5,
        keep_predictions=True,
    )
    assert {outcome.fit_reason for outcome in outcomes} == {None}
    as_shares = data.n_classes > 0 and not codes
    predictions = [o.probabilities if as_shares else o.output for o in outcomes]
    ours = np.empty((len(y), data.n_classes) if as_shares else len(y))
    for outcome, part in zip(outcomes, predictions, strict=True):
        assert part is not None
        ours[outcome.test] = part
    cv = [(split.train, split.test) for split in splits]
    method = "predict_proba" if as_shares else "predict"
    return ours, cross_val_predict(theirs, X, y, cv=cv, method=method)


def _task(y: np.ndarray) -> str:
    return "regression" if y.dtype.kind == "f" else "classification"
