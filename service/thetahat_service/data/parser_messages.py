"""The messages between this process and the process that parses files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NotRequired, TypeAlias, TypedDict

from thetahat_service.json_types import (
    ColumnDescription,
    FilePreview,
    FileUnderstanding,
    JsonObject,
)


class _FileRequest(TypedDict):
    path: str
    media_type: str
    memory_mb: NotRequired[int]
    seconds: NotRequired[int]


class InspectionRequest(_FileRequest):
    """Asks the parser to check a file and to write its table, where its format needs one."""

    action: Literal["inspect"]
    table: str
    limits: dict[str, int]


class StoredFileRequest(_FileRequest):
    """Asks the parser for the first rows of a file, or how it is understood."""

    action: Literal["preview", "understand"]
    columns: Sequence[ColumnDescription]
    details: JsonObject
    rows: int


ParserRequest: TypeAlias = InspectionRequest | StoredFileRequest
"""What the parser is asked; the limits of memory and time are added where it is sent."""


class InspectedFile(TypedDict):
    """The fields of ``Inspected``."""

    rows: int
    columns: tuple[ColumnDescription, ...]
    details: JsonObject
    has_table: bool


class ParserAnswer(TypedDict):
    """What the parser answers to each action, or the ``error`` that it met."""

    inspected: NotRequired[InspectedFile]
    preview: NotRequired[FilePreview]
    understanding: NotRequired[FileUnderstanding]
    error: NotRequired[str]
    message: NotRequired[str]
