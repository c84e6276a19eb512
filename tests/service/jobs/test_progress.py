from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest

from tests.service.jobs.evaluations import look, make_executor, set_unit, submit_nap
from thetahat_service.jobs import progress, record
from thetahat_service.jobs.progress import (
    DetailedProgress,
    PartProgress,
    compute_part_progress,
    estimate_seconds_left,
)
from thetahat_service.storage import workers
from thetahat_service.storage.unit_of_work import unit_of_work
from thetahat_service.storage.unit_parts import ChunkRow
from thetahat_service.storage.workers import WorkerProcess

QUEUED = ChunkRow(1, 10, "nb", "queued", None, None, 0.0)
DONE = replace(QUEUED, state="done", output_file="1.npz", seconds=20.0)  # 2 seconds a split


@pytest.mark.parametrize(
    ("chunks", "n_workers", "seconds"),
    [
        # 10 splits at 2 seconds for one worker.
        ([DONE, QUEUED], 1, 20.0),
        # Two chunks of 20 seconds: one worker does both, two do one each.
        ([DONE, QUEUED, QUEUED], 1, 40.0),
        ([DONE, QUEUED, QUEUED], 2, 20.0),
        # Four workers for two chunks: the longest of them is still to be waited for.
        ([DONE, QUEUED, QUEUED], 4, 20.0),
        # 20 s of the one, and (15 s for 3 splits, so 50 s) of the other.
        ([DONE, QUEUED, replace(DONE, part="svm", size=3, seconds=15.0)], 1, 20.0),
        (
            [
                DONE,
                QUEUED,
                replace(DONE, part="svm", size=3, seconds=15.0),
                replace(QUEUED, part="svm"),
            ],
            2,
            50.0,
        ),
        # A running one is 15 of its 20 seconds on; one that is late adds nothing.
        ([DONE, replace(QUEUED, state="running", running_s=15.0)], 1, 5.0),
        ([DONE, replace(QUEUED, state="running", running_s=90.0)], 1, 0.0),
        # A failed chunk and one that is not begun say nothing of how long a split takes.
        ([DONE, replace(DONE, state="failed", seconds=900.0), QUEUED], 1, 20.0),
        # 400 000 repetitions copied from an earlier study say nothing of the speed.
        ([replace(DONE, size=400_000, seconds=1.0), DONE, QUEUED], 1, 20.0),
        ([DONE], 1, 0.0),
    ],
)
def test_by_hand_the_time_that_is_left(
    chunks: list[ChunkRow], n_workers: int, seconds: float
) -> None:
    assert estimate_seconds_left(chunks, n_workers) == seconds


@pytest.mark.parametrize(
    "chunks",
    [
        [QUEUED],
        [replace(QUEUED, state="running", running_s=5.0)],
        [DONE, replace(QUEUED, part="svm")],
        [replace(DONE, state="failed"), QUEUED],
    ],
)
def test_degenerate_work_that_was_never_done_has_no_known_speed(
    chunks: list[ChunkRow],
) -> None:
    assert estimate_seconds_left(chunks, 2) is None


def test_exact_how_far_each_learner_is() -> None:
    chunks = [
        DONE,
        replace(QUEUED, state="running"),
        replace(DONE, part="majority"),
        replace(QUEUED, part="svm"),
        replace(DONE, part="forest", state="failed"),
        replace(QUEUED, part="forest", state="cancelled", output_file="1.npz"),
        replace(QUEUED, part=None),
    ]
    assert compute_part_progress(chunks) == {
        "nb": PartProgress(10, 20, "running"),
        "majority": PartProgress(10, 10, "done"),
        "svm": PartProgress(0, 10, "queued"),
        "forest": PartProgress(20, 20, "failed"),
    }


def test_exact_an_evaluation_is_looked_at_while_it_runs(database: str) -> None:
    evaluation_id = submit_nap(parts=["a", "b"], n_chunks=4)
    assert progress.read_progress(look(evaluation_id)) == DetailedProgress()
    worker = make_executor()
    worker.run((evaluation_id, 0))
    assert progress.read_progress(look(evaluation_id)).parts["a"] == PartProgress(0, 4, "queued")
    for number in (1, 2):
        worker.run((evaluation_id, number))
        set_unit(evaluation_id, number, seconds=8.0)
    # Two workers live, and one of them is at another evaluation.
    with unit_of_work() as connection:
        for pid in (1, 2):
            workers.record_heartbeat(connection, WorkerProcess(uuid4(), uuid4(), "host", pid, "0"))
    assert progress.read_progress(look(evaluation_id)) == DetailedProgress(
        {"a": PartProgress(2, 4, "running"), "b": PartProgress(2, 4, "running")}, 8.0
    )
    assert record.claim_unit((submit_nap(), 0), uuid4(), 30.0) is not None
    assert progress.read_progress(look(evaluation_id)).seconds_left == 16.0
    worker.compute_queued_units((evaluation_id, 3))
    assert look(evaluation_id).status == "succeeded"
    assert progress.read_progress(look(evaluation_id)) == DetailedProgress()
