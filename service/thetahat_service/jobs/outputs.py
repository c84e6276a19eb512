"""The files of an evaluation: the arrays of its chunks until they are gathered, and its losses.

A file name includes the attempt, so that an attempt that has lost its claim never overwrites or
deletes the file of a later one. It also includes a checksum, which is verified at each reading.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from thetahat_service.errors import DamagedFile
from thetahat_service.jobs.chunk_files import build_chunk_folder
from thetahat_service.jobs.output_table import OutputTable
from thetahat_service.kinds.base import ChunkOutput
from thetahat_service.storage.files import FileStore
from thetahat_service.storage.units import OutputFile, UnitClaim

log = logging.getLogger(__name__)

SAMPLE_ROWS: Final = 1000


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


def keep_losses(files: FileStore, claim: UnitClaim, losses: pa.Table | OutputTable) -> str:
    """Write the table of losses as Parquet, batch by batch, and return the file's name."""
    name = f"losses/{claim.evaluation_id}-{claim.attempt}.parquet"
    with files.open_upload() as file:
        if isinstance(losses, OutputTable):
            batches = losses.iterate_batches()
            first = next(batches)
            repeating = _find_repeating_columns(first)
            with pq.ParquetWriter(
                file, first.schema, compression="zstd", use_dictionary=repeating
            ) as writer:
                for batch in itertools.chain([first], batches):
                    writer.write_table(batch)
        else:
            pq.write_table(
                losses, file, compression="zstd", use_dictionary=_find_repeating_columns(losses)
            )
        return files.keep_with_digest(file, name)


def _find_repeating_columns(table: pa.Table) -> list[str]:
    """Return the columns whose first values repeat; only these get a dictionary.

    Looking for repetitions in a column without any takes longer than writing it.
    """
    first = table.slice(0, SAMPLE_ROWS)
    return [
        name
        for name, column in zip(first.column_names, first.columns, strict=True)
        if 2 * len(column.unique()) <= len(column)
    ]


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


def open_chunk_outputs(files: FileStore, output_files: Iterable[OutputFile]) -> list[ChunkOutput]:
    """Return the outputs of chunks; a file is read when its arrays are first used."""
    return [
        ChunkOutput(file.payload, partial(read_arrays, files, file.name)) for file in output_files
    ]
