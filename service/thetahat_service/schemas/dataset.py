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
    """Paths of a data set and of what is known of its content."""

    self: str = Field(description="Path of the data set.")
    preview: str = Field(description="Path of its first rows.")
    understood: str = Field(description="Path of the roles of its columns, and of the questions.")


class DatasetUses(BaseModel):
    """How often models were evaluated on the content of a data set."""

    evaluations: int = Field(
        description="The owner's evaluations of models on this content that succeeded, also those "
        "that were deleted since; identical requests are one."
    )
    models: int = Field(description="Different names of models in them.")
    first_at: datetime | None = Field(description="The end of the first; null without any.")
    last_at: datetime | None = Field(description="The end of the last; null without any.")


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
    uses: DatasetUses = Field(description="How often it was used as a test set.")
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


class FaultyCellRead(BaseModel):
    """A cell of a column of numbers that is no number."""

    row: int = Field(description="Its row, from 0.")
    value: str = Field(description="Its text.")


class UnderstoodColumnRead(DatasetColumn):
    """One column: what it seems to be for, why, and its cells."""

    role: str = Field(
        description="What it seems to be for, such as model, target, feature, label, index, "
        "identifier or unclear."
    )
    reason: str = Field(description="Why, as the end of a sentence that begins with its name.")
    is_named_label: bool = Field(
        description="Whether name and values say that rows with one value belong together, as "
        "those of a school do."
    )
    task: Literal["classification", "regression"] | None = Field(
        description="The task if it is the target: classification for text, booleans, and 0 and "
        "1; null if it can only be features."
    )
    distinct: int = Field(description="Number of different values.")
    examples: list[str] = Field(description="Its first different values, shortened.")
    missing: int = Field(description="Number of rows without a value.")
    first_missing: int | None = Field(description="The first of them, from 0.")
    missing_marks: dict[str, int] = Field(
        description="What is written in such cells of a column of numbers, and how often."
    )
    not_numbers: int = Field(
        description="Cells that are no numbers, of a column that is nearly all."
    )
    first_not_numbers: list[FaultyCellRead] = Field(description="The first of these cells.")


class DatasetUnderstanding(BaseModel):
    """How the file of a data set is understood."""

    id: UUID = Field(description="Id of the data set.")
    rows: int = Field(description="Number of rows.")
    columns: list[UnderstoodColumnRead] = Field(description="The first columns of the file.")
    columns_left_out: int = Field(description="Number of further columns.")
    kind: Literal["losses", "predictions", "cross_validation"] = Field(
        description="The kind of evaluation that the file seems to be for."
    )
    kind_reason: str = Field(description="Why, as a sentence.")
    questions: list[str] = Field(
        description="Sentences on which questions the file can answer, which it cannot, and what "
        "would be needed."
    )
