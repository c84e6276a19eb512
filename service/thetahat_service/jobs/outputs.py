"""The outputs of an evaluation's chunks, and the file of its losses.

The name of the file includes the attempt and a checksum, as those of ``storage.chunk_arrays`` do.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import pyarrow as pa

from thetahat_service.kinds.base import ChunkOutput
from thetahat_service.outcomes.losses_file import write_losses
from thetahat_service.outcomes.output_table import OutputTable
from thetahat_service.storage.chunk_arrays import read_arrays
from thetahat_service.storage.files import FileStore
from thetahat_service.storage.units import OutputFile, UnitClaim


def keep_losses(files: FileStore, claim: UnitClaim, losses: pa.Table | OutputTable) -> str:
    """Write the table of losses, and return the file's name."""
    name = f"losses/{claim.evaluation_id}-{claim.attempt}.parquet"
    with files.open_upload() as file:
        write_losses(file, losses)
        return files.keep_with_digest(file, name)


def open_chunk_outputs(files: FileStore, output_files: Iterable[OutputFile]) -> list[ChunkOutput]:
    """Return the outputs of chunks; a file is read when its arrays are first used."""
    return [
        ChunkOutput(file.payload, partial(read_arrays, files, file.name)) for file in output_files
    ]
