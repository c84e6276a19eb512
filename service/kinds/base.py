"""What a kind of evaluation is: how it is checked, cut into parts, run and put together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable
from uuid import UUID

import numpy as np
import pyarrow as pa

from service.jobs.loss_columns import LossColumns
from service.schemas.base import EvaluationRequest


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
class Job:
    """All that the work on one evaluation may depend on."""

    id: UUID
    kind: str
    request: EvaluationRequest
    seed: int
    datasets: Mapping[UUID, DatasetFile] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of an evaluation.

    Parameters
    ----------
    result : dict
        Plain JSON values; ``provenance`` is added by the caller.
    losses : pyarrow.Table, LossColumns or None
        One row per instance and repeat, one column per model, for ``.../losses``.
    """

    result: dict[str, Any]
    losses: pa.Table | LossColumns | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of an evaluation: a JSON payload, and what it adds to the progress.

    Parameters
    ----------
    part : str or None
        The learner that the piece is for. The learners take turns, each has a progress of its
        own, and one that fails, runs too long or wants too much memory fails alone: in the place
        of a piece's arrays stands one array, ``failed``; ``service.jobs.parts`` reads it.
    """

    payload: dict[str, Any]
    size: int = 1
    part: str | None = None


@dataclass(frozen=True, slots=True)
class Chunks:
    """An evaluation cut into parts, to be done in any order on any worker."""

    chunks: Sequence[Chunk]
    unit: str  # of the progress: splits, repetitions


class NothingLeft(Exception):
    """Every part failed, and the last words are those of a limit or of a lost worker.

    Parameters
    ----------
    problem : mapping
        What the evaluation fails with, as ``service.jobs.failures`` writes it.
    """

    def __init__(self, problem: Mapping[str, Any]) -> None:
        super().__init__(str(problem.get("detail", "")))
        self.problem = dict(problem)


class JobKind(Protocol):
    """One kind; the module's name is the wire's ``kind``."""

    name: ClassVar[str]
    title: ClassVar[str]
    request: ClassVar[type[EvaluationRequest]]

    def check(self, request: EvaluationRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Refuse, in the API process and quickly, what cannot be done.

        Raises ``thetahat.errors.EvaluationError`` or ``service.errors.InvalidRequest``.
        """
        ...

    def start(self, job: Job) -> Finished | Chunks:
        """Do a small evaluation at once, or cut it."""
        ...

    def run(self, job: Job, payload: dict[str, Any]) -> dict[str, np.ndarray]:
        """Do one chunk; the arrays are kept in the file store until they are gathered."""
        ...

    def gather(self, job: Job, outputs: Sequence[dict[str, np.ndarray]]) -> Finished:
        """Put the chunks' arrays together, in the order of the chunks."""
        ...


@runtime_checkable
class EvaluatesSome(Protocol):
    """A kind that can evaluate the learners that are complete before the others are."""

    def gather_some(
        self, job: Job, learners: Collection[str], outputs: Sequence[dict[str, np.ndarray]]
    ) -> Finished:
        """Put the arrays of some learners' chunks together, in the order of the chunks."""
        ...


@runtime_checkable
class NamesLearners(Protocol):
    """A kind with parts of the progress that are of several learners."""

    def names_of(self, job: Job, parts: Collection[str]) -> list[str]:
        """Return the learners that these parts are of, in the request's order.

        Parts that are of none are called what they are.
        """
        ...


@runtime_checkable
class EvaluatesDone(Protocol):
    """A kind whose chunks are of no part, and that can evaluate those that are done."""

    def gather_done(self, job: Job, outputs: Sequence[dict[str, np.ndarray]]) -> Finished:
        """Put the arrays of the chunks that are done together, in the order of the chunks."""
        ...


@runtime_checkable
class Completes(Protocol):
    """A kind whose request may leave out what an earlier evaluation of the owner said."""

    def completed(self, owner_id: UUID, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the body in full; the API process asks it before the body is checked."""
        ...


class OneUnit:
    """A kind that is never cut: its ``start`` finishes every evaluation."""

    def run(self, job: Job, payload: dict[str, Any]) -> dict[str, np.ndarray]:
        """Refuse: there are no chunks to run."""
        message = f"evaluation {job.id} has no chunk {payload}"
        raise RuntimeError(message)

    def gather(self, job: Job, outputs: Sequence[dict[str, np.ndarray]]) -> Finished:
        """Refuse: there are no chunks to gather."""
        message = f"evaluation {job.id} has no {len(outputs)} chunks"
        raise RuntimeError(message)
