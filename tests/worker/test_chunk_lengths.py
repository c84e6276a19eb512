"""Chunks that take long are cut; how they are cut changes no byte of a result."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import numpy as np
import pytest

from tests.service.jobs.evaluations import look, make_executor, submit_nap, units
from tests.service.storage.databases import Setting
from thetahat_service.jobs import read
from thetahat_service.jobs.submit import prepare_submission, submit
from thetahat_service.kinds.base import Chunk, CutChunk, Job
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_worker.chunk_lengths import ChunkLengths

RNG = np.random.default_rng(20_261_122)
X = RNG.normal(size=(24, 3))
Y = X @ [1.0, -2.0, 0.5] + RNG.normal(size=24)
LEARNERS: dict[str, Any] = {
    "tree": {"name": "DecisionTreeRegressor", "params": {"max_features": 1}},
    "signed": "GammaRegressor",  # fails: there are values below 0
    "ridge": "ridge",
}
DATA: dict[str, Any] = {"data": {"X": X.tolist(), "y": Y.tolist()}, "task": "regression", "seed": 3}
FOLDS = {"name": "repeated_k_fold", "params": {"n_folds": 3, "n_repeats": 24}}
BODIES: dict[str, dict[str, Any]] = {
    "cross_validation": {**DATA, "learners": LEARNERS, "scheme": FOLDS},
    "refits": {
        **DATA,
        "kind": "cross_validation",
        "learners": LEARNERS,
        "scheme": {"name": "k_fold", "params": {"n_folds": 3}},
        "variances": [{"name": "out_of_bag", "params": {"n_resamples": 60}}],
    },
    "learning_curve": {**DATA, "learners": LEARNERS, "scheme": FOLDS, "sizes": [0.5, 1.0]},
    "study": {
        "population": {"generator": {"name": "random_effects", "params": {"omega": 0.1}}},
        "draw": {"n_sources": 4, "per_source": 3},
        "estimators": [{"variances": ["theta_A"], "intervals": ["student_t"]}],
        "repetitions": 60,
        "seed": 3,
    },
}


def _submit(name: str) -> UUID:
    body = {"kind": name, **BODIES[name]}
    request = JOB_KINDS[body["kind"]].request.model_validate(body)
    return submit(prepare_submission(LOCAL_OWNER_ID, request, {})).evaluation_id


def _run(name: str) -> tuple[str, bytes, list[Any]]:
    """Return result, losses and units."""
    evaluation_id, worker = _submit(name), make_executor()
    while worker._run_next():
        pass
    row = look(evaluation_id)
    assert row.status == "succeeded", row.error
    assert row.progress_done == row.progress_total
    losses = read.find_losses_file(LOCAL_OWNER_ID, evaluation_id).read_bytes()
    return read.get_result(LOCAL_OWNER_ID, evaluation_id), losses, units(evaluation_id)


@pytest.mark.usefixtures("sqlite")
@pytest.mark.parametrize("name", ["cross_validation", "refits", "learning_curve"])
def test_exact_the_cut_of_the_chunks_changes_no_byte(name: str, setting: Setting) -> None:
    setting(chunk_s=1000)
    result, losses, whole = _run(name)
    setting(chunk_s=1e-9)
    cut_result, cut_losses, cut = _run(name)
    assert cut_result == result
    assert cut_losses == losses
    assert '"signed"' in result  # among the failures
    assert len(cut) > len(whole) + 30
    assert sum(row.size for row in cut) == sum(row.size for row in whole)


@pytest.mark.usefixtures("sqlite")
def test_exact_the_cut_of_a_study_changes_no_number(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thetahat_service.kinds.study.run.AT_ONCE_S", 0.0)
    monkeypatch.setattr("thetahat_service.kinds.study.run.FEWEST_CHUNKS", 1)
    setting(chunk_s=1000)
    result, losses, whole = _run("study")
    setting(chunk_s=1e-9)
    cut_result, cut_losses, cut = _run("study")
    assert cut_result == result
    assert cut_losses == losses
    assert len(cut) > len(whole)


@pytest.mark.usefixtures("sqlite")
def test_exact_a_chunk_that_cannot_be_cut_is_computed_as_a_whole(setting: Setting) -> None:
    setting(chunk_s=1e-9)
    evaluation_id, worker = submit_nap(n_chunks=3, seconds=0.01), make_executor()
    while worker._run_next():
        pass
    assert look(evaluation_id).status == "succeeded"
    assert len(units(evaluation_id)) == 5


class _Tape:
    """A kind whose chunks can be cut anywhere."""

    def cut_chunk(self, job: Job[Any], chunk: Chunk, size: int) -> CutChunk | None:
        del job
        if chunk.size <= size:
            return None
        head, rest = (Chunk({}, n, chunk.part) for n in (size, chunk.size - size))
        return CutChunk(head, rest)


def test_exact_a_chunk_has_the_length_that_was_measured() -> None:
    kind: Any = _Tape()
    job: Any = Job(UUID(int=1), "tape", None, 0)
    lengths = ChunkLengths(2.0)
    chunk = Chunk({}, 100, "tree")
    first = lengths.cut(kind, job, chunk)
    assert first is not None
    assert (first.head.size, first.rest.size) == (1, 99)
    lengths.record(job.id, first.head, 0.1)
    second = lengths.cut(kind, job, first.rest)
    assert second is not None
    assert (second.head.size, second.rest.size) == (20, 79)
    lengths.record(job.id, second.head, 2.0)
    assert lengths.cut(kind, job, Chunk({}, 29, "tree")) is None  # 2.9 s are near enough to 2
    lengths.record(job.id, second.head, 100.0)
    slow = lengths.cut(kind, job, Chunk({}, 29, "tree"))
    assert slow is not None
    assert slow.head.size == 1
    other = lengths.cut(kind, job, Chunk({}, 29, "forest"))  # another learner is measured anew
    assert other is not None
    assert other.head.size == 1
