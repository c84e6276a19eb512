"""The messages between this process and the process that parses files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypeAlias, TypedDict

from thetahat.values.json_values import JsonValue
from thetahat_service.json_types import (
    ColumnDescription,
    FilePreview,
    FileUnderstanding,
    JsonObject,
)


class FileLimitValues(TypedDict):
    """The fields of ``FileLimits``."""

    cells: int
    columns: int
    cell_bytes: int
    expansion: int


class InspectionRequest(TypedDict):
    """Asks the parser to check a file and to write its table, where its format needs one."""

    action: Literal["inspect"]
    path: str
    media_type: str
    table: str
    limits: FileLimitValues
    memory_mb: NotRequired[int]
    seconds: NotRequired[int]


class PreviewRequest(TypedDict):
    """Asks the parser for the first rows of a file."""

    action: Literal["preview"]
    path: str
    media_type: str
    columns: Sequence[ColumnDescription]
    rows: int
    memory_mb: NotRequired[int]
    seconds: NotRequired[int]


class UnderstandingRequest(TypedDict):
    """Asks the parser how a file is understood: roles of columns, and questions."""

    action: Literal["understand"]
    path: str
    media_type: str
    columns: Sequence[ColumnDescription]
    rows: int
    details: JsonObject
    memory_mb: NotRequired[int]
    seconds: NotRequired[int]


ParserRequest: TypeAlias = InspectionRequest | PreviewRequest | UnderstandingRequest
"""What the parser is asked; the limits of memory and time are added where it is sent."""


class InspectedFile(TypedDict):
    """What the parser found in a file."""

    rows: int
    columns: list[ColumnDescription]
    details: Mapping[str, JsonValue]
    has_table: bool


class ParserAnswer(TypedDict):
    """What the parser answers to each action, or the ``error`` that it met."""

    inspected: NotRequired[InspectedFile]
    preview: NotRequired[FilePreview]
    understanding: NotRequired[FileUnderstanding]
    error: NotRequired[str]
    message: NotRequired[str]
