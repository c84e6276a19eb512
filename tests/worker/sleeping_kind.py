"""A kind of evaluation for the tests of the machinery: it sleeps, draws and fails on demand."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from uuid import UUID

import numpy as np
import pyarrow as pa
from pydantic import Field

from thetahat.analyses.losses.result import MethodUsed
from thetahat.cross_validation.result import LearnerFailure
from thetahat.errors import InsufficientData
from thetahat.seeds import make_random_stream
from thetahat.values.json_values import JsonValue
from thetahat.values.types import FloatArray
from thetahat_service.errors import FieldError, InvalidRequest
from thetahat_service.json_types import Payload
from thetahat_service.kinds.base import (
    Arrays,
    Chunk,
    ChunkOutput,
    Chunks,
    DatasetFile,
    Finished,
    Job,
    JobKind,
)
from thetahat_service.kinds.fitting.failures import convert_to_error
from thetahat_service.outcomes.failure_arrays import read_failure
from thetahat_service.schemas.base import EvaluationRequest


class SleepRequest(EvaluationRequest):
    """``fault`` names what goes wrong, in every unit or in chunk ``at`` alone."""

    n_chunks: int = 0
    seconds: float = 0.0
    hold: str = ""  # a file that all chunks but the first to begin wait for, until it is gone
    fault: str = ""
    at: int | None = None
    note: str = ""  # a file that every chunk writes a line to
    marker: str = ""  # a file or folder of a fault of the process
    parts: list[str] = Field(default_factory=list)  # whom the chunks are for, in turn


@dataclass(frozen=True, kw_only=True, eq=False)
class SleepResult:
    """What naps give: the draws of all chunks, or those of each part.

    Parameters
    ----------
    draws : ndarray or None
        (n, 3) draws, a row a chunk.
    parts : mapping or None
        The draws by part, or why the part failed.
    """

    draws: FloatArray | None = None
    parts: Mapping[str, JsonValue] | None = None


NAP = MethodUsed(family="naps", name="nap", params={}, key=None)


class Sleeping(JobKind[SleepRequest]):
    name: ClassVar[str] = "sleeping"
    title: ClassVar[str] = "Naps"
    request = SleepRequest
    result = SleepResult

    def check(self, request: SleepRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Refuse nothing."""

    def start(self, job: Job[SleepRequest]) -> Finished | Chunks:
        request = job.request
        if request.n_chunks:
            parts: list[str | None] = [*request.parts] or [None]
            chunks = [
                Chunk({"i": i}, size=2, part=parts[i % len(parts)]) for i in range(request.n_chunks)
            ]
            return Chunks(chunks, unit="naps")
        _nap(request, None)
        return Finished(SleepResult(draws=_draw(job, 0)), methods=(NAP,))

    def run(self, job: Job[SleepRequest], payload: Payload) -> Arrays:
        request = job.request
        if request.note:
            with Path(request.note).open("a") as file:
                file.write(f"{payload['i']}\n")
        _nap(request, int(payload["i"]))
        return {"draw": _draw(job, int(payload["i"]))}

    def gather(self, job: Job[SleepRequest], outputs: Sequence[ChunkOutput]) -> Finished:
        request = job.request
        if request.parts:
            return Finished(SleepResult(parts=_by_part(request, outputs)))
        draws = np.array([output.read()["draw"] for output in outputs])
        return Finished(SleepResult(draws=draws), pa.table({"a": draws[:, 0]}))


def expected_draws(seed: int, n_chunks: int) -> list[list[float]]:
    """What every run of the evaluation must give."""
    return [make_random_stream(seed, "nap", i).normal(size=3).tolist() for i in range(n_chunks)]


def _by_part(request: SleepRequest, outputs: Sequence[ChunkOutput]) -> dict[str, Any]:
    """Return the draws of each part, or the first words that it failed with."""
    outputs_by_part: dict[str, Any] = {part: [] for part in request.parts}
    for output in outputs:
        part, arrays = request.parts[int(output.payload["i"]) % len(request.parts)], output.read()
        failure = read_failure(arrays, part)
        if isinstance(outputs_by_part[part], list):
            if failure is None:
                outputs_by_part[part].append(arrays["draw"].tolist())
            else:
                outputs_by_part[part] = failure
    if not any(isinstance(part_output, list) for part_output in outputs_by_part.values()):
        raise convert_to_error(LearnerFailure(**next(iter(outputs_by_part.values()))))
    return outputs_by_part


def _draw(job: Job[SleepRequest], i: int) -> np.ndarray:
    return make_random_stream(job.seed, "nap", i).normal(size=3)


def _nap(request: SleepRequest, i: int | None) -> None:
    until = time.monotonic() + request.seconds
    while time.monotonic() < until:
        time.sleep(0.005)
    if request.hold and i is not None:
        _wait_until_gone(Path(request.hold))
    if request.fault and request.at in {None, i}:
        if request.fault in FAULTS_OF_PROCESSES:
            FAULTS_OF_PROCESSES[request.fault](Path(request.marker))
        else:
            FAULTS[request.fault]()


def _wait_until_gone(hold: Path) -> None:
    try:
        hold.with_name("first").touch(exist_ok=False)
    except FileExistsError:
        while hold.exists():
            time.sleep(0.005)


def _refuse() -> None:
    raise InsufficientData("too few sheep", loc=("sheep", 3), value=np.float64(2.0))


def _refuse_request() -> None:
    raise InvalidRequest("no such bed", (FieldError(("bed",), "is not there", float("nan")),))


def _crash() -> None:
    raise ZeroDivisionError("a secret of the code")


def _fill_memory() -> None:
    np.ones((1 << 40,))


def _lose_disk() -> None:
    raise OSError(28, "No space left on device")


class _Process:
    """What an earlier evaluation has left in this process."""

    is_poisoned = False


def _poison(marker: Path) -> None:
    """Leave the first process that comes here unable to compute anything."""
    if not marker.exists():
        marker.touch()
        _Process.is_poisoned = True
    _need_modules(marker)


def _need_modules(marker: Path) -> None:
    del marker
    if _Process.is_poisoned:
        raise ImportError("cannot import name 'part' from partially initialized module")


def _import_slowly(marker: Path) -> None:
    """Import a package of this folder, which takes seconds and makes a file when it begins."""
    if str(marker) not in sys.path:
        sys.path.insert(0, str(marker))
    importlib.import_module("slow_package.slow")


FAULTS_OF_PROCESSES = {
    "poison": _poison,
    "need_modules": _need_modules,
    "import_slowly": _import_slowly,
}
FAULTS = {
    "refuse": _refuse,
    "refuse_request": _refuse_request,
    "crash": _crash,
    "memory": _fill_memory,
    "disk": _lose_disk,
}
KIND = Sleeping()
