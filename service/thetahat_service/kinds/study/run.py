"""Run the repetitions of a study: how long they take, and how they are cut into chunks."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from thetahat.analyses.studies.base import Study
from thetahat.analyses.studies.recorded_repetitions import RecordedRepetitions
from thetahat.errors import InvalidParameter

AT_ONCE_S: Final = 1.0
"""Seconds of work up to which a study is not cut into chunks."""
CHUNK_S: Final = 5.0
"""Approximate seconds of work in one chunk."""
MOST_CHUNKS: Final = 1000
"""The largest number of chunks."""
FEWEST_CHUNKS: Final = 8
"""Chunks of a study that is cut, so that several workers share it."""
MOST_VALUES: Final = 100_000_000
"""The most numbers in all records, which are in memory together at the end."""


def run_repetitions(study: Study, start: int, stop: int) -> RecordedRepetitions:
    """Run the repetitions ``start`` to ``stop - 1``."""
    return RecordedRepetitions(np.arange(start, stop), study.run(start, stop))


def measure_repetition_seconds(study: Study, n: int) -> float:
    """Return the approximate time in seconds of one of the n repetitions.

    The second run counts, because the first includes compiling, unless the first was so slow that
    the study must be cut anyway.
    """
    n_timed = min(study.grain, n)
    seconds = math.inf
    for _ in range(2):
        began = time.perf_counter()
        records = study.run(0, n_timed)
        seconds = (time.perf_counter() - began) / n_timed
        if seconds * n > FEWEST_CHUNKS * CHUNK_S:
            break
    width = sum(values[0].size for values in records.values())
    if width * n > MOST_VALUES:
        raise InvalidParameter(
            f"{n} repetitions with {width} numbers each exceed the limit of {MOST_VALUES} numbers. "
            "Ask for fewer repetitions, or name fewer variances, intervals and tests.",
            loc=("repetitions",),
            value=n,
        )
    return seconds


def list_missing(earlier: RecordedRepetitions | None, n: int) -> list[tuple[int, int]]:
    """Return the ranges (start, stop) of repetitions below n that an earlier study lacks."""
    is_missing = np.ones(n, dtype=np.bool_)
    if earlier is not None:
        is_missing[earlier.index] = False
    edges = np.flatnonzero(np.diff(np.concatenate([[False], is_missing, [False]]).astype(np.int8)))
    return [(int(start), int(stop)) for start, stop in edges.reshape(-1, 2)]


def is_short(missing: Sequence[tuple[int, int]], seconds: float) -> bool:
    """Return whether the missing repetitions take so little time that they are not cut."""
    return seconds * sum(stop - start for start, stop in missing) <= AT_ONCE_S


def cut_into_chunks(
    missing: Sequence[tuple[int, int]], grain: int, seconds: float
) -> list[tuple[int, int]]:
    """Cut ranges at multiples of the grain into chunks of about ``CHUNK_S`` seconds."""
    total = sum(stop - start for start, stop in missing)
    largest_step = max(1.0, total / FEWEST_CHUNKS)
    smallest_step = total / MOST_CHUNKS
    step = max(min(CHUNK_S / seconds, largest_step), smallest_step)
    step = grain * max(1, round(step / grain))
    chunks: list[tuple[int, int]] = []
    for start, stop in missing:
        edges = [start, *range(start - start % step + step, stop, step), stop]
        chunks += pairwise(edges)
    return chunks
