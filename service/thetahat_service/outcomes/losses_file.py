"""The file of losses that an evaluation keeps: Parquet, written batch by batch."""

from __future__ import annotations

import itertools
from typing import IO, Final

import pyarrow as pa
import pyarrow.parquet as pq

from thetahat_service.outcomes.output_table import OutputTable

SAMPLE_ROWS: Final = 1000


def write_losses(file: IO[bytes], losses: pa.Table | OutputTable) -> None:
    """Write the table of losses to an open file."""
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
