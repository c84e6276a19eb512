"""Requests that are right, to be broken in one place."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PARQUET = "application/vnd.apache.parquet"
ARROW = "application/vnd.apache.arrow.stream"
NPY = "application/x-npy"
CSV = "text/csv"
JSON_TYPE = {"Content-Type": "application/json"}


def matrix() -> dict[str, Any]:
    """Two models on five folds of nine instances, as the issue asks for."""
    rng = np.random.default_rng(20_261_121)
    losses = {m: rng.integers(0, 2, (5, 9)).tolist() for m in ("nb", "svm")}
    return {"kind": "losses", "blocks": "random", "losses": losses}


def nap(**fields: Any) -> dict[str, Any]:
    return {"kind": "sleeping", **fields}


def table() -> pa.Table:
    return pa.table(
        {
            "x": [0.5, None, 2.0],
            "n": [1, 2, 3],
            "is": [True, False, True],
            "site": ["a", "b", None],
        }
    )


def parquet_bytes(data: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(data, sink)
    return sink.getvalue()


def arrow_bytes(data: pa.Table, **options: Any) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, data.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(data)
    return sink.getvalue()


def npy_bytes(array: np.ndarray) -> bytes:
    sink = io.BytesIO()
    np.save(sink, array)
    return sink.getvalue()


CSV_TEXT = b"x,n,is,site\n0.5,1,true,a\n,2,false,b\n2,3,true,\n"
FILES = {
    CSV: CSV_TEXT,
    PARQUET: parquet_bytes(table()),
    ARROW: arrow_bytes(table()),
    NPY: npy_bytes(np.arange(6.0).reshape(3, 2)),
}
