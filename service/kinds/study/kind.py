"""Kind ``study``: many data sets from a known population, and what estimators make of each."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar
from uuid import UUID

import numpy as np

from service.kinds.base import (
    Arrays,
    Chunk,
    ChunkOutput,
    Chunks,
    DatasetFile,
    Finished,
    Job,
    JobKind,
)
from service.kinds.study.extension import extended
from service.kinds.study.plan import check_study, repetitions_of, study_of
from service.kinds.study.records import (
    Stretch,
    as_table,
    earlier,
    packed,
    together,
    unpacked,
)
from service.kinds.study.request import StudyRequest
from service.kinds.study.result import result_of
from thetahat.analyses.studies.base import Study
from thetahat.errors import InvalidParameter

AT_ONCE_S = 1.0
"""Seconds of work that one unit does without being cut."""
CHUNK_S = 5.0
"""Seconds of work in one chunk, about."""
MOST_CHUNKS = 1000
FEWEST_CHUNKS = 8
"""Where there is more work than for one unit, so that several workers share it."""
MOST_VALUES = 100_000_000
"""Numbers in all records: they are in memory at once at the end."""


class StudyKind(JobKind[StudyRequest]):
    """Repetitions, spread over the workers; any cut gives the same numbers."""

    name: ClassVar[str] = "study"
    title: ClassVar[str] = "What covers and what errs on data like mine"
    request = StudyRequest
    has_partial_results: ClassVar[bool] = True

    def complete_request(self, owner_id: UUID, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the body with what an earlier study that it extends said."""
        if body.get("extends") is None:
            return body
        return extended(owner_id, body, self.name)

    def check(self, request: StudyRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Refuse what can be seen to be wrong without drawing anything."""
        check_study(request, datasets)

    def start(self, job: Job[StudyRequest]) -> Finished | Chunks:
        """Do a few repetitions, and by the time they took all of them, or cut the rest."""
        given = job.request
        study, asked = study_of(job, given), repetitions_of(given)
        taken = None if given.extends is None else _below(earlier(given.extends), asked)
        seconds = _time(study, asked)
        missing = _missing(taken, asked)
        n_missing = sum(stop - start for start, stop in missing)
        if seconds * n_missing <= AT_ONCE_S:
            done = [_run(study, start, stop) for start, stop in missing]
            return _finish(given, study, [*done, *([] if taken is None else [taken])])
        chunks = [
            Chunk({"start": start, "stop": stop}, size=stop - start)
            for start, stop in _cut(missing, study.grain, seconds)
        ]
        if taken is not None and len(taken.index):
            chunks.insert(0, Chunk({"from": str(given.extends)}, size=len(taken.index)))
        return Chunks(chunks, unit="repetitions")

    def run(self, job: Job[StudyRequest], payload: dict[str, Any]) -> Arrays:
        """Do some repetitions, or take over those of the earlier study."""
        given = job.request
        if "from" in payload:
            return packed(_below(earlier(UUID(payload["from"])), repetitions_of(given)))
        return packed(_run(study_of(job, given), payload["start"], payload["stop"]))

    def gather(self, job: Job[StudyRequest], outputs: Sequence[ChunkOutput]) -> Finished:
        """Tabulate the repetitions of these chunks."""
        given = job.request
        return _finish(given, study_of(job, given), [unpacked(one.read()) for one in outputs])


def _run(study: Study, start: int, stop: int) -> Stretch:
    began = time.process_time()  # of the processor: what else runs on the machine does not count
    records = study.run(start, stop)
    seconds = time.process_time() - began
    return Stretch(np.arange(start, stop), records, seconds, stop - start)


def _time(study: Study, asked: int) -> float:
    """Return about how many seconds a repetition takes; the first run pays for what is compiled."""
    few = min(study.grain, asked)
    seconds = math.inf
    for _ in range(2):
        began = time.perf_counter()
        records = study.run(0, few)
        seconds = (time.perf_counter() - began) / few
        if seconds * asked > FEWEST_CHUNKS * CHUNK_S:
            break  # however much of it was the first run's alone
    width = sum(values[0].size for values in records.values())
    if width * asked > MOST_VALUES:
        raise InvalidParameter(
            f"{asked} repetitions of {width} numbers are more than {MOST_VALUES}; ask for fewer "
            "repetitions, or name the variances, intervals and tests that are wanted",
            loc=("repetitions",),
            value=asked,
        )
    return seconds


def _below(taken: Stretch, asked: int) -> Stretch:
    """Return the repetitions that are among those asked for."""
    kept = taken.index < asked
    records = {name: values[kept] for name, values in taken.records.items()}
    return Stretch(taken.index[kept], records)


def _missing(taken: Stretch | None, asked: int) -> list[tuple[int, int]]:
    """Return the stretches that are not there yet."""
    absent = np.ones(asked, dtype=np.bool_)
    if taken is not None:
        absent[taken.index] = False
    edges = np.flatnonzero(np.diff(np.concatenate([[False], absent, [False]]).astype(np.int8)))
    return [(int(start), int(stop)) for start, stop in edges.reshape(-1, 2)]


def _cut(missing: Sequence[tuple[int, int]], grain: int, seconds: float) -> list[tuple[int, int]]:
    """Return chunks of about ``CHUNK_S``, cut at multiples of the grain."""
    total = sum(stop - start for start, stop in missing)
    most = max(1.0, total / FEWEST_CHUNKS)
    fewest = total / MOST_CHUNKS
    step = max(min(CHUNK_S / seconds, most), fewest)
    step = grain * max(1, round(step / grain))
    found: list[tuple[int, int]] = []
    for start, stop in missing:
        edges = [start, *range(start - start % step + step, stop, step), stop]
        found += pairwise(edges)
    return found


def _finish(given: StudyRequest, study: Study, stretches: Sequence[Stretch]) -> Finished:
    whole = together(stretches)
    return Finished(result_of(given, study, whole), as_table(whole))


KIND = StudyKind()
