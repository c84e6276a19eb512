"""The outputs of an evaluation's chunks, and the file of its losses.

The name of the file includes the attempt and a checksum, as those of ``storage.chunk_arrays`` do.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from functools import partial
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from thetahat_service.kinds.base import ChunkOutput
from thetahat_service.outcomes.output_table import OutputTable
from thetahat_service.storage.chunk_arrays import read_arrays
from thetahat_service.storage.files import FileStore
from thetahat_service.storage.units import OutputFile, UnitClaim

SAMPLE_ROWS: Final = 1000


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


def open_chunk_outputs(files: FileStore, output_files: Iterable[OutputFile]) -> list[ChunkOutput]:
    """Return the outputs of chunks; a file is read when its arrays are first used."""
    return [
        ChunkOutput(file.payload, partial(read_arrays, files, file.name)) for file in output_files
    ]
