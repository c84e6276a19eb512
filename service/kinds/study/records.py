"""The records of a study: between workers, as its table of losses, and those of an earlier one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from service.data.arrow_arrays import arrow_array
from service.jobs import outputs
from service.states import EvaluationStatus, UnitState
from service.storage import evaluations, results, unit_parts
from service.storage.files import FileStore
from service.storage.unit_of_work import reading
from thetahat.analyses.studies.repetitions import join_records
from thetahat.errors import InsufficientData
from thetahat.values.types import FloatArray, IntArray

Arrays = dict[str, np.ndarray]
_SHAPES: Final = b"thetahat.shapes"
_INDEX: Final = "repetition"


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """Some repetitions of a study.

    Parameters
    ----------
    index : ndarray of int
        (r,) which.
    records : mapping
        (r, ...) each.
    seconds : float
        Of the processor, for those that were done and not taken over.
    n_timed : int
        How many those are.
    """

    index: IntArray
    records: Mapping[str, FloatArray]
    seconds: float = 0.0
    n_timed: int = 0


def packed(stretch: Stretch) -> Arrays:
    """Return a stretch as a few arrays: all numbers in one, with the names beside it."""
    shapes = {name: list(values.shape[1:]) for name, values in stretch.records.items()}
    flat = [values.reshape(len(values), -1) for values in stretch.records.values()]
    return {
        "index": stretch.index,
        "names": np.frombuffer(json.dumps(shapes).encode(), dtype=np.uint8),
        "values": np.hstack(flat) if flat else np.empty((len(stretch.index), 0)),
        "time": np.array([stretch.seconds, float(stretch.n_timed)]),
    }


def unpacked(arrays: Mapping[str, np.ndarray]) -> Stretch:
    """Return what ``packed`` packed."""
    shapes = json.loads(arrays["names"].tobytes())
    values, at = arrays["values"], 0
    records: dict[str, FloatArray] = {}
    for name, shape in shapes.items():
        width = int(np.prod(shape, dtype=np.intp))
        records[name] = values[:, at : at + width].reshape(len(values), *shape)
        at += width
    seconds, n_timed = arrays["time"]
    return Stretch(arrays["index"], records, float(seconds), int(n_timed))


def together(stretches: Iterable[Stretch]) -> Stretch:
    """Put stretches together in the order of their repetitions, each once."""
    parts = list(stretches)
    index = np.concatenate([np.empty(0, dtype=np.intp), *(part.index for part in parts)])
    once, first = np.unique(index, return_index=True)
    records = {
        name: values[first] for name, values in join_records(p.records for p in parts).items()
    }
    seconds, n_timed = sum(p.seconds for p in parts), sum(p.n_timed for p in parts)
    return Stretch(once, records, seconds, n_timed)


def as_table(stretch: Stretch) -> pa.Table:
    """Return a row for every repetition; an array is a column for each of its numbers."""
    columns: dict[str, pa.Array] = {_INDEX: arrow_array(stretch.index)}
    shapes: dict[str, list[int]] = {}
    for name, values in stretch.records.items():
        shapes[name] = list(values.shape[1:])
        flat = values.reshape(len(values), -1)
        for place, column in zip(_places(name, shapes[name]), flat.T, strict=True):
            columns[place] = pa.array(column, from_pandas=True)  # NaN is null
    return pa.table(columns).replace_schema_metadata({_SHAPES: json.dumps(shapes)})


def from_table(table: pa.Table) -> Stretch:
    """Return the stretch of a table that ``as_table`` made."""
    shapes: dict[str, list[int]] = json.loads(table.schema.metadata[_SHAPES])
    records = {
        name: np.column_stack(
            [table.column(place).to_numpy().astype(np.float64) for place in _places(name, shape)]
        ).reshape(table.num_rows, *shape)
        for name, shape in shapes.items()
    }
    return Stretch(table.column(_INDEX).to_numpy().astype(np.intp), records)


def _places(name: str, shape: Sequence[int]) -> list[str]:
    if not shape:
        return [name]
    return [f"{name}[{','.join(map(str, at))}]" for at in np.ndindex(*shape)]


def earlier(evaluation_id: UUID) -> Stretch:
    """Return the repetitions of an earlier study: all of a finished one, or those it got to.

    Raises ``InsufficientData`` where it was deleted since.
    """
    files = FileStore.open()
    with reading() as session:
        status = evaluations.status_of(session, evaluation_id)
        stored = results.get(session, evaluation_id)
        chunks = unit_parts.list_chunks(session, evaluation_id)
    if status is None:
        raise InsufficientData(
            f"evaluation {evaluation_id}, which this one extends, was deleted", loc=("extends",)
        )
    if status == EvaluationStatus.SUCCEEDED and stored is not None and stored.losses_file:
        return from_table(pq.read_table(files.path(stored.losses_file)))
    done = [c.output_file for c in chunks if c.state == UnitState.DONE and c.output_file]
    return together(unpacked(outputs.read_arrays(files, name)) for name in done)
