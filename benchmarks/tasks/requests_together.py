"""Learners of one request that differ in one parameter, as the workers run them: together."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier

from benchmarks import learning
from benchmarks.rows import Bench, BenchmarkRow, relative_difference
from thetahat_service.kinds.base import ChunkOutput, Job
from thetahat_service.kinds.cross_validation.plan import SPLITS, CrossValidationPlan, build_plan
from thetahat_service.kinds.cross_validation.run import run_group
from thetahat_service.kinds.fitting.engine import JoinedOutputs, cut_into_chunks, run_chunk
from thetahat_service.kinds.registry import JOB_KINDS


def measure_rows(bench: Bench) -> Iterator[BenchmarkRow]:
    rng = np.random.default_rng(1)
    n = 100 if bench.short else 2000
    X = rng.normal(size=(n, 10))
    values = X @ rng.normal(size=10) + rng.normal(size=n)
    labels = np.where(X[:, 0] + rng.normal(size=n) > 0, "a", "b")
    words = rng.poisson(0.3, size=(n, 20 if bench.short else 200))
    kinds = np.where(words[:, :5].sum(axis=1) + rng.normal(size=n) > 1.5, "a", "b")
    for count in (2, 3) if bench.short else (2, 5, 20):
        penalties = [float(value) for value in np.geomspace(1e-3, 1e4, count)]
        smoothings = [float(value) for value in np.geomspace(0.01, 10, count)]
        near = [2 * number + 1 for number in range(count)]
        yield _compare(bench, "ridge", "penalty", penalties, Ridge(), "alpha", X, values)
        yield _compare(
            bench, "nearest_neighbours", "k", near, KNeighborsClassifier(), "n_neighbors", X, labels
        )
        yield _compare(
            bench, "multinomial_naive_bayes", "smoothing", smoothings, MultinomialNB(), "alpha",
            words, kinds,
        )  # fmt: skip


def _compare(  # noqa: PLR0913 - the two sides and their data
    bench: Bench,
    learner: str,
    parameter: str,
    values: list[Any],
    peer: Any,
    parameter_of_peer: str,
    X: np.ndarray,
    y: np.ndarray,
) -> BenchmarkRow:
    regression = learner == "ridge"
    plan = _plan_request(
        {
            "kind": "cross_validation",
            "data": {"X": X.tolist(), "y": y.tolist()},
            "task": "regression" if regression else "classification",
            "learners": {str(v): {"name": learner, "params": {parameter: v}} for v in values},
            "scheme": {"name": "k_fold", "params": {"n_folds": 10}},
        }
    )
    folds = [(s.train, s.test) for s in plan.scheme.splits(plan.rows, learning.SEED)]
    scoring = "neg_mean_squared_error" if regression else "accuracy"
    search = GridSearchCV(peer, {parameter_of_peer: values}, scoring=scoring, cv=folds, refit=False)
    return bench.compare(
        task=f"one request: {learner}",
        use="Learners of one request that differ in one parameter, chunk by chunk as workers do.",
        size=len(values),
        unit="learners",
        setting=f"{len(y)} rows, {X.shape[1]} features, ten folds",
        ours=partial(_run_chunks, plan),
        peer="GridSearchCV",
        peer_call=partial(search.fit, X, y),
        difference=lambda own, theirs: relative_difference(own, learning.mean_scores(theirs)),
        tolerance=1e-8,
        bytes_read=8.0 * X.size,
    )


def _plan_request(body: dict[str, Any]) -> CrossValidationPlan:
    kind = JOB_KINDS["cross_validation"]
    request: Any = kind.request.model_validate(body)
    plan = build_plan(Job(uuid4(), kind.name, request, learning.SEED))
    plan.bundles  # noqa: B018 - computed here, and kept
    return plan


def _run_chunks(plan: CrossValidationPlan) -> list[float]:
    """Run all chunks, and return the mean loss of each learner over the folds."""
    learning.forget_learnt()
    run = partial(run_group, plan)  # the kind itself would build the plan again
    outputs = JoinedOutputs(
        plan,
        [
            ChunkOutput(chunk.payload, partial(dict, run_chunk(plan, chunk.payload, run)))
            for chunk in cut_into_chunks(plan)
        ],
    )
    losses: dict[str, list[np.ndarray]] = {name: [] for name in plan.learners}
    for bundle in outputs.bundles:
        for name, record in outputs.read_bundle(bundle).items():
            for arrays in record.arrays[SPLITS]:
                losses[name] += np.split(arrays["losses"], np.cumsum(arrays["n_test"])[:-1])
    return [float(np.mean([fold.mean() for fold in folds])) for folds in losses.values()]
