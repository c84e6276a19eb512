"""One cross-validation of many penalties, neighbours or smoothings beside scikit-learn, in one run.

Ours is what the workers do for the learners of a request of kind ``cross_validation``, chunk by
chunk, predictions kept, without the evaluation of their losses: once as they are run, together,
and once each alone. scikit-learn's is ``GridSearchCV`` over the same ten folds. CPU time of this
process, one BLAS thread, medians of runs in turn; the largest difference of the mean losses too.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import json
import warnings
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.clock import time_in_turn
from service.kinds.base import ChunkOutput, Job
from service.kinds.cross_validation.plan import SPLITS, CrossValidationPlan, build_plan
from service.kinds.cross_validation.run import run_group
from service.kinds.fitting.engine import JoinedOutputs, cut_into_chunks, run_chunk
from service.kinds.registry import JOB_KINDS
from thetahat.cross_validation import fast_path as at_once
from thetahat.cross_validation import learner_groups, parameter_paths

FOLDS, SEED = 10, 1


def plan(body: dict[str, Any], *, together: bool) -> CrossValidationPlan:
    """Return the plan of a request, with its learners in groups or one by one."""
    most = learner_groups.MAX_NUMBERS_TOGETHER
    kind = JOB_KINDS["cross_validation"]
    request: Any = kind.request.model_validate_json(json.dumps(body))
    try:
        if not together:
            learner_groups.MAX_NUMBERS_TOGETHER = 1  # type: ignore[misc]
        made = build_plan(Job(uuid4(), kind.name, request, SEED))
        made.bundles  # noqa: B018 - computed here, and kept
        return made
    finally:
        learner_groups.MAX_NUMBERS_TOGETHER = most  # type: ignore[misc]


def ours(made: CrossValidationPlan) -> dict[str, float]:
    """Do all chunks, and return the mean loss of each learner over the folds."""
    at_once._of_all_rows.cache_clear()  # noqa: SLF001 - each run looks at the rows anew
    parameter_paths._of_all_rows.cache_clear()  # noqa: SLF001 - likewise
    run = partial(run_group, made)  # the kind itself would build the plan again
    outputs = JoinedOutputs(
        made,
        [
            ChunkOutput(chunk.payload, partial(dict, run_chunk(made, chunk.payload, run)))
            for chunk in cut_into_chunks(made)
        ],
    )
    losses: dict[str, list[np.ndarray]] = {name: [] for name in made.learners}
    for bundle in outputs.bundles:
        for name, record in outputs.read_bundle(bundle).items():
            for arrays in record.arrays[SPLITS]:
                losses[name] += np.split(arrays["losses"], np.cumsum(arrays["n_test"])[:-1])
    return {name: float(np.mean([fold.mean() for fold in of])) for name, of in losses.items()}


def beside(what: str, body: dict[str, Any], theirs: Any, grid: dict[str, list[Any]]) -> None:
    """Print one line."""
    X, y = np.array(body["data"]["X"]), np.array(body["data"]["y"])
    one, alone = plan(body, together=True), plan(body, together=False)
    cv = [(s.train, s.test) for s in one.scheme.splits(one.rows, SEED)]
    scoring = "neg_mean_squared_error" if one.data.task == "regression" else "accuracy"
    search = GridSearchCV(theirs, grid, scoring=scoring, cv=cv, refit=False)
    calls = [partial(search.fit, X, y), partial(ours, alone), partial(ours, one)]
    ours(one)  # compiles
    (peer, by_itself, mine), (found, _, said) = time_in_turn(calls, 3)
    score = found.cv_results_["mean_test_score"]
    wanted = -score if one.data.task == "regression" else 1 - score
    gap = float(np.abs(np.array(list(said.values())) / wanted - 1).max())
    print(
        f"{what:52s} peer {peer * 1e3:9.1f} ms  alone {by_itself * 1e3:8.1f} ms  "
        f"together {mine * 1e3:7.1f} ms  ratio {peer / mine:6.1f}  of alone {by_itself / mine:5.1f}"
        f"  difference {gap:.1e}",
        flush=True,
    )


def request(task: str, X: np.ndarray, y: np.ndarray, name: str, **grid: Any) -> dict[str, Any]:
    """Return the body of a request with one learner for each value of a parameter."""
    ((parameter, values),) = grid.items()
    return {
        "kind": "cross_validation",
        "data": {"X": X.tolist(), "y": y.tolist()},
        "task": task,
        "learners": {str(v): {"name": name, "params": {parameter: v}} for v in values},
        "scheme": {"name": "k_fold", "params": {"n_folds": FOLDS}},
    }


def main() -> None:
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(1)
    penalties = [float(value) for value in np.geomspace(1e-3, 1e4, 20)]
    for n, p in ((2000, 20), (10_000, 50)):
        X = rng.normal(size=(n, p))
        y = X @ rng.normal(size=p) + rng.normal(size=n)
        body = request("regression", X, y, "ridge", penalty=penalties)
        beside(f"ridge, 20 penalties, n = {n}, p = {p}", body, Ridge(), {"alpha": penalties})
    X = rng.normal(size=(3000, 10))
    y = np.where(X[:, 0] + rng.normal(size=3000) > 0, "a", "b")
    near = list(range(1, 31, 2))
    body = request("classification", X, y, "nearest_neighbours", k=near)
    theirs = KNeighborsClassifier()
    beside("nearest neighbours, 15 k, n = 3000, p = 10", body, theirs, {"n_neighbors": near})
    words = rng.poisson(0.3, size=(5000, 300))
    y = np.where(words[:, :5].sum(axis=1) + rng.normal(size=5000) > 1.5, "a", "b")
    smoothings = [float(value) for value in np.geomspace(0.01, 10, 20)]
    body = request("classification", words, y, "multinomial_naive_bayes", smoothing=smoothings)
    what = "naive Bayes, 20 smoothings, n = 5000, p = 300"
    beside(what, body, MultinomialNB(), {"alpha": smoothings})


if __name__ == "__main__":
    main()
