"""The JSON that the layers of the service pass to each other: objects, problems and columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypeAlias, TypedDict
from uuid import UUID

from thetahat.values.json_schema import JsonSchema
from thetahat.values.json_values import JsonValue

JsonObject: TypeAlias = Mapping[str, JsonValue]
"""Any JSON object, for code that passes it on."""

Payload: TypeAlias = Mapping[str, int | str]
"""What one chunk of an evaluation computes; ``thetahat_service.kinds.base.read_payload`` reads
it."""


class ColumnDescription(TypedDict):
    """One column of a data set: its name, and ``number``, ``integer``, ``boolean``, ..."""

    name: str
    type: str


class StoredFault(TypedDict):
    """One invalid place of the request of a failed evaluation."""

    loc: Sequence[str | int]
    message: str
    value: JsonValue


class StoredProblem(TypedDict):
    """Why an evaluation failed: a problem document without status and path."""

    type: str
    code: str
    title: str
    detail: str
    errors: Sequence[StoredFault]


class StoredFailure(TypedDict):
    """Why one learner of an evaluation failed."""

    code: str
    message: str
    loc: Sequence[str | int]


class ReferenceDescription(TypedDict):
    """A publication that a method rests on."""

    key: str
    text: str


class MethodDescription(TypedDict):
    """A method of the catalogue; fields that a family lacks are missing."""

    name: str
    title: str
    summary: str
    parameters: NotRequired[JsonSchema]
    formula: NotRequired[str]
    references: NotRequired[list[ReferenceDescription]]
    assumptions: NotRequired[str]
    errs: NotRequired[str]
    needs: NotRequired[str]
    blocks: NotRequired[list[str]]
    targets: NotRequired[list[str]]
    mean: NotRequired[str | None]
    tasks: NotRequired[list[str]]
    origin: NotRequired[str]
    acts_on: NotRequired[str]
    package: NotRequired[str]
    version: NotRequired[str]
    gives: NotRequired[str]
    repetitions: NotRequired[int]
    roles: NotRequired[dict[str, str]]


class PreviewedColumn(TypedDict):
    """One column of a preview; ``missing`` counts the rows shown in which it has no value."""

    name: str
    type: str
    missing: int


class FilePreview(TypedDict):
    """The columns and the first rows of a file."""

    columns: list[PreviewedColumn]
    rows: list[list[JsonValue]]


class DatasetPreviewJson(FilePreview):
    """The columns and the first rows of a data set, and how its file was read."""

    id: UUID
    media_type: str
    understood: JsonObject


class FaultyCell(TypedDict):
    """A cell of a column of numbers that is no number: its row, from 0, and its text."""

    row: int
    value: str


class UnderstoodColumn(TypedDict):
    """One column of a file: its proposed role, why, and its cells."""

    name: str
    type: str
    role: str
    reason: str
    is_named_label: bool
    task: str | None
    distinct: int
    examples: list[str]
    missing: int
    first_missing: int | None
    missing_marks: dict[str, int]
    not_numbers: int
    first_not_numbers: list[FaultyCell]


class FileUnderstanding(TypedDict):
    """How a file is understood: its columns, what it holds, and which questions it can answer."""

    rows: int
    columns: list[UnderstoodColumn]
    columns_left_out: int
    kind: str
    kind_reason: str
    questions: list[str]


class DatasetUnderstandingJson(FileUnderstanding):
    """How the file of a data set is understood."""

    id: UUID
