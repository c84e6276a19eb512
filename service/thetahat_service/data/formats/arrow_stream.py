"""Arrow streams of record batches, mapped into memory as they are on disk."""

from __future__ import annotations

from pathlib import Path
from typing import IO, ClassVar

import pyarrow as pa

from thetahat_service.data.arrow_columns import check_values, list_column_types
from thetahat_service.data.arrow_messages import check_messages
from thetahat_service.data.base import FileLimits, Inspected, check_not_empty, check_size
from thetahat_service.data.file_kinds import check_kind
from thetahat_service.data.tables import MappedFormat
from thetahat_service.errors import InvalidFile


class ArrowStream(MappedFormat):
    """Apache Arrow IPC, streaming format, uncompressed."""

    media_type: ClassVar[str] = "application/vnd.apache.arrow.stream"
    title: ClassVar[str] = "Arrow stream"
    table_suffix = ""

    def inspect(self, path: Path, limits: FileLimits, table: IO[bytes]) -> Inspected:
        """Check every batch in full; nothing is copied."""
        del table
        check_kind(path, self.media_type)
        from thetahat_service.data.written_numbers import WrittenNumbers  # noqa: PLC0415 - CSV needs none

        rows, batches, written = 0, 0, WrittenNumbers()
        try:
            with pa.memory_map(str(path)) as source:
                check_messages(source, limits)
                source.seek(0)
                with pa.ipc.open_stream(source) as reader:
                    check_size(1, len(reader.schema), limits)
                    columns = list_column_types(reader.schema)
                    for batch in reader:
                        rows += batch.num_rows
                        batches += 1
                        check_size(rows, len(columns), limits)
                        check_values(batch, limits)
                        written.add(batch)
        except MemoryError:  # also one of Arrow's exceptions
            raise
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            raise InvalidFile(
                f"The file is not an Arrow stream that can be read: {error}."
            ) from None
        check_not_empty(rows)
        return Inspected(rows, columns, {"batches": batches, **written.describe()})

    def map(self, path: Path) -> pa.Table:
        """Map the file into memory."""
        with pa.memory_map(str(path)) as source, pa.ipc.open_stream(source) as reader:
            return reader.read_all()


METHOD = ArrowStream()
