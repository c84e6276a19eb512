"""The evaluation of the learners that are complete, while others are still at work.

It is made when somebody asks for it, in a process of its own: the workers may all be at the
learner that is waited for, and an API process computes nothing. ``python -m service.jobs.partial
EVALUATION`` is that process.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final
from uuid import UUID

from service.errors import ResultPending
from service.jobs import progress, read
from service.settings import settings
from service.states import UnitState
from service.storage import unit_parts, units
from service.storage.evaluations import EvaluationRow
from service.storage.unit_of_work import reading
from service.storage.unit_parts import ChunkRow

TIME_LIMIT_S: Final = 60.0
LONGEST_WAIT_S: Final = 5.0  # for another's partial result
RETRY_AFTER_S: Final = 2
MOST_KEPT: Final = 8  # answers that are kept for those who ask again
_NOT_READY: Final = 3  # the exit status of a process whose output is why not


@dataclass(frozen=True, slots=True)
class Complete:
    """The learners of an evaluation by how far they are, and the chunks of those that ended.

    Parameters
    ----------
    complete, failed, to_come : tuple of str
        Learners.
    chunks : tuple of int
        Numbers of the chunks to evaluate: those of the learners that are complete or failed or,
        where chunks belong to no learner, those that are done.
    done, total : int
        Progress of an evaluation whose chunks belong to no learner.
    """

    complete: tuple[str, ...]
    failed: tuple[str, ...]
    to_come: tuple[str, ...]
    chunks: tuple[int, ...]
    done: int = 0
    total: int = 0

    @property
    def is_any(self) -> bool:
        """Whether there is something to evaluate."""
        return bool(self.complete) or bool(self.done)

    @property
    def ended(self) -> tuple[str, ...]:
        """Those that have nothing left to do."""
        return self.complete + self.failed

    def as_data(self) -> dict[str, Any]:
        """Return what a partial result says of itself."""
        if self.total:
            return {"done": self.done, "total": self.total}
        return {
            "complete": list(self.complete),
            "failed": list(self.failed),
            "to_come": list(self.to_come),
        }


def result(owner_id: UUID, evaluation_id: UUID) -> str:
    """Return the result, or that of the learners that are complete, as JSON text.

    Raises ``ResultPending`` where no learner is complete, or what is complete cannot be evaluated
    alone; ``NoResult`` where there will be none.
    """
    row = read.get(owner_id, evaluation_id)
    if row.is_finished:
        return read.result(owner_id, evaluation_id)
    found = _look(row)
    key = (evaluation_id, found)
    # One at a time: each takes a processor and the room of a data set.
    if not _Kept.lock.acquire(timeout=LONGEST_WAIT_S):
        raise _not_ready("Another partial result is being made; ask again.")
    try:
        if key not in _Kept.answers:
            _Kept.answers[key] = _evaluate(owner_id, evaluation_id)
            while len(_Kept.answers) > MOST_KEPT:
                _Kept.answers.popitem(last=False)
        return _Kept.answers[key]
    finally:
        _Kept.lock.release()


class _Kept:
    lock: ClassVar = threading.Lock()
    answers: ClassVar[OrderedDict[tuple[UUID, Complete], str]] = OrderedDict()


def _look(row: EvaluationRow) -> Complete:
    with reading() as connection:
        chunks = unit_parts.list_chunks(connection, row.id)
    found = complete_of(chunks)
    if not found.is_any:
        what = "chunk" if found.total else "learner"
        raise _not_ready(f"No {what} of evaluation {row.id} is complete yet.")
    return found


def complete_of(chunks: Sequence[ChunkRow]) -> Complete:
    """Return which learners are complete; one that failed has ended, and is not."""
    if all(chunk.part is None for chunk in chunks):
        done = [chunk for chunk in chunks if chunk.state == UnitState.DONE]
        numbers = tuple(chunk.number for chunk in done if chunk.output_file)
        total = sum(chunk.size for chunk in chunks)
        return Complete((), (), (), numbers, sum(chunk.size for chunk in done), total)
    at_work = {chunk.part for chunk in chunks if chunk.is_open}
    status = {name: part.status for name, part in progress.compute_part_progress(chunks).items()}
    return Complete(
        tuple(name for name, said in status.items() if said == "done"),
        tuple(name for name, said in status.items() if said == "failed" and name not in at_work),
        tuple(name for name in status if name in at_work),
        tuple(c.number for c in chunks if c.output_file and c.part not in at_work),
    )


def _evaluate(owner_id: UUID, evaluation_id: UUID) -> str:
    """Have the evaluation made; the chunks may be gone at any moment, for the result to come."""
    command = [sys.executable, "-m", "service.jobs.partial", str(evaluation_id)]
    try:
        done = subprocess.run(  # noqa: S603 - our own module, and an id
            command, capture_output=True, timeout=TIME_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise _not_ready(
            f"What is complete takes longer than {TIME_LIMIT_S:g} seconds to evaluate; the result "
            "comes when all learners are done."
        ) from None
    if done.returncode == 0:
        return done.stdout.decode()
    if read.get(owner_id, evaluation_id).is_finished:
        return read.result(owner_id, evaluation_id)
    if done.returncode == _NOT_READY:
        raise _not_ready(done.stdout.decode())
    raise _not_ready(
        "What is complete could not be evaluated while the rest is at work; the result comes when "
        "all learners are done."
    )


def _not_ready(message: str) -> ResultPending:
    return ResultPending(message, retry_after=RETRY_AFTER_S)


def made(evaluation_id: UUID) -> str:
    """Return the evaluation of the complete learners as JSON text: all the work of it."""
    from service.jobs import loading, outputs  # noqa: PLC0415 - they bring the mathematics
    from service.jobs.result_json import encode_result  # noqa: PLC0415 - likewise
    from service.storage.engine import to_json  # noqa: PLC0415 - likewise
    from service.storage.files import FileStore  # noqa: PLC0415 - likewise

    files = FileStore.open()
    with reading() as connection:
        loaded = loading.load(connection, evaluation_id, files)
        found = complete_of(unit_parts.list_chunks(connection, evaluation_id))
        output_files = units.output_files(connection, evaluation_id, found.chunks)
    kind = loaded.kind
    if not (kind.has_partial_results and found.is_any):
        raise _not_ready(f"A partial result is not made for kind {loaded.job.kind}.")
    some = kind.gather(loaded.job, outputs.chunk_outputs(files, output_files))
    body = encode_result(some, loaded.provenance)
    said = found.as_data()
    ended = kind.learners_of_parts(loaded.job, found.ended)
    if ended is not None:  # of learners that are run together some may have failed
        fell = {*body["failures"], *found.failed}
        said["failed"] = [name for name in ended if name in fell]
        said["complete"] = [name for name in ended if name not in fell]
        said["to_come"] = kind.learners_of_parts(loaded.job, found.to_come)
    return to_json({"partial": said, **body})


def main() -> None:
    """Write the evaluation of the complete learners, or why there is none."""
    from service.process import memory  # noqa: PLC0415 - the process's alone
    from service.process.exit_with_parent import (  # noqa: PLC0415 - likewise
        signal_on_parent_exit,
    )
    from thetahat.errors import EvaluationError  # noqa: PLC0415 - likewise

    signal_on_parent_exit()
    memory.limit_memory(settings().memory_limit_mb)
    try:
        text = made(UUID(sys.argv[1]))
    except (EvaluationError, ResultPending) as error:
        sys.stdout.buffer.write(error.message.encode())
        sys.exit(_NOT_READY)
    sys.stdout.buffer.write(text.encode())


if __name__ == "__main__":
    main()
