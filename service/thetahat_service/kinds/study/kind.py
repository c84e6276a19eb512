"""Kind ``study``: estimators on many data sets from a population whose truth is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import ClassVar
from uuid import UUID

import numpy as np

from thetahat.analyses.studies.recorded_repetitions import (
    RepetitionRange,
    merge_records,
    pack_records,
    unpack_records,
)
from thetahat_service.json_types import JsonObject, Payload
from thetahat_service.kinds.base import (
    Arrays,
    Chunk,
    ChunkOutput,
    Chunks,
    CutChunk,
    Finished,
    Job,
    JobKind,
    read_payload,
)
from thetahat_service.kinds.study.extension import complete_from_earlier
from thetahat_service.kinds.study.plan import build_study, check_study, count_repetitions
from thetahat_service.kinds.study.records import load_earlier_records, tabulate_records
from thetahat_service.kinds.study.request import StudyRequest
from thetahat_service.kinds.study.result import StudyResult, build_result, list_methods
from thetahat_service.kinds.study.run import (
    cut_into_chunks,
    is_short,
    list_missing,
    measure_repetition_seconds,
    run_repetitions,
)


class StudyKind(JobKind[StudyRequest]):
    """Repetitions spread over the workers; the numbers do not depend on how they are cut."""

    name: ClassVar[str] = "study"
    title: ClassVar[str] = "Coverage and errors on data like mine"
    request = StudyRequest
    result = StudyResult
    has_partial_results: ClassVar[bool] = True
    check = staticmethod(check_study)

    def complete_request(self, owner_id: UUID, body: JsonObject) -> JsonObject:
        """Return the body with the fields of the earlier study that it extends."""
        if body.get("extends") is None:
            return body
        return complete_from_earlier(owner_id, body, self.name)

    def start(self, job: Job[StudyRequest]) -> Finished | Chunks:
        """Time a few repetitions, then run all of them or cut them into chunks."""
        request = job.request
        study, n = build_study(job), count_repetitions(request)
        earlier = None
        if request.extends is not None:
            earlier = load_earlier_records(request.extends).select_below(n)
        seconds = measure_repetition_seconds(study, n)
        missing = list_missing(earlier, n)
        if is_short(missing, seconds):
            computed = [run_repetitions(study, start, stop) for start, stop in missing]
            parts = computed if earlier is None else [*computed, earlier]
            return self._finish(job, [pack_records(part) for part in parts])
        chunks = [
            Chunk(asdict(RepetitionRange(start, stop)), size=stop - start)
            for start, stop in cut_into_chunks(missing, study.grain, seconds)
        ]
        if earlier is not None and len(earlier.index):
            chunks.insert(0, Chunk({"from": str(request.extends)}, size=len(earlier.index)))
        return Chunks(chunks, unit="repetitions")

    def run(self, job: Job[StudyRequest], payload: Payload) -> Arrays:
        """Run the repetitions of a chunk, or take them over from the earlier study."""
        request = job.request
        if "from" in payload:
            earlier = load_earlier_records(UUID(str(payload["from"])))
            return pack_records(earlier.select_below(count_repetitions(request)))
        part = read_payload(RepetitionRange, payload)
        return pack_records(run_repetitions(build_study(job), part.start, part.stop))

    def cut_chunk(self, job: Job[StudyRequest], chunk: Chunk, size: int) -> CutChunk | None:
        """Return a chunk cut at a multiple of the grain of the study."""
        if "from" in chunk.payload:
            return None
        part = read_payload(RepetitionRange, chunk.payload)
        grain = build_study(job).grain
        middle = part.start - part.start % grain + grain * max(1, size // grain)
        if middle >= part.stop:
            return None
        chunks = [
            Chunk(asdict(RepetitionRange(start, stop)), size=stop - start, part=chunk.part)
            for start, stop in ((part.start, middle), (middle, part.stop))
        ]
        return CutChunk(*chunks)

    def gather(self, job: Job[StudyRequest], outputs: Sequence[ChunkOutput]) -> Finished:
        """Return the result of the repetitions in these chunks."""
        return self._finish(job, [output.read() for output in outputs])

    def _finish(
        self, job: Job[StudyRequest], packed_records: Sequence[Mapping[str, np.ndarray]]
    ) -> Finished:
        recorded = merge_records(unpack_records(arrays) for arrays in packed_records)
        study = build_study(job)
        return Finished(
            build_result(job.request, study, recorded),
            tabulate_records(recorded),
            list_methods(job.request),
        )


KIND = StudyKind()
