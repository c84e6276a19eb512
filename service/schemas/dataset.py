"""Data sets as they are read; outputs have no defaults."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

ColumnType = Literal["number", "integer", "boolean", "string", "sparse"]


class Column(BaseModel):
    """One column."""

    name: str
    type: ColumnType


class PreviewColumn(Column):
    """One column of a preview."""

    missing: int = Field(description="Missing values in the rows shown.")


class DatasetLinks(BaseModel):
    """Where to go from a data set."""

    self: str
    preview: str


class DatasetRead(BaseModel):
    """An uploaded file."""

    id: UUID
    name: str | None
    sha256: str
    media_type: str
    bytes: int
    rows: int
    columns: list[Column]
    understood: dict[str, Any] = Field(description="Delimiter, encoding, row groups, ...")
    created_at: datetime
    links: DatasetLinks


class DatasetPage(BaseModel):
    """A part of the list."""

    items: list[DatasetRead]
    next: str | None = Field(description="Pass as ?cursor= for the next part; null at the end.")


class DatasetPreview(BaseModel):
    """The first rows."""

    id: UUID
    media_type: str
    columns: list[PreviewColumn]
    rows: list[list[Any]]
    understood: dict[str, Any]
