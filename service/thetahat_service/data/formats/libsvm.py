"""libsvm's text format, also of SVMlight: sparse rows with a label."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import IO, ClassVar

import numpy as np
import pyarrow as pa

from thetahat.values.json_values import JsonValue
from thetahat_service.data.base import FileLimits, Inspected, check_not_empty, check_size
from thetahat_service.data.libsvm_lines import Lines, read_lines
from thetahat_service.data.npz_columns import MATRIX, WIDEST
from thetahat_service.data.tables import (
    MappedFormat,
    build_sparse_field,
    list_columns,
    make_number_cells,
    make_sparse_cells,
)
from thetahat_service.errors import InvalidFile, TooLarge

LABEL = "y"
QUERY = "qid"
LARGEST_WHOLE = 2.0**53


@dataclass(slots=True)
class _Survey:
    """Properties of all lines together, known when the whole file has been read."""

    rows: int = 0
    values: int = 0
    lowest: int = WIDEST
    highest: int = -1
    are_whole: bool = True
    have_queries: bool = False

    @property
    def first(self) -> int:
        """The first index: 0 where it occurs, else 1."""
        return min(self.lowest, 1)

    @property
    def width(self) -> int:
        """Number of columns."""
        return self.highest + 1 - self.first

    def add(self, lines: Lines) -> None:
        """Update the properties with further lines."""
        self.rows += len(lines.labels)
        self.values += lines.rows.n_entries
        self.lowest = int(lines.rows.indices.min(initial=self.lowest))
        self.highest = int(lines.rows.indices.max(initial=self.highest))
        is_whole = (lines.labels == np.rint(lines.labels)) & (np.abs(lines.labels) < LARGEST_WHOLE)
        self.are_whole = self.are_whole and bool(is_whole.all())
        self.have_queries = lines.queries is not None


class Libsvm(MappedFormat):
    """Lines of ``label index:value ...``; indices from 0 or 1, ``qid:`` a column of its own."""

    media_type: ClassVar[str] = "text/x-libsvm"
    title: ClassVar[str] = "libsvm"
    table_suffix = ".libsvm.arrow"

    def inspect(self, path: Path, limits: FileLimits, table: IO[bytes]) -> Inspected:
        """Read the file twice: first for the number of columns, then to write the table."""
        survey = _survey_lines(path, limits)
        schema = _build_schema(survey)
        with pa.ipc.new_file(table, schema) as writer:
            for lines in read_lines(path):
                writer.write_batch(_build_batch(lines, schema))
        details: dict[str, JsonValue] = {
            "layout": "sparse",
            "first_index": survey.first,
            "shape": [survey.rows, survey.width],
            "nonzeros": survey.values,
            "density": survey.values / (survey.rows * survey.width),
        }
        return Inspected(survey.rows, list_columns(schema), details, has_table=True)


def _survey_lines(path: Path, limits: FileLimits) -> _Survey:
    """Return the properties of all lines; ``InvalidFile`` or ``TooLarge`` for a bad file."""
    survey = _Survey()
    for lines in read_lines(path):
        survey.add(lines)
        check_size(survey.rows, 1, limits)
        check_size(survey.values, 1, limits)
    check_not_empty(survey.rows)
    if survey.values == 0:
        raise InvalidFile("The file has no values other than zero.")
    if survey.width > WIDEST:
        raise TooLarge(f"The matrix has {survey.width} columns, more than the limit of {WIDEST}.")
    return survey


def _build_schema(survey: _Survey) -> pa.Schema:
    fields = [
        build_sparse_field(MATRIX, survey.width, survey.first),
        pa.field(LABEL, pa.int64() if survey.are_whole else pa.float64()),
    ]
    if survey.have_queries:
        fields.append(pa.field(QUERY, pa.int64()))
    return pa.schema(fields)


def _build_batch(lines: Lines, schema: pa.Schema) -> pa.RecordBatch:
    labels = lines.labels
    is_whole = schema.field(LABEL).type == pa.int64()
    cells = [
        make_sparse_cells(lines.rows),
        make_number_cells(labels.astype(np.int64) if is_whole else labels),
    ]
    if lines.queries is not None:
        cells.append(make_number_cells(lines.queries.astype(np.int64)))
    return pa.RecordBatch.from_arrays(cells, schema=schema)


METHOD = Libsvm()
