"""Learners in ten folds, with each row left out, and over a grid of one parameter."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from benchmarks import learning
from benchmarks.rows import Bench, BenchmarkRow, relative_difference
from thetahat.cross_validation import build_rows
from thetahat.learners.base import Learner
from thetahat.learners.gaussian_naive_bayes import GaussianNaiveBayes
from thetahat.learners.linear_discriminant import LinearDiscriminant
from thetahat.learners.logistic_regression import LogisticRegression
from thetahat.learners.nearest_neighbours import NearestNeighbours
from thetahat.learners.ridge import Ridge
from thetahat.schemes.base import Split
from thetahat.schemes.repeated_k_fold import RepeatedKFold
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray

EXACT = TheirLogistic(tol=1e-8, max_iter=10_000)
LEARNERS: list[tuple[str, Learner, Any, str, int, float]] = [
    ("ridge", Ridge(), TheirRidge(), "predict", 0, 1e-6),
    ("linear discriminant", LinearDiscriminant(), LinearDiscriminantAnalysis(), "predict_proba", 3,
     1e-4),
    ("logistic regression", LogisticRegression(), TheirLogistic(), "decision_function", 2, 0.1),
    ("logistic regression, tol 1e-8", LogisticRegression(), EXACT, "decision_function", 2, 1e-3),
    ("Gaussian naive Bayes", GaussianNaiveBayes(), GaussianNB(), "predict_proba", 5, 1e-6),
    ("nearest neighbours", NearestNeighbours(k=5), KNeighborsClassifier(5), "predict_proba", 3,
     1e-9),
]  # fmt: skip


def measure_rows(bench: Bench) -> Iterator[BenchmarkRow]:
    rng = np.random.default_rng(1)
    sizes = ((100, 5), (400, 5)) if bench.short else ((200, 20), (2000, 20), (5000, 50))
    for name, learner, peer, method, n_classes, tolerance in LEARNERS:
        for n, p in sizes:
            data, X = learning.draw_data(rng, n, p, n_classes)
            yield bench.compare(
                task=f"{name}, ten folds",
                use="Cross-validates one learner in ten folds and keeps every prediction.",
                size=n,
                unit="rows",
                setting=f"{p} features",
                ours=partial(learning.predict_folds, data, learner, method),
                peer="cross_val_predict",
                peer_call=partial(learning.sklearn_folds, peer, X, data, method),
                tolerance=tolerance,
                bytes_read=X.nbytes,
            )
        for n, p in sizes if bench.short else sizes[:2]:
            data, X = learning.draw_data(rng, n, p, n_classes)
            rows = np.arange(0, n, max(1, n // (4 if bench.short else 20)))
            yield bench.compare(
                task=f"{name}, leave-one-out",
                use="Cross-validates one learner with each row left out once.",
                size=n,
                unit="rows",
                setting=f"{p} features",
                ours=partial(learning.predict_left_out, data, learner, method),
                peer="a loop of fits",
                peer_call=partial(learning.sklearn_left_out, peer, X, data.y, method, rows),
                peer_share=len(rows) / n,
                difference=partial(_compare_rows, rows),
                tolerance=tolerance,
                bytes_read=X.nbytes,
            )
    yield from _measure_grids(bench, rng)
    yield from _measure_ridge_rows(bench, rng)
    yield from _measure_repeats(bench, rng)


def _compare_rows(rows: np.ndarray, ours: FloatArray, theirs: FloatArray) -> float:
    return float(np.abs(ours[rows] - theirs).max())


def _measure_grids(bench: Bench, rng: np.random.Generator) -> Iterator[BenchmarkRow]:
    n, p = (200, 5) if bench.short else (2000, 20)
    for count in (2, 5) if bench.short else (2, 20, 200):
        penalties = [float(v) for v in np.logspace(-3, 4, count)]
        ridges: dict[str, Learner] = {f"{v}": Ridge(penalty=v) for v in penalties}
        data, X = learning.draw_data(rng, n, p)
        few = penalties[:: max(1, count // 10)]
        yield _compare_grid(bench, "ridge", ridges, TheirRidge(), {"alpha": few}, (data, X))
    for count in (2, 3) if bench.short else (2, 5, 15):
        numbers = list(range(1, 2 * count, 2))
        near: dict[str, Learner] = {f"{k}": NearestNeighbours(k=k) for k in numbers}
        data, X = learning.draw_data(rng, n, p, 3)
        grid = {"n_neighbors": numbers}
        yield _compare_grid(
            bench, "nearest neighbours", near, KNeighborsClassifier(), grid, (data, X)
        )
    for count in (2, 3) if bench.short else (2, 5, 20):
        values = [float(v) for v in np.logspace(-4, 4, count)]
        fits: dict[str, Learner] = {f"{c}": LogisticRegression(penalty=1 / c) for c in values}
        data, X = learning.draw_data(rng, n, p, 2)
        yield _compare_grid(
            bench, "logistic regression", fits, TheirLogistic(), {"C": values}, (data, X)
        )


def _compare_grid(  # noqa: PLR0913 - what is compared, and on what
    bench: Bench,
    name: str,
    learners: dict[str, Learner],
    peer: Any,
    grid: dict[str, list[Any]],
    rows: tuple[Data, FloatArray],
) -> BenchmarkRow:
    """Return the row of a grid of values in ten folds, of which the peer may take every k-th."""
    data, X = rows
    (values,) = grid.values()
    scoring = "accuracy" if data.n_classes else "neg_mean_squared_error"
    cv = learning.cv_pairs(data)
    search = GridSearchCV(peer, grid, scoring=scoring, cv=cv, refit=False)
    step = len(learners) // len(values)
    return bench.compare(
        task=f"{name}, a grid of one parameter",
        use="Compares all values of one parameter in ten folds, as a selection does.",
        size=len(learners),
        unit="learners",
        setting=f"{data.n} rows, {X.shape[1]} features",
        ours=partial(learning.run_together, data, learners, learning.split_folds(data)),
        peer="GridSearchCV",
        peer_call=partial(search.fit, X, data.y),
        peer_share=len(values) / len(learners),
        difference=lambda own, theirs: relative_difference(
            learning.mean_losses(own)[::step][: len(values)], learning.mean_scores(theirs)
        ),
        tolerance=0.02 if name.startswith("logistic") else 1e-8,
        bytes_read=X.nbytes,
    )


def _measure_ridge_rows(bench: Bench, rng: np.random.Generator) -> Iterator[BenchmarkRow]:
    penalties = np.logspace(-3, 6, 5 if bench.short else 200)
    learners: dict[str, Learner] = {f"{v}": Ridge(penalty=float(v)) for v in penalties}
    for n, p in ((100, 5), (300, 5)) if bench.short else ((500, 20), (2000, 20), (2000, 100)):
        data, X = learning.draw_data(rng, n, p)
        yield bench.compare(
            task="ridge, 200 penalties, leave-one-out",
            use="Chooses a penalty by the squared error of each row left out.",
            size=n,
            unit="rows",
            setting=f"{p} features",
            ours=partial(_run_left_out, data, learners),
            peer="RidgeCV, in closed form",
            peer_call=partial(_run_closed_form, penalties, X, data.y),
            difference=lambda own, theirs: relative_difference(
                np.column_stack([outcome.losses for outcome in own.values()]), theirs
            ),
            tolerance=1e-6,
            flops=2.0 * n * p * len(penalties) + 2.0 * n * p**2,
        )


def _measure_repeats(bench: Bench, rng: np.random.Generator) -> Iterator[BenchmarkRow]:
    n, p = (200, 5) if bench.short else (2000, 20)
    data, X = learning.draw_data(rng, n, p, 3)
    rows = build_rows(data)
    for repeats in (2, 3) if bench.short else (2, 5, 10):
        splits = list(RepeatedKFold(n_folds=10, n_repeats=repeats).splits(rows, 1))
        folds = [(split.train, split.test) for split in splits]
        yield bench.compare(
            task="nearest neighbours, repeated folds",
            use="Repeats ten folds to lessen the part of chance that the division has.",
            size=repeats,
            unit="repeats",
            setting=f"{n} rows, {p} features",
            ours=partial(_predict_repeats, data, splits),
            peer="cross_val_predict, once for each repeat",
            peer_call=partial(_predict_repeats_by_peer, X, data.y, folds),
            tolerance=1e-9,
            bytes_read=X.nbytes,
        )


def _run_left_out(data: Data, learners: dict[str, Learner]) -> dict[str, Any]:
    return learning.run_together(data, learners, learning.split_rows(data))


def _run_closed_form(penalties: np.ndarray, X: FloatArray, y: np.ndarray) -> FloatArray:
    return np.asarray(RidgeCV(penalties, store_cv_results=True).fit(X, y).cv_results_)


def _predict_repeats(data: Data, splits: list[Split]) -> FloatArray:
    return np.asarray(learning.run_learner(data, NearestNeighbours(k=5), splits).probabilities)


def _predict_repeats_by_peer(X: FloatArray, y: np.ndarray, folds: list[Any]) -> FloatArray:
    repeats = (folds[at : at + 10] for at in range(0, len(folds), 10))
    return np.concatenate([_predict_repeat(X, y, repeat) for repeat in repeats])


def _predict_repeat(X: FloatArray, y: np.ndarray, folds: list[Any]) -> FloatArray:
    peer = KNeighborsClassifier(5)
    predicted = cross_val_predict(peer, X, y, cv=folds, method="predict_proba")
    return np.asarray(predicted[np.concatenate([test for _, test in folds])])
