"""Naive Bayes and a linear model over sparse counts, beside scikit-learn, in one run.

``python benchmarks/naive_bayes.py counts.npz [target] [source]``: an NPZ with a CSR matrix (data,
indices, indptr, shape) and columns beside it, ``y`` and ``domain`` if not said; also taken from
``THETAHAT_COUNTS``. Without a file, made-up documents of ten sources are taken.

Each learner is evaluated as kind ``cross_validation`` of an uploaded file, read anew, with all
variances and intervals; "learning" is the part of it that fits and predicts. scikit-learn's is
``cross_val_predict`` over the same splits, the matrix in memory already. CPU time of this
process, one thread, medians of several runs in turn.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import io
import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from scipy.sparse import csr_array, random_array
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

from benchmarks.clock import clock, time_in_turn
from service.data.base import FileLimits
from service.data.formats import FORMATS
from service.kinds.base import Chunks, DatasetFile, Finished, Job, run_chunks
from service.kinds.registry import JOB_KINDS
from thetahat.cross_validation import build_rows, run_splits
from thetahat.cross_validation import fast_path as at_once
from thetahat.losses import LOSSES
from thetahat.numerics.loops.compile_ahead import compile_all
from thetahat.pipelines import build, learner_spec
from thetahat.schemes import SCHEMES
from thetahat.tables.data import Data, build_data
from thetahat.tables.sparse import NumberedNames, sparse_columns

NPZ = "application/x-npz"
LINEAR: dict[str, Any] = {"loss": "log_loss", "max_iter": 20, "tol": None, "random_state": 0}
LEARNERS: list[tuple[str, Any, Any, int]] = [
    ("multinomial_naive_bayes", "multinomial_naive_bayes", MultinomialNB(), 5),
    ("bernoulli_naive_bayes", "bernoulli_naive_bayes", BernoulliNB(), 5),
    ("SGDClassifier", {"name": "SGDClassifier", "params": LINEAR}, SGDClassifier(**LINEAR), 3),
]
SEED = 1


def draw_documents() -> bytes:
    """20 000 documents of ten sources over 30 000 words, about 70 words each."""
    rng = np.random.default_rng(SEED)
    X = csr_array(random_array((20_000, 30_000), density=0.0023, rng=rng))
    X.data = np.ceil(3 * X.data**4)
    y = np.asarray((X[:, :3000].sum(axis=1) > X[:, 3000:6000].sum(axis=1)), dtype=np.int8)
    parts: dict[str, Any] = {
        "data": X.data,
        "indices": X.indices,
        "indptr": X.indptr,
        "shape": X.shape,
    }
    sink = io.BytesIO()
    np.savez_compressed(sink, **parts, y=y, domain=np.arange(20_000) // 2000)
    return sink.getvalue()


def store_upload(folder: Path, content: bytes) -> DatasetFile:
    """Take a file in as an upload."""
    path, form = folder / "counts", FORMATS[NPZ]
    path.write_bytes(content)
    with (folder / f"counts{form.table_suffix}").open("w+b") as table:
        seconds, inspected = clock(lambda: form.inspect(path, FileLimits(cells=10**9), table), 1)
    print(f"upload checked and kept in {seconds:.2f} s: {json.dumps(inspected.details)[:150]}")
    return DatasetFile(
        uuid4(), "0" * 64, NPZ, inspected.rows, inspected.columns, inspected.details, path
    )


def run_evaluation(file: DatasetFile, body: dict[str, Any]) -> Finished:
    """Run an evaluation as a worker would, part after part."""
    kind = JOB_KINDS["cross_validation"]
    request = kind.request.model_validate(body)
    datasets = {file.id: file}
    kind.check(request, datasets)
    job = Job(uuid4(), "cross_validation", request, SEED, datasets)
    started = kind.start(job)
    if isinstance(started, Chunks):
        started = kind.gather(job, run_chunks(kind, job, started.chunks))
    return started


def predict_splits(data: Data, wire: Any, splits: list[Any]) -> np.ndarray:
    """(n,) probabilities of class 1, from every split."""
    at_once._of_all_rows.cache_clear()  # noqa: SLF001 - each run counts anew
    learner = build(learner_spec(wire), "classification")
    loss = LOSSES["zero_one"]()
    predicted = np.empty(data.n)
    for outcome in run_splits("a", learner, data, splits, loss, SEED, keep_predictions=True):
        assert outcome.probabilities is not None
        predicted[outcome.test] = outcome.probabilities[:, 1]
    return predicted


@dataclass(frozen=True)
class Setting:
    """The uploaded file, and the same in memory."""

    file: DatasetFile
    X: Any
    y: np.ndarray
    data: Data
    target: str
    source: str


def compare(setting: Setting, scheme: str, params: dict[str, Any]) -> None:
    """Print a line for each learner."""
    splits = list(SCHEMES[scheme](**params).splits(build_rows(setting.data), SEED))
    folds = [(split.train, split.test) for split in splits]
    for label, wire, peer, times in LEARNERS:
        body = {
            "kind": "cross_validation",
            "dataset": str(setting.file.id),
            "columns": {
                "target": setting.target,
                "features": ["X"],
                "source": setting.source,
            },
            "task": "classification",
            "learners": {"a": wire},
            "scheme": {"name": scheme, "params": params},
        }
        calls: list[Callable[[], Any]] = [
            partial(predict_splits, setting.data, wire, splits),
            partial(
                cross_val_predict, peer, setting.X, setting.y, cv=folds, method="predict_proba"
            ),
            partial(run_evaluation, setting.file, body),
        ]
        (ours, theirs, whole), (predicted, expected, done) = time_in_turn(calls, times)
        error = done.result["models"]["a"]["mean"]["pooled"]
        print(
            f"{scheme:20s} {label:24s} scikit-learn {theirs:7.3f} s  learning {ours:7.3f} s  "
            f"ratio {theirs / ours:5.1f}  whole evaluation {whole:6.2f} s  "
            f"largest difference {np.abs(predicted - expected[:, 1]).max():.1e}  error {error:.4f}"
        )


def main() -> None:
    arguments = [*sys.argv[1:], "", "", ""][:3]
    name = arguments[0] or os.environ.get("THETAHAT_COUNTS", "")
    target, source = arguments[1] or "y", arguments[2] or "domain"
    content = Path(name).read_bytes() if name else draw_documents()
    compile_all()
    with tempfile.TemporaryDirectory() as folder:
        file = store_upload(Path(folder), content)
        arrays = np.load(io.BytesIO(content))
        parts = (arrays["data"].astype(np.float64), arrays["indices"], arrays["indptr"])
        X, y = csr_array(parts, shape=tuple(arrays["shape"])), arrays[target]
        columns = sparse_columns("X", X, NumberedNames("X", X.shape[1]))
        data = build_data({"X": columns}, y, "classification", source=arrays[source])
        setting = Setting(file, X, y, data, target, source)
        compare(setting, "leave_one_source_out", {})
        compare(setting, "k_fold", {"n_folds": 10})


if __name__ == "__main__":
    main()
