"""The JSON that the layers of the service pass to each other: objects, problems and columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypedDict

from thetahat.values.json_values import JsonValue

JsonObject: TypeAlias = Mapping[str, JsonValue]
"""Any JSON object, for code that passes it on."""

Payload: TypeAlias = Mapping[str, int | str]
"""What one chunk of an evaluation computes; ``service.kinds.base.read_payload`` reads it."""


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
