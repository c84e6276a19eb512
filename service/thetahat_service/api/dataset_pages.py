"""How the file of a data set is understood, for its page and for the form that evaluates it."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from thetahat_service.api.parser_calls import run_parser
from thetahat_service.errors import InvalidFile
from thetahat_service.jobs import datasets
from thetahat_service.json_types import FileUnderstanding
from thetahat_service.pages.dataset_page import (
    list_questions,
    list_understood,
    tabulate_columns,
    tabulate_rows,
)
from thetahat_service.storage.datasets import DatasetRow

MOST_CELLS: Final = 20_000_000
"""Cells of a file that is looked at whenever a page is opened, which takes four seconds."""


async def understand(owner_id: UUID, row: DatasetRow) -> FileUnderstanding | None:
    """Return how a file is understood; None for one that is too large for a page."""
    if row.rows * len(row.columns) > MOST_CELLS:
        return None
    try:
        return await run_parser(owner_id, datasets.understand, owner_id, row.id)
    except InvalidFile:  # it needs more memory than a parser has
        return None


async def describe_file(
    owner_id: UUID, row: DatasetRow, understood: FileUnderstanding | None, n_rows: int
) -> dict[str, Any]:
    """Return what both pages show of a file, with its first rows."""
    preview = await run_parser(owner_id, datasets.preview, owner_id, row.id, n_rows)
    return {
        "item": row,
        "understood": list_understood(row.media_type, row.details),
        "columns": tabulate_columns(row.columns, understood),
        "questions": list_questions(understood),
        "preview": tabulate_rows(preview),
    }
