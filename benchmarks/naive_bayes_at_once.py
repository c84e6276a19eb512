"""Naive Bayes: many smoothings, rows left out one by one, and measurements, beside scikit-learn.

``python benchmarks/naive_bayes_at_once.py [counts.npz] [target]``: an NPZ with a CSR matrix (data,
indices, indptr, shape) and ``y``, or made-up documents without a file. Ours is all that a job does
to learn and predict (``run_splits``, ``run_path``), with an object per split; scikit-learn's is
``GridSearchCV`` over the same splits, a loop of fits of which a few are timed and the rest is
their mean, and ``cross_val_predict``. CPU time of this process, one thread, medians of runs in
turn.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import sys
from typing import Any

import numpy as np
from scipy.sparse import csr_array, random_array
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB

from benchmarks.clock import time_in_turn
from thetahat.cross_validation import (
    build_rows,
    group_by_parameter,
    parameter_paths,
    run_path,
    run_splits,
)
from thetahat.cross_validation import fast_path as at_once
from thetahat.losses import LOSSES
from thetahat.numerics.loops.compile_ahead import compile_all
from thetahat.pipelines import build, learner_spec
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Split
from thetahat.tables.data import Data, build_data
from thetahat.tables.sparse import NumberedNames, sparse_columns

SMOOTHINGS = np.geomspace(0.01, 10, 20)
PEERS = {
    "multinomial_naive_bayes": MultinomialNB(),
    "bernoulli_naive_bayes": BernoulliNB(),
    "gaussian_naive_bayes": GaussianNB(),
}
LOSS = LOSSES["zero_one"]()
SEED = 1


def clear_caches() -> None:
    """Forget what was learnt of all rows, so that each run counts anew."""
    at_once._of_all_rows.cache_clear()  # noqa: SLF001 - nothing else tells it to
    parameter_paths._of_all_rows.cache_clear()  # noqa: SLF001 - likewise


def split_folds(data: Data) -> list[Split]:
    """Return the splits of ten random folds."""
    scheme: Any = SCHEMES["k_fold"]
    return list(scheme(n_folds=10).splits(build_rows(data), SEED))


def build_learner(name: str, **params: Any) -> Any:
    """Return a learner as a request describes it."""
    return build(learner_spec({"name": name, "params": params}), "classification")


def read_counts(name: str, target: str) -> tuple[Any, np.ndarray]:
    """Return the counts and the classes of a file."""
    with np.load(name) as arrays:
        parts = (arrays["data"].astype(np.float64), arrays["indices"], arrays["indptr"])
        return csr_array(parts, shape=tuple(arrays["shape"])), arrays[target]


def draw_documents() -> tuple[Any, np.ndarray]:
    """20 000 documents over 30 000 words, about 70 words each."""
    rng = np.random.default_rng(SEED)
    X = csr_array(random_array((20_000, 30_000), density=0.0023, rng=rng))
    X.data = np.ceil(3 * X.data**4)
    y = X[:, :3000].sum(axis=1) > X[:, 3000:6000].sum(axis=1)
    return X, np.asarray(y, dtype=np.int8)


def compare_smoothings(data: Data, X: Any, y: np.ndarray, name: str) -> None:
    """20 smoothings x 10 folds."""
    splits = split_folds(data)
    folds = [(split.train, split.test) for split in splits]
    candidates = {f"{s:.3f}": build_learner(name, smoothing=float(s)) for s in SMOOTHINGS}

    def ours() -> list[float]:
        clear_caches()
        (group,) = group_by_parameter(candidates)
        result: Any = run_path(group, data, splits, LOSS, SEED)
        return [float(np.mean([o.losses.mean() for o in result[key]])) for key in candidates]

    grid = GridSearchCV(PEERS[name], {"alpha": SMOOTHINGS}, cv=folds, refit=False)
    (own, peer), (predicted, expected) = time_in_turn([ours, lambda: grid.fit(X, y)], 2)
    difference = np.abs(1 - np.array(predicted) - expected.cv_results_["mean_test_score"]).max()
    print(
        f"20 smoothings x 10 folds  {name:24s} GridSearchCV {peer:8.3f} s  ours {own:7.3f} s  "
        f"ratio {peer / own:6.1f}  largest difference of an error {difference:.1e}"
    )


def compare_leave_one_out(data: Data, X: Any, y: np.ndarray, name: str, n_fits: int = 10) -> None:
    """Print leave-one-out beside a loop over a few fits."""
    learner = build_learner(name)
    rows = np.linspace(0, data.n - 1, n_fits).astype(int)

    def ours() -> Any:
        clear_caches()
        splits = SCHEMES["leave_one_out"]().splits(build_rows(data), SEED)
        return run_splits("a", learner, data, splits, LOSS, SEED, keep_predictions=True)

    def theirs() -> Any:
        every, predicted = np.arange(data.n), []
        for row in rows:
            train = np.delete(every, row)
            fitted = PEERS[name].fit(X[train], y[train])
            predicted.append(fitted.predict_proba(X[row : row + 1])[0])
        return np.array(predicted)

    (own, peer), (result, expected) = time_in_turn([ours, theirs], 3)
    result = np.array([result[row].probabilities[0] for row in rows])
    peer *= data.n / n_fits
    print(
        f"leave-one-out             {name:24s} loop of fits {peer:8.1f} s  ours {own:7.3f} s  "
        f"ratio {peer / own:6.0f}  largest difference {np.abs(result - expected).max():.1e}"
    )


def compare_measurements(n_classes: int) -> None:
    """Gaussian naive Bayes on 20 000 x 50, 10 folds."""
    rng = np.random.default_rng(SEED)
    y = rng.integers(0, n_classes, 20_000)
    X = rng.normal(size=(20_000, 50)) + 0.2 * rng.normal(size=(n_classes, 50))[y]
    columns = {f"x{j}": X[:, j].copy() for j in range(50)}
    data, name = build_data(columns, y, "classification"), "gaussian_naive_bayes"
    splits = split_folds(data)
    folds = [(split.train, split.test) for split in splits]

    def ours() -> Any:
        clear_caches()
        return run_splits("a", build_learner(name), data, splits, LOSS, SEED, keep_predictions=True)

    def theirs() -> Any:
        return cross_val_predict(PEERS[name], X, y, cv=folds, method="predict_proba")

    (own, peer), (result, expected) = time_in_turn([ours, theirs], 9)
    worst = max(np.abs(o.probabilities - expected[o.test]).max() for o in result)
    print(
        f"10 folds, {n_classes:2d} classes      {name:24s} scikit-learn {peer:8.3f} s  "
        f"ours {own:7.3f} s  ratio {peer / own:6.1f}  largest difference {worst:.1e}"
    )
    compare_leave_one_out(data, X, y, name)


def main() -> None:
    arguments = [*sys.argv[1:], "", ""][:2]
    name = arguments[0] or os.environ.get("THETAHAT_COUNTS", "")
    X, y = read_counts(name, arguments[1] or "y") if name else draw_documents()
    columns = {"X": sparse_columns("X", X, NumberedNames("X", X.shape[1]))}
    data = build_data(columns, y, "classification")
    compile_all()
    for count in ("multinomial_naive_bayes", "bernoulli_naive_bayes"):
        compare_smoothings(data, X, y, count)
        compare_leave_one_out(data, X, y, count)
    for n_classes in (2, 10):
        compare_measurements(n_classes)


if __name__ == "__main__":
    main()
