"""Learners under cross-validation beside scikit-learn, in one run, as ratios.

CPU time of this process, one BLAS thread; the largest difference of the predictions too. Where a
peer would take minutes it runs on some of the splits and is scaled: the line says so.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from thetahat.data import Data, data_of
from thetahat.learners._ridge_path import RidgePath
from thetahat.learners.base import Learner, Part
from thetahat.learners.gaussian_naive_bayes import GaussianNaiveBayes
from thetahat.learners.linear_discriminant import LinearDiscriminant
from thetahat.learners.nearest_neighbours import NearestNeighbours
from thetahat.learners.ridge import Ridge
from thetahat.losses.squared import Squared
from thetahat.losses.zero_one import ZeroOne
from thetahat.resampling import rows_of, run_splits
from thetahat.resampling.at_once import _of_all_rows, part_of
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Split
from thetahat.schemes.k_fold import KFold
from thetahat.types import FloatArray


def clock(call: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """Median CPU seconds and the last answer."""
    times, answer = [], None
    for _ in range(repeats):
        start = time.process_time()
        answer = call()
        times.append(time.process_time() - start)
    return statistics.median(times), answer


def show(what: str, peer: float, ours: float, difference: float) -> None:
    print(
        f"{what:62s} peer {peer * 1e3:10.1f} ms  ours {ours * 1e3:8.1f} ms  "
        f"ratio {peer / ours:7.1f}  difference {difference:.1e}",
        flush=True,
    )


def made(rng: np.random.Generator, n: int, p: int, n_classes: int = 0) -> tuple[Data, FloatArray]:
    """Return n rows of p correlated features, with values or classes that depend on them."""
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.3 * rng.normal(size=(p, p))) + 5.0
    signal = X @ rng.normal(size=p) / p**0.5 + rng.normal(size=n)
    y = signal
    if n_classes:
        y = np.digitize(signal, np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1]))
    task = "classification" if n_classes else "regression"
    return data_of({f"x{j}": X[:, j] for j in range(p)}, y, task), X


def beside(  # noqa: PLR0913 - what is compared, and over which splits
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
    splits = list(SCHEMES[scheme](**params).splits(rows_of(data), 1))
    loss = ZeroOne() if data.n_classes else Squared()

    def ours() -> FloatArray:
        _of_all_rows.cache_clear()
        done = run_splits("m", learner, data, splits, loss, 1, keep_predictions=True)
        fitted = sum(outcome.why_plain is not None for outcome in done)
        if fitted:
            print(f"{what}: {fitted} of {len(done)} splits were fitted", flush=True)
        return np.concatenate([np.asarray(_said(o.probabilities, o.output)) for o in done])

    def peer(some: list[Split]) -> FloatArray:
        method = "predict_proba" if data.n_classes else "predict"
        parts = []
        for split in some:
            model = type(theirs)(**theirs.get_params()).fit(X[split.train], data.y[split.train])
            parts.append(getattr(model, method)(X[split.test]))
        return np.concatenate(parts)

    def as_a_user() -> FloatArray:
        method = "predict_proba" if data.n_classes else "predict"
        cv = [(split.train, split.test) for split in splits]
        said = cross_val_predict(theirs, X, data.y, cv=cv, method=method)
        return np.concatenate([said[split.test] for split in splits])

    mine, said = clock(ours)
    if most is None:
        time_of_peer, wanted = clock(as_a_user)
    else:
        step = max(1, len(splits) // most)
        some = splits[::step]
        time_of_peer, wanted = clock(lambda: peer(some), 1)
        time_of_peer *= len(splits) / len(some)
        rows = np.cumsum([0, *(len(split.test) for split in splits)])
        said = np.concatenate([said[rows[i] : rows[i + 1]] for i in range(0, len(splits), step)])
        what += f" (peer from {len(some)})"
    show(what, time_of_peer, mine, float(np.abs(said - wanted).max()))


def _said(probabilities: FloatArray | None, output: Any) -> Any:
    return output if probabilities is None else probabilities


def penalties(rng: np.random.Generator) -> None:
    """Row 2a: 200 penalties, ten folds beside GridSearchCV, leave-one-out beside RidgeCV."""
    grid = np.logspace(-3, 6, 200)
    for n, p, few in ((2000, 20, 20), (10_000, 100, 2)):
        data, X = made(rng, n, p)
        splits = list(KFold(n_folds=10).splits(rows_of(data), 1))
        parts = [part_of(split, n) for split in splits]

        def ours(X: FloatArray = X, data: Data = data, parts: list[Part] = parts) -> FloatArray:
            path = RidgePath(X, data.y, None, grid)
            errors = [((path.predict(part).T - data.y[part.test]) ** 2).mean(1) for part in parts]
            return np.asarray(np.mean(errors, axis=0))

        some = grid[:: 200 // few]
        search = GridSearchCV(
            TheirRidge(),
            {"alpha": some.tolist()},
            scoring="neg_mean_squared_error",
            cv=[(split.train, split.test) for split in splits],
            refit=False,
        )
        peer, theirs = clock(partial(search.fit, X, data.y), 1)
        mine, errors = clock(ours)
        wanted = -theirs.cv_results_["mean_test_score"]
        gap = float(np.abs(errors[:: 200 // few] / wanted - 1).max())
        what = f"ridge, n = {n}, p = {p}, 200 penalties, ten folds (peer from {few})"
        show(what, peer * 200 / few, mine, gap)
    for n, p in ((1000, 20), (5000, 100)):
        data, X = made(rng, n, p)

        def each(X: FloatArray = X, data: Data = data) -> FloatArray:
            return RidgePath(X, data.y, None, grid).each_left_out()

        def closed(X: FloatArray = X, data: Data = data) -> Any:
            return RidgeCV(grid, store_cv_results=True).fit(X, data.y)

        peer, theirs = clock(closed, 1)
        mine, said = clock(each)
        gap = float(np.abs((said - data.y[:, None]) ** 2 - theirs.cv_results_).max())
        show(f"ridge, n = {n}, p = {p}, 200 penalties, leave-one-out, RidgeCV", peer, mine, gap)


def main() -> None:
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(1)
    penalties(rng)
    tenfold: tuple[str, dict[str, Any]] = ("k_fold", {"n_folds": 10})
    loo: tuple[str, dict[str, Any]] = ("leave_one_out", {})
    for n, p in ((2000, 20), (10_000, 100)):
        data, X = made(rng, n, p)
        name = f"ridge, n = {n}, p = {p}, ten folds"
        beside(name, Ridge(), TheirRidge(), data, X, *tenfold)
    for n, p in ((1000, 20), (5000, 100)):
        data, X = made(rng, n, p)
        name = f"ridge, n = {n}, p = {p}, leave-one-out"
        beside(name, Ridge(), TheirRidge(), data, X, *loo, most=100)
    data, X = made(rng, 300, 3000)
    beside("ridge, n = 300, p = 3000, ten folds", Ridge(), TheirRidge(), data, X, *tenfold)
    beside("ridge, n = 300, p = 3000, leave-one-out", Ridge(), TheirRidge(), data, X, *loo, most=50)
    data, X = made(rng, 20_000, 50, 5)
    name = "Gaussian naive Bayes, n = 20000, p = 50, ten folds"
    beside(name, GaussianNaiveBayes(), GaussianNB(), data, X, *tenfold)
    theirs = LinearDiscriminantAnalysis()
    for n, p in ((2000, 20), (5000, 100)):
        data, X = made(rng, n, p, 3)
        name = f"linear discriminant, n = {n}, p = {p}"
        beside(f"{name}, ten folds", LinearDiscriminant(), theirs, data, X, *tenfold)
        beside(f"{name}, leave-one-out", LinearDiscriminant(), theirs, data, X, *loo, most=50)
    for n, p in ((5000, 5), (5000, 50)):
        data, X = made(rng, n, p, 3)
        near, neighbours = NearestNeighbours(), KNeighborsClassifier()
        name = f"nearest neighbours, n = {n}, p = {p}"
        beside(f"{name}, ten folds", near, neighbours, data, X, *tenfold)
        repeated = ("repeated_k_fold", {"n_folds": 10, "n_repeats": 10})
        beside(f"{name}, ten times ten folds", near, neighbours, data, X, *repeated, most=100)
        beside(f"{name}, leave-one-out", near, neighbours, data, X, *loo, most=50)


if __name__ == "__main__":
    main()
