"""Uploaded files as an evaluation sees them."""

from __future__ import annotations

from pathlib import Path

from thetahat_service.in_process.files import read_file
from thetahat_service.kinds.base import DatasetFile


def uploaded(folder: Path, media_type: str, content: bytes) -> DatasetFile:
    """Check a file as an upload is checked, and keep it in a folder."""
    path = folder / media_type.replace("/", "-")
    path.write_bytes(content)
    (folder / "checked").mkdir(exist_ok=True)
    return read_file(path, media_type, folder / "checked")
