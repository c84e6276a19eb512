"""The records of a study as its table of losses, and those of an earlier study."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from thetahat.analyses.studies.recorded_repetitions import (
    RecordedRepetitions,
    merge_records,
    unpack_records,
)
from thetahat.errors import InsufficientData
from thetahat_service.data.arrow_arrays import make_arrow_array
from thetahat_service.states import EvaluationStatus, UnitState
from thetahat_service.storage import evaluations, results, unit_parts
from thetahat_service.storage.chunk_arrays import read_arrays
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.unit_of_work import reading

_SHAPES: Final = b"thetahat.shapes"
_INDEX: Final = "repetition"


def tabulate_records(recorded: RecordedRepetitions) -> pa.Table:
    """Return a table with a row for each repetition and a column for each number."""
    columns: dict[str, pa.Array] = {_INDEX: make_arrow_array(recorded.index)}
    shapes: dict[str, list[int]] = {}
    for name, values in recorded.records.items():
        shapes[name] = list(values.shape[1:])
        flat = values.reshape(len(values), -1)
        for place, column in zip(_list_places(name, shapes[name]), flat.T, strict=True):
            columns[place] = pa.array(column, from_pandas=True)  # NaN is null
    return pa.table(columns).replace_schema_metadata({_SHAPES: json.dumps(shapes)})


def read_records(table: pa.Table) -> RecordedRepetitions:
    """Return the repetitions of a table that ``tabulate_records`` made."""
    shapes: dict[str, list[int]] = json.loads(table.schema.metadata[_SHAPES])
    records = {
        name: np.column_stack(
            [
                table.column(place).to_numpy().astype(np.float64)
                for place in _list_places(name, shape)
            ]
        ).reshape(table.num_rows, *shape)
        for name, shape in shapes.items()
    }
    return RecordedRepetitions(table.column(_INDEX).to_numpy().astype(np.intp), records)


def _list_places(name: str, shape: Sequence[int]) -> list[str]:
    if not shape:
        return [name]
    return [f"{name}[{','.join(map(str, at))}]" for at in np.ndindex(*shape)]


def load_earlier_records(evaluation_id: UUID) -> RecordedRepetitions:
    """Return the repetitions of an earlier study: all, or those computed before it stopped.

    Raises ``InsufficientData`` if the study was deleted in the meantime.
    """
    files = open_file_store()
    with reading() as session:
        status = evaluations.get_status(session, evaluation_id)
        stored = results.get(session, evaluation_id)
        chunks = unit_parts.list_chunks(session, evaluation_id)
    if status is None:
        raise InsufficientData(
            f"The evaluation {evaluation_id}, which this study extends, was deleted.",
            loc=("extends",),
        )
    if status == EvaluationStatus.SUCCEEDED and stored is not None and stored.losses_file:
        return read_records(pq.read_table(files.fetch(stored.losses_file)))
    finished_files = [c.output_file for c in chunks if c.state == UnitState.DONE and c.output_file]
    return merge_records(unpack_records(read_arrays(files, name)) for name in finished_files)
