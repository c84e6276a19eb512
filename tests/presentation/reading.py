"""The texts of tables and documents, for tests."""

from __future__ import annotations

from typing import Any

from thetahat_presentation.document import Document, Table
from thetahat_presentation.renderers.cells import cell_text


def texts_of(table: Table) -> list[list[str]]:
    """Return the texts of the cells, row by row."""
    return [[cell_text(cell) for cell in row] for row in table.rows]


def table_of(document: Document, start: str) -> Table:
    """Return the first table whose caption begins so."""
    return next(
        table
        for section in document.sections
        for table in (*section.tables, *section.more)
        if table.caption.startswith(start)
    )


def row_of(table: Table, name: str) -> list[str]:
    """Return the texts of the row of that name."""
    return next(row for row in texts_of(table) if row[0] == name)


def outcome_of(document: Document) -> list[str]:
    """Return the headline and the sentences."""
    return [document.headline, *document.sentences]


def caution(code: str, severity: str) -> dict[str, Any]:
    """Return a caution as results have it."""
    return {"code": code, "severity": severity, "message": f"Say {code}.", "advice": "Do it."}
