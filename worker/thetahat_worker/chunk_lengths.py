"""Limits on the length of a chunk, so that no other work waits long."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final
from uuid import UUID

from thetahat_service.kinds.base import Chunk, CutChunk, Job, JobKind

MOST_RATES: Final = 1000
TOLERANCE: Final = 1.5
"""A chunk that takes at most this many times the desired length is not cut."""


class ChunkLengths:
    """Cuts chunks by the time that earlier chunks of the same learner took in this process.

    The first chunk of a learner is cut to a single step, whose time is measured.

    Parameters
    ----------
    chunk_s : float
        The desired length of a chunk in seconds.
    """

    def __init__(self, chunk_s: float) -> None:
        self._chunk_s = chunk_s
        self._rates: OrderedDict[tuple[UUID, str | None], float] = OrderedDict()

    def cut(self, kind: JobKind[Any], job: Job[Any], chunk: Chunk) -> CutChunk | None:
        """Return a chunk cut in two; None if it is short enough or cannot be cut."""
        rate = self._rates.get((job.id, chunk.part))
        if rate is None:
            return kind.cut_chunk(job, chunk, 1)
        if rate * chunk.size <= TOLERANCE * self._chunk_s:
            return None
        return kind.cut_chunk(job, chunk, max(1, int(self._chunk_s / rate)))

    def record(self, evaluation_id: UUID, chunk: Chunk, seconds: float) -> None:
        """Store the time that a chunk took."""
        key = (evaluation_id, chunk.part)
        self._rates[key] = seconds / max(1, chunk.size)
        self._rates.move_to_end(key)
        if len(self._rates) > MOST_RATES:
            self._rates.popitem(last=False)
