"""Data sets in responses, whose fields have no defaults, and the request to import one."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints, WithJsonSchema

from thetahat.values.json_values import JsonValue
from thetahat_service.schemas.base import Schema

ColumnType = Literal["number", "integer", "boolean", "string", "sparse", "matrix"]


class DatasetImport(Schema):
    """A file to receive from another host."""

    url: Annotated[str, StringConstraints(min_length=1, max_length=2000)] = Field(
        description="Where the file is; the operator must have listed its host.",
        examples=["https://data.example.com/exam.parquet"],
    )
    media_type: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = Field(
        None,
        description="Format of the file. Left out: that of the answer's Content-Type, or of the "
        "ending of the path.",
        examples=["text/csv"],
    )
    name: Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")] | None = Field(
        None, description="Name of the data set; the last part of the path if it is left out."
    )


class DatasetColumn(BaseModel):
    """One column."""

    name: str = Field(description="Name of the column.")
    type: ColumnType = Field(
        description="Type of the values; sparse is a group of sparse columns, and matrix an array "
        "of numbers with many columns, which is one feature by this name."
    )


PreviewCell = Annotated[
    Any,
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "number"},
                {"type": "boolean"},
                {"type": "null"},
                {
                    "type": "object",
                    "additionalProperties": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                },
            ]
        }
    ),
]
"""A value of a data set; of a sparse group or a matrix an object of its first values."""


class PreviewColumn(DatasetColumn):
    """One column of a preview."""

    missing: int = Field(description="Missing values in the rows shown.")


class DatasetLinks(BaseModel):
    """Paths of a data set and of its preview."""

    self: str = Field(description="Path of the data set.")
    preview: str = Field(description="Path of its first rows.")


class DatasetRead(BaseModel):
    """An uploaded file."""

    id: UUID = Field(description="Id of the data set.")
    name: str | None = Field(description="Name from the upload.")
    sha256: str = Field(description="SHA-256 of the file, in hexadecimal.")
    media_type: str = Field(description="Format of the file.")
    bytes: int = Field(description="Size of the file.")
    rows: int = Field(description="Number of rows.")
    columns: list[DatasetColumn] = Field(description="Columns, in the order of the file.")
    understood: dict[str, JsonValue] = Field(
        description="Properties of the file, such as delimiter, encoding and row groups."
    )
    created_at: datetime = Field(description="The time of the upload.")
    links: DatasetLinks = Field(description="Related paths.")


class DatasetPage(BaseModel):
    """One page of the list of data sets."""

    items: list[DatasetRead] = Field(description="Data sets, newest first.")
    next: str | None = Field(description="Pass as ?cursor= for the next page; null on the last.")


class DatasetPreview(BaseModel):
    """The first rows of a data set."""

    id: UUID = Field(description="Id of the data set.")
    media_type: str = Field(description="Format of the file.")
    columns: list[PreviewColumn] = Field(description="Columns, in the order of the file.")
    rows: list[list[PreviewCell]] = Field(
        description="Values by row; missing and infinite ones are null."
    )
    understood: dict[str, JsonValue] = Field(description="Properties of the file.")
