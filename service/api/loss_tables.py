"""The losses of an evaluation as JSON, CSV or Parquet, streamed from the file that is kept."""

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
OFFERED: Final = (JSON, CSV, PARQUET)
BATCH_ROWS: Final = 65_536


def as_csv(path: Path) -> Iterator[bytes]:
    """Yield a header and the rows."""
    with pq.ParquetFile(path) as file:
        head = pa.BufferOutputStream()
        with arrow_csv.CSVWriter(head, file.schema_arrow):
            pass
        yield head.getvalue().to_pybytes()
        options = arrow_csv.WriteOptions(include_header=False)
        for batch in file.iter_batches(batch_size=BATCH_ROWS):
            part = pa.BufferOutputStream()
            arrow_csv.write_csv(batch, part, options)
            yield part.getvalue().to_pybytes()


def as_json(path: Path) -> Iterator[bytes]:
    """Yield ``{"rows": n, "columns": {name: [...], ...}}``, the form in which losses are sent."""
    with pq.ParquetFile(path) as file:
        yield b'{"rows":%d,"columns":{' % file.metadata.num_rows
        for i, name in enumerate(file.schema_arrow.names):
            yield b"," * (i > 0) + orjson.dumps(name) + b":["
            first = True
            for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=[name]):
                values = to_numpy(pa.chunked_array([batch.column(name)]))
                yield b"," * (not first) + _inside(values)
                first = False
            yield b"]"
        yield b"}}"


def _inside(values: np.ndarray) -> bytes:
    """Return the entries of a JSON list without its brackets; NaN becomes null."""
    plain = values.tolist() if values.dtype == object else np.ascontiguousarray(values)
    return orjson.dumps(plain, option=orjson.OPT_SERIALIZE_NUMPY)[1:-1]
