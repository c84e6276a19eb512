"""The losses of an evaluation as JSON or CSV, streamed from the stored Parquet file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv as arrow_csv

from thetahat_service.data.arrow_columns import is_text, to_numpy

JSON: Final = "application/json"
CSV: Final = "text/csv"
PARQUET: Final = "application/vnd.apache.parquet"
AVAILABLE: Final = (JSON, CSV, PARQUET)
BATCH_ROWS: Final = 65_536
FORMULA: Final = r"^[=+\-@\t\r\n]"
"""How a text begins that a spreadsheet would take for a formula, by OWASP's list."""


def stream_csv(path: Path) -> Iterator[bytes]:
    """Yield a header and the rows; texts that look like formulas begin with an apostrophe."""
    with pq.ParquetFile(path) as file:
        header = pa.BufferOutputStream()
        names = _neutralise(pa.array(file.schema_arrow.names, pa.string())).to_pylist()
        with arrow_csv.CSVWriter(
            header, pa.schema(zip(names, file.schema_arrow.types, strict=True))
        ):
            pass
        yield header.getvalue().to_pybytes()
        options = arrow_csv.WriteOptions(include_header=False)
        for batch in file.iter_batches(batch_size=BATCH_ROWS):
            rows = pa.BufferOutputStream()
            columns = [_neutralise(c) if is_text(c.type) else c for c in batch.columns]
            safe = pa.RecordBatch.from_arrays(columns, names=names)
            arrow_csv.write_csv(safe, rows, options)
            yield rows.getvalue().to_pybytes()


def _neutralise(texts: pa.Array) -> pa.Array:
    """Return texts that no spreadsheet runs: an apostrophe before those that look like formulas.

    Source: OWASP, CSV injection.
    """
    looks_like_one = pc.match_substring_regex(texts, FORMULA)
    quoted = pc.binary_join_element_wise(
        pa.scalar("'", texts.type), texts, pa.scalar("", texts.type)
    )
    return pc.if_else(looks_like_one, quoted, texts)


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
