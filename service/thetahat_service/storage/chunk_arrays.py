"""The files with the arrays of chunks, kept until they are gathered.

A file name includes the attempt, so that an attempt that has lost its claim never overwrites or
deletes the file of a later one. It also includes a checksum, which is verified at each reading.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping

import numpy as np

from thetahat_service.errors import DamagedFile
from thetahat_service.storage.files import FileStore, build_chunk_folder
from thetahat_service.storage.units import OutputFile, UnitClaim

log = logging.getLogger(__name__)


def keep_arrays(
    files: FileStore, claim: UnitClaim, arrays: Mapping[str, np.ndarray], mark: str = ""
) -> str:
    """Write a chunk's arrays and return the file's name; arrays of objects are refused.

    A process that is not the attempt itself passes a unique ``mark`` for the name.
    """
    name = f"{build_chunk_folder(claim.evaluation_id)}/{claim.number}-{claim.attempt}{mark}.npz"
    with files.open_upload() as file:
        np.savez(file, allow_pickle=False, **arrays)
        return files.keep_with_digest(file, name)


def read_arrays(files: FileStore, name: str) -> dict[str, np.ndarray]:
    """Return the arrays of a chunk that ``keep_arrays`` wrote."""
    with np.load(files.fetch(name), allow_pickle=False) as arrays:
        return dict(arrays.items())


def list_damaged(files: FileStore, output_files: Iterable[OutputFile]) -> list[str]:
    """Return the files of chunks that are lost or damaged."""
    damaged = []
    for name in dict.fromkeys(output.name for output in output_files):
        try:
            files.fetch(name)
        except DamagedFile as damage:
            log.warning("chunk.damaged", extra={"file": name, "reason": damage.message})
            damaged.append(name)
    return damaged
