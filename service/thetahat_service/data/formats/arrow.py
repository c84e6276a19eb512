"""Arrow files, which are Feather files of version 2 too, and Arrow streams.

They are mapped into memory as they are on disk; compressed columns are unpacked when they are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, ClassVar

import pyarrow as pa

from thetahat_service.data.arrow_columns import check_values, list_column_types
from thetahat_service.data.arrow_messages import check_messages, is_arrow_file
from thetahat_service.data.base import (
    FileLimits,
    Inspected,
    check_expansion,
    check_not_empty,
    check_size,
)
from thetahat_service.data.file_kinds import check_kind
from thetahat_service.data.tables import MappedFormat
from thetahat_service.errors import InvalidFile


class Arrow(MappedFormat):
    """Apache Arrow IPC, file or streaming format, compressed or not."""

    media_type: ClassVar[str] = "application/vnd.apache.arrow.stream"
    title: ClassVar[str] = "Arrow file or stream"
    table_suffix = ""

    def inspect(self, path: Path, limits: FileLimits, table: IO[bytes]) -> Inspected:
        """Check every batch in full; of a file that is not compressed nothing is copied."""
        del table
        check_kind(path, self.media_type)
        from thetahat_service.data.written_numbers import WrittenNumbers  # noqa: PLC0415 - CSV needs none

        rows, batches, written = 0, 0, WrittenNumbers()
        try:
            with pa.memory_map(str(path)) as source:
                check_expansion(path, check_messages(source, limits), limits)
            with _open(path) as reader:
                check_size(1, len(reader.schema), limits)
                columns, left_out = list_column_types(reader.schema)
                names = [column["name"] for column in columns]
                for batch in _iterate(reader):
                    rows += batch.num_rows
                    batches += 1
                    check_size(rows, len(columns), limits)
                    used = batch.select(names)
                    check_values(used, limits)
                    written.add(used)
        except MemoryError:  # also one of Arrow's exceptions
            raise
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            raise InvalidFile(f"The file is not Arrow that can be read: {error}.") from None
        check_not_empty(rows)
        return Inspected(rows, columns, {"batches": batches, **left_out, **written.describe()})

    def map(self, path: Path, names: Sequence[str]) -> pa.Table:
        """Map the file into memory; only the named columns are unpacked."""
        with _open(path) as reader:
            places = [reader.schema.get_field_index(name) for name in names]
        with _open(path, pa.ipc.IpcReadOptions(included_fields=places)) as reader:
            return reader.read_all()


@contextmanager
def _open(
    path: Path, options: pa.ipc.IpcReadOptions | None = None
) -> Iterator[pa.ipc.RecordBatchFileReader | pa.ipc.RecordBatchStreamReader]:
    """Open a file or a stream, mapped into memory."""
    with pa.memory_map(str(path)) as source:
        open_ipc = pa.ipc.open_file if is_arrow_file(source) else pa.ipc.open_stream
        with open_ipc(source, options=options) as reader:
            yield reader


def _iterate(
    reader: pa.ipc.RecordBatchFileReader | pa.ipc.RecordBatchStreamReader,
) -> Iterator[pa.RecordBatch]:
    """Yield the batches one after the other, so that one is unpacked at a time."""
    if isinstance(reader, pa.ipc.RecordBatchFileReader):
        return map(reader.get_batch, range(reader.num_record_batches))
    return iter(reader)


METHOD = Arrow()
