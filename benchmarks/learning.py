"""What the tasks with learners share: data, splits, and learners run over the splits."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any

import numpy as np
from sklearn.model_selection import cross_val_predict

from thetahat.cross_validation import (
    Outcomes,
    as_outcomes,
    build_rows,
    fast_path,
    group_by_parameter,
    parameter_paths,
    run_path,
    run_splits,
)
from thetahat.learners.base import Learner
from thetahat.losses.squared import Squared
from thetahat.losses.zero_one import ZeroOne
from thetahat.schemes.base import Split
from thetahat.schemes.k_fold import KFold
from thetahat.schemes.leave_one_out import LeaveOneOut
from thetahat.tables.data import Data, build_data
from thetahat.values.types import FloatArray

SEED = 1
PREDICTIONS = {"predict": "output", "predict_proba": "probabilities", "decision_function": "scores"}


def forget_learnt() -> None:
    """Clear what was learnt of all rows, so that each run learns anew."""
    fast_path._build_for_all_rows.cache_clear()  # noqa: SLF001 - nothing else clears it
    parameter_paths._build_for_all_rows.cache_clear()  # noqa: SLF001 - likewise


def draw_data(
    rng: np.random.Generator, n: int, p: int, n_classes: int = 0
) -> tuple[Data, FloatArray]:
    """Return n rows of p correlated features, with values or classes that depend on them."""
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.3 * rng.normal(size=(p, p))) + 5.0
    if n_classes == 2:
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = X @ rng.normal(size=p) / p**0.5 + rng.normal(size=n)
    if n_classes:
        y = np.digitize(y, np.quantile(y, np.linspace(0, 1, n_classes + 1)[1:-1]))
    task = "classification" if n_classes else "regression"
    return build_data({f"x{j}": X[:, j] for j in range(p)}, y, task), X


def split_folds(data: Data) -> list[Split]:
    """Return ten random folds."""
    return list(KFold(n_folds=10).splits(build_rows(data), SEED))


def split_rows(data: Data) -> Iterable[Split]:
    """Return the splits of leave-one-out."""
    return LeaveOneOut().splits(build_rows(data), SEED)


def cv_pairs(data: Data) -> list[tuple[Any, Any]]:
    """Return ten random folds as scikit-learn takes them."""
    return [(split.train, split.test) for split in split_folds(data)]


def run_learner(data: Data, learner: Learner, splits: Iterable[Split]) -> Outcomes:
    """Return the outcomes of one learner over splits, with its predictions."""
    forget_learnt()
    loss = ZeroOne() if data.n_classes else Squared()
    return as_outcomes(run_splits("m", learner, data, splits, loss, SEED, keep_predictions=True))


def run_together(data: Data, learners: dict[str, Learner], splits: Any) -> dict[str, Outcomes]:
    """Return the outcomes of learners that differ in one parameter, run as a selection does.

    Learners that share no work are groups of their own.
    """
    forget_learnt()
    loss = ZeroOne() if data.n_classes else Squared()
    outcomes: dict[str, Any] = {}
    for group in group_by_parameter(learners):
        outcomes |= run_path(group, data, copy(splits), loss, SEED)
    return outcomes


def predict_folds(data: Data, learner: Learner, method: str) -> FloatArray:
    """Return our predictions of all rows over ten folds, in the order of the folds."""
    outcomes = run_learner(data, learner, split_folds(data))
    return np.asarray(getattr(outcomes, PREDICTIONS[method]))


def predict_left_out(data: Data, learner: Learner, method: str) -> FloatArray:
    """Return our predictions of all rows, each left out."""
    return np.asarray(getattr(run_learner(data, learner, split_rows(data)), PREDICTIONS[method]))


def sklearn_folds(learner: Any, X: Any, data: Data, method: str) -> FloatArray:
    """Return scikit-learn's predictions over the same folds, in the same order."""
    folds = cv_pairs(data)
    predicted = cross_val_predict(learner, X, data.y, cv=folds, method=method)
    return np.asarray(predicted[np.concatenate([test for _, test in folds])])


def sklearn_left_out(
    learner: Any, X: Any, y: np.ndarray, method: str, rows: np.ndarray
) -> FloatArray:
    """Return scikit-learn's predictions of some rows, each by a fit on all others."""
    every, predicted = np.arange(len(y)), []
    for row in rows:
        train = np.delete(every, row)
        fitted = learner.fit(X[train], y[train])
        predicted.append(getattr(fitted, method)(X[row : row + 1])[0])
    return np.array(predicted)


def mean_losses(outcomes: dict[str, Any]) -> FloatArray:
    """Return the mean of the fold means of each learner's losses."""
    means = [[o.losses.mean() for o in of_learner] for of_learner in outcomes.values()]
    return np.asarray(np.array(means).mean(axis=1))


def mean_scores(search: Any) -> FloatArray:
    """Return the mean losses over folds of each value of a fitted grid search."""
    scores = np.asarray(search.cv_results_["mean_test_score"])
    return -scores if search.scoring == "neg_mean_squared_error" else 1 - scores
