"""Learners under cross-validation beside scikit-learn, in one run, as ratios.

Linear learners at the sizes of the targets are in ``linear_learners.py``.

CPU time of this process, one BLAS thread; the largest difference of the predictions too. Where a
peer would take minutes it runs on some of the splits and is scaled: the line says so.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.clock import clock
from thetahat.cross_validation import (
    Outcomes,
    as_outcomes,
    build_rows,
    group_by_parameter,
    run_path,
    run_splits,
)
from thetahat.cross_validation.fast_path import _of_all_rows
from thetahat.cross_validation.parameter_paths import _of_all_rows as _of_path
from thetahat.learners.base import Learner
from thetahat.learners.gaussian_naive_bayes import GaussianNaiveBayes
from thetahat.learners.nearest_neighbours import NearestNeighbours
from thetahat.learners.ridge import Ridge
from thetahat.losses.squared import Squared
from thetahat.losses.zero_one import ZeroOne
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Split
from thetahat.schemes.k_fold import KFold
from thetahat.tables.data import Data, build_data
from thetahat.values.types import FloatArray

TENFOLD: tuple[str, dict[str, Any]] = ("k_fold", {"n_folds": 10})
ONE_OUT: tuple[str, dict[str, Any]] = ("leave_one_out", {})


def show(what: str, peer: float, ours: float, difference: float) -> None:
    print(
        f"{what:62s} peer {peer * 1e3:10.1f} ms  ours {ours * 1e3:8.1f} ms  "
        f"ratio {peer / ours:7.1f}  difference {difference:.1e}",
        flush=True,
    )


def draw_data(
    rng: np.random.Generator, n: int, p: int, n_classes: int = 0
) -> tuple[Data, FloatArray]:
    """Return n rows of p correlated features, with values or classes that depend on them."""
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.3 * rng.normal(size=(p, p))) + 5.0
    signal = X @ rng.normal(size=p) / p**0.5 + rng.normal(size=n)
    y = signal
    if n_classes:
        y = np.digitize(signal, np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1]))
    task = "classification" if n_classes else "regression"
    return build_data({f"x{j}": X[:, j] for j in range(p)}, y, task), X


def compare(  # noqa: PLR0913 - what is compared, and over which splits
    what: str,
    learner: Learner,
    theirs: Any,
    data: Data,
    X: FloatArray,
    scheme: str,
    params: dict[str, Any],
    *,
    most: int | None = None,
) -> None:
    """Time both over the same splits; ``most`` is how many of them the peer is given."""
    scheme_method, rows_known = SCHEMES[scheme](**params), build_rows(data)
    splits = list(scheme_method.splits(rows_known, 1))
    loss = ZeroOne() if data.n_classes else Squared()

    def ours() -> Outcomes:
        _of_all_rows.cache_clear()
        outcomes = run_splits(
            "m", learner, data, scheme_method.splits(rows_known, 1), loss, 1, keep_predictions=True
        )
        return as_outcomes(outcomes)

    def peer(chosen: list[Split]) -> FloatArray:
        method = "predict_proba" if data.n_classes else "predict"
        parts = []
        for split in chosen:
            model = type(theirs)(**theirs.get_params()).fit(X[split.train], data.y[split.train])
            parts.append(getattr(model, method)(X[split.test]))
        return np.concatenate(parts)

    def call_cross_val_predict() -> FloatArray:
        method = "predict_proba" if data.n_classes else "predict"
        cv = [(split.train, split.test) for split in splits]
        predictions = cross_val_predict(theirs, X, data.y, cv=cv, method=method)
        return np.concatenate([predictions[split.test] for split in splits])

    our_seconds, outcomes = clock(ours, 3)
    if outcomes.fit_reason:
        print(
            f"{what}: {len(outcomes.fit_reason)} of {len(outcomes)} splits were fitted", flush=True
        )
    predictions = np.asarray(
        outcomes.output if outcomes.probabilities is None else outcomes.probabilities
    )
    if most is None:
        peer_seconds, expected = clock(call_cross_val_predict, 3)
    else:
        step = max(1, len(splits) // most)
        chosen = splits[::step]
        peer_seconds, expected = clock(lambda: peer(chosen), 1)
        peer_seconds *= len(splits) / len(chosen)
        rows = np.cumsum([0, *(len(split.test) for split in splits)])
        predictions = np.concatenate(
            [predictions[rows[i] : rows[i + 1]] for i in range(0, len(splits), step)]
        )
        what += f" (peer from {len(chosen)})"
    show(what, peer_seconds, our_seconds, float(np.abs(predictions - expected).max()))


def fit_together(data: Data, learners: dict[str, Learner], splits: Any) -> dict[str, Any]:
    """Run learners that differ in one parameter, as a selection runs them; outcomes by name."""
    _of_path.cache_clear()
    (group,) = group_by_parameter(learners)
    loss = ZeroOne() if data.n_classes else Squared()
    return run_path(group, data, splits, loss, 1)


def compare_grid(  # noqa: PLR0913 - what is compared, and over which splits
    what: str,
    learners: dict[str, Learner],
    theirs: Any,
    grid: dict[str, list[Any]],
    data: Data,
    X: FloatArray,
) -> None:
    """Time a grid in ten folds beside GridSearchCV, which may be given fewer of the values."""
    splits = list(KFold(n_folds=10).splits(build_rows(data), 1))
    cv = [(split.train, split.test) for split in splits]
    scoring = "accuracy" if data.n_classes else "neg_mean_squared_error"
    search = GridSearchCV(theirs, grid, scoring=scoring, cv=cv, refit=False)
    (values,) = grid.values()
    peer, result = clock(partial(search.fit, X, data.y), 1)
    our_seconds, outcomes = clock(partial(fit_together, data, learners, splits), 3)
    errors = np.array(
        [np.mean([o.losses.mean() for o in of_learner]) for of_learner in outcomes.values()]
    )
    score = result.cv_results_["mean_test_score"]
    expected = 1 - score if data.n_classes else -score
    gap = float(np.abs(errors[:: len(errors) // len(values)][: len(values)] - expected).max())
    result = f" (peer from {len(values)})" if len(values) < len(learners) else ""
    show(
        what + result, peer * len(learners) / len(values), our_seconds, gap / float(expected.mean())
    )


def compare_neighbours(rng: np.random.Generator) -> None:
    """Row 2c: one number of neighbours in ten folds, ten times ten and leave-one-out; a grid."""
    for n, p in ((5000, 5), (5000, 50)):
        data, X = draw_data(rng, n, p, 3)
        near, theirs = NearestNeighbours(), KNeighborsClassifier()
        name = f"nearest neighbours, n = {n}, p = {p}"
        compare(f"{name}, ten folds", near, theirs, data, X, *TENFOLD)
        repeated = ("repeated_k_fold", {"n_folds": 10, "n_repeats": 10})
        compare(f"{name}, ten times ten folds", near, theirs, data, X, *repeated, most=100)
        compare(f"{name}, leave-one-out", near, theirs, data, X, *ONE_OUT, most=50)
        numbers = list(range(1, 31, 2))
        learners: dict[str, Learner] = {f"{k}": NearestNeighbours(k=k) for k in numbers}
        what = f"{name}, 15 numbers, ten folds"
        compare_grid(what, learners, theirs, {"n_neighbors": numbers}, data, X)


def main() -> None:
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(1)
    for n, p in ((2000, 20), (10_000, 100)):
        data, X = draw_data(rng, n, p)
        name = f"ridge, n = {n}, p = {p}, ten folds"
        compare(name, Ridge(), TheirRidge(), data, X, *TENFOLD)
    for n, p in ((1000, 20), (5000, 100)):
        data, X = draw_data(rng, n, p)
        name = f"ridge, n = {n}, p = {p}, leave-one-out"
        compare(name, Ridge(), TheirRidge(), data, X, *ONE_OUT, most=100)
    data, X = draw_data(rng, 300, 3000)
    compare("ridge, n = 300, p = 3000, ten folds", Ridge(), TheirRidge(), data, X, *TENFOLD)
    compare(
        "ridge, n = 300, p = 3000, leave-one-out", Ridge(), TheirRidge(), data, X, *ONE_OUT, most=50
    )
    data, X = draw_data(rng, 20_000, 50, 5)
    name = "Gaussian naive Bayes, n = 20000, p = 50, ten folds"
    compare(name, GaussianNaiveBayes(), GaussianNB(), data, X, *TENFOLD)
    compare_neighbours(rng)


if __name__ == "__main__":
    main()
