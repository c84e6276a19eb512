"""Naive Bayes and a linear model over sparse counts of words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array, random_array
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

from benchmarks import learning
from benchmarks.rows import Bench, BenchmarkRow
from benchmarks.uploaded import open_upload, run_evaluation
from thetahat.pipelines import build, read_learner_spec
from thetahat.tables.data import Data, build_data
from thetahat.tables.sparse import NumberedNames, build_sparse_columns
from thetahat.values.json_values import to_json
from thetahat_service.kinds.base import Finished

LINEAR: dict[str, Any] = {"loss": "log_loss", "max_iter": 20, "tol": None, "random_state": 0}
COUNTS = {"multinomial_naive_bayes": MultinomialNB(), "bernoulli_naive_bayes": BernoulliNB()}
EVALUATION: dict[str, Any] = {
    "columns": {"target": "y", "features": ["X"], "source": "domain"},
    "learners": {"a": "multinomial_naive_bayes"},
    "scheme": {"name": "k_fold", "params": {"n_folds": 10}},
}


def draw_documents(n: int, words: int) -> tuple[Any, np.ndarray]:
    """Return documents of about 70 words each, and their classes."""
    rng = np.random.default_rng(learning.SEED)
    X = csr_array(random_array((n, words), density=70 / words, rng=rng))
    X.data = np.ceil(3 * X.data**4)
    y = X[:, : words // 10].sum(axis=1) > X[:, words // 10 : words // 5].sum(axis=1)
    return X, np.asarray(y, dtype=np.int8)


def measure_rows(bench: Bench) -> Iterator[BenchmarkRow]:
    sizes = (
        ((200, 500), (400, 500))
        if bench.short
        else ((1000, 10_000), (5000, 30_000), (20_000, 30_000))
    )
    for n, words in sizes:
        X, y = draw_documents(n, words)
        columns = {"X": build_sparse_columns("X", X, NumberedNames("X", words))}
        data = build_data(columns, y, "classification")
        for name, peer in COUNTS.items():
            yield _compare_folds(bench, name, name, peer, data, X)
            yield _compare_left_out(bench, name, peer, data, X)
            yield _compare_smoothings(bench, name, peer, data, X)
        spec = {"name": "SGDClassifier", "params": LINEAR}
        yield _compare_folds(bench, "SGDClassifier", spec, SGDClassifier(**LINEAR), data, X)
        yield from _compare_service(bench, data, X)


def _build(spec: Any) -> Any:
    return build(read_learner_spec(spec), "classification")


def _compare_folds(  # noqa: PLR0913 - the two sides and their data
    bench: Bench, name: str, spec: Any, peer: Any, data: Data, X: Any
) -> BenchmarkRow:
    return bench.compare(
        task=f"documents: {name}, ten folds",
        use="Cross-validates a classifier of texts in ten folds.",
        size=data.n,
        unit="documents",
        setting=f"{X.shape[1]} words",
        ours=partial(learning.predict_folds, data, _build(spec), "predict_proba"),
        peer="cross_val_predict",
        peer_call=partial(learning.sklearn_folds, peer, X, data, "predict_proba"),
        tolerance=1e-9,
        bytes_read=2.0 * (X.data.nbytes + X.indices.nbytes),
    )


def _compare_left_out(bench: Bench, name: str, peer: Any, data: Data, X: Any) -> BenchmarkRow:
    rows = np.linspace(0, data.n - 1, 5).astype(int)
    return bench.compare(
        task=f"documents: {name}, leave-one-out",
        use="Predicts each text by a classifier that learnt from all others.",
        size=data.n,
        unit="documents",
        setting=f"{X.shape[1]} words",
        ours=partial(learning.predict_left_out, data, _build(name), "predict_proba"),
        peer="a loop of fits",
        peer_call=partial(learning.sklearn_left_out, peer, X, data.y, "predict_proba", rows),
        peer_share=len(rows) / data.n,
        difference=lambda own, theirs: float(np.abs(own[rows] - theirs).max()),
        tolerance=1e-9,
        bytes_read=2.0 * (X.data.nbytes + X.indices.nbytes),
    )


def _compare_smoothings(bench: Bench, name: str, peer: Any, data: Data, X: Any) -> BenchmarkRow:
    values = np.geomspace(0.01, 10, 20)
    learners = {
        f"{v:.3f}": _build({"name": name, "params": {"smoothing": float(v)}}) for v in values
    }
    few = values[::10]
    folds = learning.cv_pairs(data)
    search = GridSearchCV(peer, {"alpha": few}, scoring="accuracy", cv=folds, refit=False)
    return bench.compare(
        task=f"documents: {name}, 20 smoothings in ten folds",
        use="Chooses how much a classifier of texts is smoothed.",
        size=data.n,
        unit="documents",
        setting=f"{X.shape[1]} words",
        ours=partial(learning.run_together, data, learners, learning.split_folds(data)),
        peer="GridSearchCV",
        peer_call=partial(search.fit, X, data.y),
        peer_share=len(few) / len(values),
        difference=lambda own, theirs: float(
            np.abs(learning.mean_losses(own)[::10] - learning.mean_scores(theirs)).max()
        ),
        tolerance=1e-9,
        bytes_read=2.0 * (X.data.nbytes + X.indices.nbytes),
    )


def _compare_service(bench: Bench, data: Data, X: Any) -> Iterator[BenchmarkRow]:
    """Yield the row of a whole evaluation of an uploaded file, read anew."""
    parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
    arrays = {"y": data.y, "domain": np.arange(data.n) * 10 // data.n, **parts}
    with open_upload(arrays, np.savez_compressed) as file:
        yield bench.compare(
            task="documents: an uploaded file, naive Bayes, ten folds",
            use="A whole evaluation as the service runs it: file read, learner, all intervals.",
            size=data.n,
            unit="documents",
            setting=f"{X.shape[1]} words",
            ours=partial(run_evaluation, file, EVALUATION),
            peer="cross_val_predict, the matrix in memory",
            peer_call=partial(learning.sklearn_folds, MultinomialNB(), X, data, "predict"),
            difference=partial(_compare_errors, data),
            tolerance=0.02,
            bytes_read=2.0 * (X.data.nbytes + X.indices.nbytes),
        )


def _compare_errors(data: Data, done: Finished, predicted: np.ndarray) -> float:
    order = np.concatenate([test for _, test in learning.cv_pairs(data)])
    error = float((predicted != data.y[order]).mean())
    return abs(float(to_json(done.result)["models"]["a"]["mean"]["pooled"]) - error)
