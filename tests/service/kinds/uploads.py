"""Uploaded files as an evaluation sees them."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid5

from service.data.base import FileLimits
from service.data.formats import find_format
from service.data.tables import table_path
from service.kinds.base import DatasetFile
from tests.service.kinds.run_requests import SPACE


def uploaded(folder: Path, media_type: str, content: bytes) -> DatasetFile:
    """Check a file as an upload is checked, and keep it in a folder."""
    form = find_format(media_type)
    path = folder / media_type.replace("/", "-")
    path.write_bytes(content)
    with table_path(path, form.table_suffix or ".none").open("w+b") as table:
        inspection = form.inspect(path, FileLimits(cells=10**9), table)
    return DatasetFile(
        id=uuid5(SPACE, media_type),
        sha256="0" * 64,
        media_type=media_type,
        rows=inspection.rows,
        columns=inspection.columns,
        details=inspection.details,
        path=path,
    )
