"""Files of data, checked and ready to be read."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from thetahat_service.data.base import FileLimits, Inspected
from thetahat_service.data.formats import find_format
from thetahat_service.data.reading import DatasetFileContent, read_columns
from thetahat_service.data.tables import build_table_path

CSV = "text/csv"
PARQUET = "application/vnd.apache.parquet"
ARROW = "application/vnd.apache.arrow.stream"
NPY = "application/x-npy"
NPZ = "application/x-npz"
LIBSVM = "text/x-libsvm"
MANY = 10**9
NAN = float("nan")


def inspected(
    folder: Path, media_type: str, content: bytes, max_cells: int = MANY
) -> tuple[Inspected, DatasetFileContent]:
    path = folder / "file"
    path.write_bytes(content)
    with build_table_path(path, find_format(media_type).table_suffix or ".none").open(
        "w+b"
    ) as table:
        inspection = find_format(media_type).inspect(path, FileLimits(cells=max_cells), table)
    return inspection, DatasetFileContent(media_type, inspection.columns, path, inspection.details)


def keep(
    folder: Path, media_type: str, content: bytes, max_cells: int = MANY
) -> DatasetFileContent:
    return inspected(folder, media_type, content, max_cells)[1]


def read(folder: Path, media_type: str, content: bytes) -> dict[str, np.ndarray]:
    return read_columns(keep(folder, media_type, content))


def types(folder: Path, text: str) -> dict[str, str]:
    kept = keep(folder, CSV, text.encode())
    return {column["name"]: column["type"] for column in kept.columns}


def written(table: pa.Table, media_type: str) -> bytes:
    sink = io.BytesIO()
    if media_type == PARQUET:
        pq.write_table(table, sink, row_group_size=2)
        return sink.getvalue()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return sink.getvalue()
