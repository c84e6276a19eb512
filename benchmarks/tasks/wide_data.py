"""Every own learner on data with more columns than rows, beside scikit-learn's equivalent."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

import thetahat
from benchmarks.rows import Bench, BenchmarkRow
from benchmarks.uploaded import open_upload, run_evaluation
from thetahat_service.kinds.base import DatasetFile

PEERS: dict[str, list[tuple[str, Any]]] = {
    "majority": [("DummyClassifier", DummyClassifier())],
    "mean": [("DummyRegressor", DummyRegressor())],
    "nearest_mean": [("NearestCentroid", NearestCentroid())],
    "linear_discriminant": [("LinearDiscriminantAnalysis", LinearDiscriminantAnalysis())],
    "diagonal_discriminant": [("GaussianNB (a variance for each class)", GaussianNB())],
    "gaussian_naive_bayes": [("GaussianNB", GaussianNB())],
    "nearest_neighbours": [("KNeighborsClassifier", KNeighborsClassifier(5))],
    "logistic_regression": [
        ("LogisticRegression, tol 1e-4 (stops early)", LogisticRegression()),
        ("LogisticRegression, tol 1e-8", LogisticRegression(tol=1e-8, max_iter=10_000)),
    ],
    "multinomial_naive_bayes": [("MultinomialNB", MultinomialNB())],
    "bernoulli_naive_bayes": [("BernoulliNB", BernoulliNB())],
    "ridge": [("Ridge", Ridge())],
    "least_squares": [("LinearRegression", LinearRegression())],
}
REGRESSION = {"mean", "ridge", "least_squares"}
COUNTS = {"multinomial_naive_bayes", "bernoulli_naive_bayes"}
OTHER_MODEL = {"diagonal_discriminant", "linear_discriminant"}
"""Learners whose peer shrinks or estimates something else where columns exceed rows."""
UPLOADED = ("majority", "nearest_mean", "nearest_neighbours")
"""Learners so quick that reading the file is a large part of the evaluation."""
REASON_FOR_UPLOADS = (
    "Of 0.17 s for 16 000 columns (profile of `majority`), 0.1 s read the columns one by one, 6 µs"
    " each, because each has a name, a type and missing values of its own; 0.05 s compute all"
    " intervals with their resamples and write the result, which the peer does not do. An array of"
    " more than 50 000 columns is one column and is read at once."
)
FEW_ROWS_FLIP = 0.03
"""Share of rows whose predicted class may differ between two solvers that both converge."""
SIZES = ((72, 16_000), (2_000, 2_000), (300, 100_000))


def measure_rows(bench: Bench) -> Iterator[BenchmarkRow]:
    for n, p in ((40, 100), (60, 150)) if bench.short else SIZES:
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, n)
        X = rng.normal(size=(n, p))
        X[:, :50] += 0.5 * y[:, None]
        counts = rng.poisson(1.0, size=(n, p)).astype(float)
        values = X[:, :20].sum(axis=1) + rng.normal(size=n)
        for learner, peers in PEERS.items():
            data = counts if learner in COUNTS else X
            target = values if learner in REGRESSION else y
            for name, peer in peers:
                yield _compare_learner(bench, learner, name, peer, data, target)
        yield from _compare_uploads(bench, X, y)


def _compare_learner(  # noqa: PLR0913 - the two sides and their data
    bench: Bench, learner: str, name: str, peer: Any, X: np.ndarray, y: np.ndarray
) -> BenchmarkRow:
    """Return the row of one learner with ten folds, the evaluation of its losses included."""
    task = "regression" if learner in REGRESSION else "classification"
    cut = StratifiedKFold(10) if task == "classification" else None
    fold = np.arange(len(y)) % 10
    if cut is not None:
        for number, (_, test) in enumerate(cut.split(X, y)):
            fold[test] = number
    folds = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(10)]
    return bench.compare(
        task=f"wide data: {learner}",
        use="`thetahat.cross_validate` in ten folds on data such as gene expression, evaluation"
        " of the losses included.",
        size=X.shape[1],
        unit="columns",
        setting=f"{len(y)} rows",
        ours=partial(_mean_loss, X, y, learner, task, fold),
        peer=name,
        peer_call=partial(_mean_loss_of_peer, peer, X, y, task, folds),
        tolerance=_choose_tolerance(learner, name),
        bytes_read=X.nbytes,
    )


def _compare_uploads(bench: Bench, X: np.ndarray, y: np.ndarray) -> Iterator[BenchmarkRow]:
    """Yield the rows of whole evaluations of an uploaded file, which both sides read anew."""
    fold = np.arange(len(y)) % 10
    folds = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(10)]
    with open_upload({"X": X, "y": y, "fold": fold}) as file:
        assert file.path is not None
        for learner in UPLOADED:
            ((name, peer),) = PEERS[learner]
            row = bench.compare(
                task=f"wide data: an uploaded file, {learner}",
                use="A whole evaluation as the service runs it: file read, learner, all intervals.",
                size=X.shape[1],
                unit="columns",
                setting=f"{len(y)} rows",
                ours=partial(_mean_loss_of_upload, file, learner),
                peer=f"numpy.load and cross_val_score of {name}",
                peer_call=partial(_mean_loss_of_file, file.path, peer, folds),
                tolerance=1e-6,
                bytes_read=X.nbytes,
            )
            yield replace(row, least_ratio=1.0, reason=REASON_FOR_UPLOADS)


def _mean_loss_of_upload(file: DatasetFile, learner: str) -> float:
    body = {
        "columns": {"target": "y", "fold": "fold"},
        "learners": {"m": learner},
        "scheme": "predefined",
    }
    done = run_evaluation(file, body)
    return float(thetahat.to_json(done.result)["models"]["m"]["mean"]["pooled"])


def _mean_loss_of_file(path: Path, peer: Any, folds: list[Any]) -> float:
    with np.load(path) as arrays:
        return _mean_loss_of_peer(peer, arrays["X"], arrays["y"], "classification", folds)


def _choose_tolerance(learner: str, peer: str) -> float:
    """Return the largest difference of the mean losses that needs no explanation."""
    if learner in OTHER_MODEL or "stops early" in peer:
        return math.inf
    return FEW_ROWS_FLIP if learner == "logistic_regression" else 1e-6


def _mean_loss(X: np.ndarray, y: np.ndarray, learner: str, task: str, fold: np.ndarray) -> float:
    result = thetahat.cross_validate(
        X, y, {"m": learner}, task=task, scheme="predefined", fold=fold, intervals=()
    )
    return float(thetahat.to_json(result)["models"]["m"]["mean"]["pooled"])


def _mean_loss_of_peer(
    peer: Any, X: np.ndarray, y: np.ndarray, task: str, folds: list[Any]
) -> float:
    scoring = "accuracy" if task == "classification" else "neg_mean_squared_error"
    scores = cross_val_score(peer, X, y, cv=folds, scoring=scoring)
    sizes = [len(test) for _, test in folds]
    score = float(np.average(scores, weights=sizes))
    return 1 - score if task == "classification" else -score
