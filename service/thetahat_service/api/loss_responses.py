"""The losses of an evaluation: the stored Parquet file, or its rows as JSON or CSV.

The file is open, and the first piece is made, before the response begins. So a store that is away
is a problem document and never a response that is cut off.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import IO, Any, Final, TypeVar

import anyio
import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
from fastapi.responses import FileResponse, Response
from pyarrow import csv as arrow_csv
from starlette.types import Receive, Scope, Send

from thetahat_service.data import arrow_functions as pc
from thetahat_service.data.arrow_columns import is_text, to_numpy
from thetahat_service.errors import DamagedFile
from thetahat_service.storage.files import translate_file_errors

T = TypeVar("T")

JSON: Final = "application/json"
CSV: Final = "text/csv"
PARQUET: Final = "application/vnd.apache.parquet"
AVAILABLE: Final = (JSON, CSV, PARQUET)
BATCH_ROWS: Final = 65_536
FORMULA: Final = r"^[=+\-@\t\r\n]"
"""How a text begins that a spreadsheet would take for a formula, by OWASP's list."""


class OpenFileResponse(FileResponse):
    """A response with the content of a file that is open already, and that it closes."""

    def __init__(self, file: IO[bytes], **options: Any) -> None:
        super().__init__(file.name, stat_result=os.fstat(file.fileno()), **options)
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file, and close it."""
        with self._file:
            await super().__call__(scope, receive, send)

    @asynccontextmanager
    async def _open_file(self) -> AsyncIterator[anyio.AsyncFile[bytes]]:
        yield anyio.wrap_file(self._file)


class CountedResponse(Response):
    """A response that is counted until it has been sent, or its client has gone.

    Parameters
    ----------
    response : Response
        The response.
    count : ExitStack
        What ends the count.
    """

    def __init__(self, response: Response, count: ExitStack) -> None:
        super().__init__()
        self._response = response
        self._count = count

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response, and end its count."""
        with self._count:
            await self._response(scope, receive, send)


def open_losses(find: Callable[[], Path], open_file: Callable[[Path], T]) -> T:
    """Find the file of losses and open it; ``Unavailable`` if the store is away.

    A store that is away for a moment between the two looks as if it had lost the file, so the file
    is looked for once more.
    """
    with translate_file_errors("The losses cannot be read"):
        try:
            return open_file(find())
        except (DamagedFile, FileNotFoundError):
            return open_file(find())


def open_parquet(path: Path) -> IO[bytes]:
    """Open the file as it is."""
    return path.open("rb")


def begin_csv(path: Path) -> Iterator[bytes]:
    """Open the file, and return the pieces of its rows as CSV."""
    return _begin(stream_csv(path))


def begin_json(path: Path) -> Iterator[bytes]:
    """Open the file, and return the pieces of its columns as JSON."""
    return _begin(stream_json(path))


def _begin(pieces: Iterator[bytes]) -> Iterator[bytes]:
    first = next(pieces)
    return itertools.chain([first], pieces)


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
