"""The records of some repetitions of a study, and their form as a few arrays."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from thetahat.analyses.studies.repetitions import join_records
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class RepetitionRange:
    """The repetitions from ``start`` to ``stop`` - 1, which one chunk runs."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True, eq=False)
class RecordedRepetitions:
    """The records of some repetitions of a study."""

    index: IntArray
    """(r,) the numbers of the repetitions."""
    records: Mapping[str, FloatArray]
    """(r, ...) arrays by name."""

    def select_below(self, n: int) -> RecordedRepetitions:
        """Return the repetitions with numbers below n."""
        is_selected = self.index < n
        records = {name: values[is_selected] for name, values in self.records.items()}
        return RecordedRepetitions(self.index[is_selected], records)


def pack_records(recorded: RecordedRepetitions) -> dict[str, np.ndarray]:
    """Return repetitions as a few arrays: all numbers in one, and the names with their shapes."""
    shapes = {name: list(values.shape[1:]) for name, values in recorded.records.items()}
    flat = [values.reshape(len(values), -1) for values in recorded.records.values()]
    return {
        "index": recorded.index,
        "names": np.frombuffer(json.dumps(shapes).encode(), dtype=np.uint8),
        "values": np.hstack(flat) if flat else np.empty((len(recorded.index), 0)),
    }


def unpack_records(arrays: Mapping[str, np.ndarray]) -> RecordedRepetitions:
    """Return the repetitions that ``pack_records`` packed."""
    shapes = json.loads(arrays["names"].tobytes())
    values, at = arrays["values"], 0
    records: dict[str, FloatArray] = {}
    for name, shape in shapes.items():
        width = int(np.prod(shape, dtype=np.intp))
        records[name] = values[:, at : at + width].reshape(len(values), *shape)
        at += width
    return RecordedRepetitions(arrays["index"], records)


def merge_records(parts: Iterable[RecordedRepetitions]) -> RecordedRepetitions:
    """Return all repetitions in the order of their numbers, each once."""
    parts = list(parts)
    index = np.concatenate([np.empty(0, dtype=np.intp), *(part.index for part in parts)])
    once, first = np.unique(index, return_index=True)
    records = {
        name: values[first] for name, values in join_records(p.records for p in parts).items()
    }
    return RecordedRepetitions(once, records)
