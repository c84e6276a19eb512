"""What every kind of evaluation provides, and the values that its methods take and return."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar
from uuid import UUID

import numpy as np
import pyarrow as pa

from service.jobs.loss_columns import LossColumns
from service.kinds.provenance import MethodUsed
from service.schemas.base import EvaluationRequest

R = TypeVar("R", bound=EvaluationRequest)
Arrays: TypeAlias = dict[str, np.ndarray]
"""What one chunk computed, by name."""


@dataclass(frozen=True, slots=True)
class DatasetFile:
    """A data set that an evaluation names.

    ``path`` is None while a request is only being checked by an API process.
    """

    id: UUID
    sha256: str
    media_type: str
    rows: int
    columns: Sequence[Mapping[str, Any]]  # {"name", "type"}
    details: Mapping[str, Any]
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Job(Generic[R]):
    """Everything that the work on one evaluation may depend on."""

    id: UUID
    kind: str
    request: R
    seed: int
    datasets: Mapping[UUID, DatasetFile] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished evaluation.

    Parameters
    ----------
    result : dataclass
        The result type of the kind; ``service.jobs.result_json`` writes it as JSON.
    losses : pyarrow.Table, LossColumns or None
        One row per instance and repeat, one column per model, for ``.../losses``.
    methods : tuple of MethodUsed
        Every method that was used, for the provenance.
    """

    result: Any
    losses: pa.Table | LossColumns | None = None
    methods: tuple[MethodUsed, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk of an evaluation: a JSON payload, and how much it adds to the progress.

    Parameters
    ----------
    part : str or None
        The learner, or the group of learners, that the chunk fits. Parts take turns, and each has
        its own progress. A part that fails, runs too long or needs too much memory fails alone:
        instead of its arrays there is one array, ``failed``, which ``service.jobs.parts`` reads.
    """

    payload: dict[str, Any]
    size: int = 1
    part: str | None = None


@dataclass(frozen=True, slots=True)
class Chunks:
    """An evaluation cut into chunks, which any worker may compute in any order."""

    chunks: Sequence[Chunk]
    unit: str  # of the progress: splits, repetitions


class AllPartsFailed(Exception):
    """Every part failed, and the last failure was a limit or a lost worker.

    Parameters
    ----------
    problem : mapping
        The problem that the evaluation fails with, as ``service.jobs.failures`` writes it.
    """

    def __init__(self, problem: Mapping[str, Any]) -> None:
        super().__init__(str(problem.get("detail", "")))
        self.problem = dict(problem)


class JobKind(ABC, Generic[R]):
    """One kind of evaluation; its package is named after the wire's ``kind``.

    ``check`` and ``start`` are always needed. A kind that is never cut into chunks needs no
    other method.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    request: type[R]

    def complete_request(self, owner_id: UUID, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the body with what it leaves to an earlier evaluation of the owner filled in.

        The API process calls it before the body is checked.
        """
        del owner_id
        return body

    @abstractmethod
    def check(self, request: R, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Refuse, in the API process and quickly, a request that cannot be computed.

        Raises ``thetahat.errors.EvaluationError`` or ``service.errors.InvalidRequest``.
        """

    @abstractmethod
    def start(self, job: Job[R]) -> Finished | Chunks:
        """Compute a small evaluation at once, or cut it into chunks."""

    def run(self, job: Job[R], payload: dict[str, Any]) -> Arrays:
        """Compute one chunk; its arrays are kept in the file store until they are gathered."""
        message = f"evaluation {job.id} of kind {self.name!r} has no chunk {payload}"
        raise RuntimeError(message)

    def gather(self, job: Job[R], outputs: Sequence[Arrays]) -> Finished:
        """Compute the result from the arrays of all chunks, in the order of the chunks."""
        message = f"evaluation {job.id} of kind {self.name!r} has no {len(outputs)} chunks"
        raise RuntimeError(message)

    def gather_partial(
        self, job: Job[R], ended: Collection[str], outputs: Sequence[Arrays]
    ) -> Finished | None:
        """Compute a partial result while other chunks are still at work.

        ``outputs`` are the arrays, in the order of the chunks, of all chunks of the parts that have
        ``ended``; where the chunks have no part, ``ended`` is empty and they are those of every
        finished chunk. The default None means that the kind has no partial results.
        """
        del job, ended, outputs
        return None

    def learners_of_parts(self, job: Job[R], parts: Collection[str]) -> list[str] | None:
        """Return the learners of these parts, in the request's order.

        The default None means that each part is one learner and has its name.
        """
        del job, parts
        return None
