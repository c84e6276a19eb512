"""The losses of an evaluation as JSON or CSV, streamed from the stored Parquet file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv as arrow_csv

from service.data.arrow_columns import to_numpy

JSON: Final = "application/json"
CSV: Final = "text/csv"
PARQUET: Final = "application/vnd.apache.parquet"
AVAILABLE: Final = (JSON, CSV, PARQUET)
BATCH_ROWS: Final = 65_536


def stream_csv(path: Path) -> Iterator[bytes]:
    """Yield a header and the rows."""
    with pq.ParquetFile(path) as file:
        header = pa.BufferOutputStream()
        with arrow_csv.CSVWriter(header, file.schema_arrow):
            pass
        yield header.getvalue().to_pybytes()
        options = arrow_csv.WriteOptions(include_header=False)
        for batch in file.iter_batches(batch_size=BATCH_ROWS):
            rows = pa.BufferOutputStream()
            arrow_csv.write_csv(batch, rows, options)
            yield rows.getvalue().to_pybytes()


def stream_json(path: Path) -> Iterator[bytes]:
    """Yield ``{"rows": n, "columns": {name: [...], ...}}``, the form in which losses are sent."""
    with pq.ParquetFile(path) as file:
        yield b'{"rows":%d,"columns":{' % file.metadata.num_rows
        for i, name in enumerate(file.schema_arrow.names):
            yield b"," * (i > 0) + orjson.dumps(name) + b":["
            is_first = True
            for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=[name]):
                values = to_numpy(pa.chunked_array([batch.column(name)]))
                yield b"," * (not is_first) + _list_entries(values)
                is_first = False
            yield b"]"
        yield b"}}"


def _list_entries(values: np.ndarray) -> bytes:
    """Return the entries of a JSON list without its brackets; NaN becomes null."""
    entries = values.tolist() if values.dtype == object else np.ascontiguousarray(values)
    return orjson.dumps(entries, option=orjson.OPT_SERIALIZE_NUMPY)[1:-1]
