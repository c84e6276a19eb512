"""What every kind of evaluation provides, and the values that its methods take and return."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar, cast
from uuid import UUID

import numpy as np
import pyarrow as pa

from thetahat.analyses.losses.result import MethodUsed
from thetahat.cautions import Caution
from thetahat_service.data.reading import require_file
from thetahat_service.json_types import ColumnDescription, JsonObject, Payload, StoredProblem
from thetahat_service.outcomes.output_table import OutputTable
from thetahat_service.schemas.base import EvaluationRequest

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from thetahat.analyses.losses.by_group import GroupsOfTable
    from thetahat.values.layout import Layout
    from thetahat_service.kinds.ladder_submissions import LadderSubmission
    from thetahat_service.kinds.test_sets import TestSet

R = TypeVar("R", bound=EvaluationRequest)
P = TypeVar("P", bound="DataclassInstance")
Arrays: TypeAlias = dict[str, np.ndarray]
"""The arrays that one chunk computed, by name."""


@dataclass(frozen=True, slots=True)
class DatasetFile:
    """A data set that an evaluation names.

    ``path`` is None while a request is only being checked by an API process.
    """

    id: UUID
    sha256: str
    media_type: str
    rows: int
    columns: Sequence[ColumnDescription]
    details: JsonObject
    path: Path | None = None

    def locate(self) -> Path:
        """Return the path of the file; ``Unavailable`` if it is not there."""
        return require_file(self.path)


@dataclass(frozen=True, slots=True, eq=False)
class Job(Generic[R]):
    """The input of the work on one evaluation; jobs are equal if their ids are."""

    id: UUID
    kind: str
    request: R
    seed: int
    datasets: Mapping[UUID, DatasetFile] = field(default_factory=dict)
    decisions: tuple[Caution, ...] = ()
    """What was decided where the request left a field open."""

    def __hash__(self) -> int:
        return hash(self.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Job) and other.id == self.id


class Finished(NamedTuple):
    """A finished evaluation."""

    result: DataclassInstance
    """The result type of the kind; ``thetahat_service.kinds.result_json`` writes it as JSON."""
    losses: pa.Table | OutputTable | None = None
    """One row per instance and repeat, one column per model, for ``.../losses``."""
    methods: tuple[MethodUsed, ...] = ()
    """Every method that was used, for the provenance."""
    test_set: TestSet | None = None
    """What identifies the test set beside the content of the data sets."""
    submission: LadderSubmission | None = None
    """A submission to a Ladder, which decides on the result."""
    has_trained_models: bool = True
    """Whether cautions about other training data make sense."""


class Chunk(NamedTuple):
    """One chunk of an evaluation: what it computes, and how much it adds to the progress."""

    payload: Payload
    size: int = 1
    part: str | None = None
    """The learner, or the group of learners, that the chunk fits. Parts take turns, and each has
    its own progress. A part that fails, runs too long or needs too much memory fails alone: instead
    of its arrays there is one array, ``failed`` (see
    ``thetahat_service.outcomes.failure_arrays``)."""


class CutChunk(NamedTuple):
    """A chunk that was cut in two because the whole chunk would take too long."""

    head: Chunk
    rest: Chunk
    """The first piece and the second; their sizes add up to that of the chunk."""


class Chunks(NamedTuple):
    """An evaluation cut into chunks, which any worker may compute in any order."""

    chunks: Sequence[Chunk]
    unit: str  # of the progress: splits, repetitions


class ChunkOutput(NamedTuple):
    """The output of one chunk, with the payload that identifies the chunk."""

    payload: Payload
    """The payload of the chunk, which says which part of the work it is."""
    read: Callable[[], Mapping[str, np.ndarray]]
    """Returns the arrays that ``JobKind.run`` returned, or those of ``encode_failure``. They are
    read from the file store each time, so that not all of them are in memory at once."""


class AllPartsFailed(Exception):
    """Every part failed, and the last failure was a limit or a lost worker.

    Parameters
    ----------
    problem : mapping
        The problem that the evaluation fails with, from ``thetahat_service.outcomes.failures``.
    """

    def __init__(self, problem: StoredProblem) -> None:
        super().__init__(problem["detail"])
        self.problem = problem


class JobKind(ABC, Generic[R]):
    """One kind of evaluation; its package is named after the wire's ``kind``.

    ``check`` and ``start`` are always needed. A kind that is never cut into chunks needs no
    other method.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    request: type[R]
    result: ClassVar[type]
    tests_data: ClassVar[bool] = False
    """Whether models are tested on the data that a request may hold in the place of a data set."""
    has_partial_results: ClassVar[bool] = False
    """Whether ``gather`` can evaluate the finished chunks while others are still computed."""

    def complete_request(self, owner_id: UUID, body: JsonObject) -> JsonObject:
        """Return the body, with missing fields filled in from an earlier evaluation of the owner.

        The API process calls it before the body is checked.
        """
        del owner_id
        return body

    @abstractmethod
    def check(self, request: R, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Check a request quickly, in the API process.

        Raises ``thetahat.errors.EvaluationError`` or ``thetahat_service.errors.InvalidRequest``.
        """

    def check_contents(self, request: R, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Refuse what is wrong inside files, in the API process, where the files are small.

        The worker that reads the files finds the same faults; here they are refused earlier.
        """
        del request, datasets

    @abstractmethod
    def start(self, job: Job[R]) -> Finished | Chunks:
        """Compute a small evaluation at once, or cut it into chunks."""

    def run(self, job: Job[R], payload: Payload) -> Arrays:
        """Compute one chunk; its arrays are kept in the file store until they are gathered."""
        raise RuntimeError(f"The evaluation {job.id} of kind {self.name!r} has no chunk {payload}.")

    def cut_chunk(self, job: Job[R], chunk: Chunk, size: int) -> CutChunk | None:
        """Return a chunk cut in two, the first of about ``size``; None if it cannot be cut.

        The outputs of the two together must give the same result as that of the whole chunk.
        """
        del job, chunk, size
        return None

    def gather(self, job: Job[R], outputs: Sequence[ChunkOutput]) -> Finished:
        """Compute the result from the outputs of the chunks, which come in the order of the chunks.

        For a partial result they are the outputs of the chunks of every learner that is complete
        or has failed or, where chunks have no part, those of the chunks that are done.
        """
        message = f"The evaluation {job.id} of kind {self.name!r} has no {len(outputs)} chunks."
        raise RuntimeError(message)

    def list_learners_of_parts(self, job: Job[R], parts: Collection[str]) -> list[str] | None:
        """Return the learners of these parts, in the request's order.

        The default None means that each part is one learner and has its name.
        """
        del job, parts
        return None

    def find_groups_of_losses(self, job: Job[R], layout: Layout) -> GroupsOfTable | None:
        """Return the groups of the rows of losses that an earlier evaluation kept.

        The default None is for kinds whose kept losses do not say where their rows are in the data.
        """
        del job, layout
        return None


def read_payload(form: type[P], payload: Payload) -> P:
    """Return the dataclass whose fields ``asdict`` wrote as the payload of a chunk."""
    values = {member.name: payload[member.name] for member in fields(form)}
    return cast("Callable[..., P]", form)(**values)


def run_chunks(kind: JobKind[R], job: Job[R], chunks: Sequence[Chunk]) -> list[ChunkOutput]:
    """Run chunks in this process, one after another, and return their outputs."""

    def run(chunk: Chunk) -> ChunkOutput:
        arrays = kind.run(job, chunk.payload)
        return ChunkOutput(chunk.payload, lambda: arrays)

    return [run(chunk) for chunk in chunks]


def run_job(kind: JobKind[R], job: Job[R]) -> Finished:
    """Compute an evaluation in this process, whether its kind cuts it into chunks or not."""
    outcome = kind.start(job)
    if isinstance(outcome, Chunks):
        return kind.gather(job, run_chunks(kind, job, outcome.chunks))
    return outcome
