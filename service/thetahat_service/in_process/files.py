"""Files of the caller: read and checked where they are, and described for the command line."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from uuid import NAMESPACE_OID, uuid5

from thetahat_service.data.base import FileLimits
from thetahat_service.data.encodings import detect_encoding_by_mark
from thetahat_service.data.formats import add_encoding, find_format
from thetahat_service.data.tables import build_table_path
from thetahat_service.kinds.base import DatasetFile

UNLIMITED: Final = FileLimits(cells=10**10, columns=10**6, cell_bytes=2**30, expansion=10**6)
"""The file is the caller's own, so the limits against hostile uploads do not apply."""


@contextmanager
def open_file(data: Path, media_type: str) -> Iterator[DatasetFile]:
    """Read and check a file; its table is kept until the block ends.

    Raises ``InvalidFile`` for a bad file.
    """
    with TemporaryDirectory(prefix="thetahat-") as folder:
        yield read_file(data, media_type, Path(folder))


def read_file(data: Path, media_type: str, folder: Path) -> DatasetFile:
    """Read and check a file; its table, where its format needs one, is written to the folder."""
    if media_type == "text/csv":
        media_type = add_encoding(media_type, detect_encoding_by_mark(data))
    path = folder / data.name
    path.symlink_to(data.resolve())
    form = find_format(media_type)
    with build_table_path(path, form.table_suffix or ".none").open("w+b") as table:
        inspected = form.inspect(path, UNLIMITED, table)
    with data.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return DatasetFile(
        id=uuid5(NAMESPACE_OID, digest),  # the same file gives the same request, and so its seed
        sha256=digest,
        media_type=media_type,
        rows=inspected.rows,
        columns=inspected.columns,
        details=inspected.details,
        path=path,
    )
