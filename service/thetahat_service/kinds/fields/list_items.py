"""The items of lists in requests, with their JSON schemas.

pydantic is slow on long lists of a union, and takes ``true`` for 1. So it passes these items on as
the JSON parser returned them, and ``thetahat_service.schemas.numbers`` checks whole lists at once.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import WithJsonSchema

_NUMBER: Final = {"type": "number"}
_NULL: Final = {"type": "null"}
_BOOLEAN: Final = {"type": "boolean"}
_STRING: Final = {"type": "string"}
_VALUE: Final = [_STRING, _NUMBER, _BOOLEAN, _NULL]

NumberItem = Annotated[Any, WithJsonSchema(_NUMBER)]
"""A number."""

MissingNumberItem = Annotated[Any, WithJsonSchema({"anyOf": [_NUMBER, _NULL]})]
"""A number, or null where it is missing."""

_LOSS: Final = [_NUMBER, _BOOLEAN, _NULL]
LossItem = Annotated[Any, WithJsonSchema({"anyOf": _LOSS})]
"""A loss: a number, true for wrong and false for right, or null where it is missing."""

LossesItem = Annotated[
    Any, WithJsonSchema({"anyOf": [*_LOSS, {"type": "array", "items": {"anyOf": _LOSS}}]})
]
"""The losses of one block, or one loss where the blocks stand beside the losses."""

WeightsItem = Annotated[
    Any, WithJsonSchema({"anyOf": [_NUMBER, {"type": "array", "items": _NUMBER}]})
]
"""The weights of one block, or one weight where the blocks stand beside the losses."""

LabelItem = Annotated[Any, WithJsonSchema({"anyOf": [_STRING, {"type": "integer"}, _NULL]})]
"""A label: a text or a whole number, or null where it is missing."""

ValueItem = Annotated[Any, WithJsonSchema({"anyOf": _VALUE})]
"""A class or a value: a text, a number or a boolean, or null where it is missing."""

ScoreItem = Annotated[
    Any, WithJsonSchema({"anyOf": [_NUMBER, _NULL, {"type": "array", "items": _NUMBER}]})
]
"""The score of one row: a number, or the numbers of all classes."""

SetItem = Annotated[
    Any, WithJsonSchema({"anyOf": [{"type": "array", "items": {"anyOf": _VALUE[:3]}}, _NULL]})
]
"""The prediction set of one row: a list of classes, or null where it is missing."""

ParameterItem = Annotated[
    Any,
    WithJsonSchema(
        {
            "anyOf": [
                *_VALUE,
                {"type": "array", "items": {"anyOf": _VALUE}},
                {"type": "object", "additionalProperties": True},
            ]
        }
    ),
]
"""A value of a parameter."""

ResampleItem = Annotated[
    Any,
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "array", "items": _NUMBER},
                {
                    "type": "object",
                    "properties": {
                        "x": {
                            "anyOf": [
                                {"type": "array", "items": _NUMBER},
                                {
                                    "type": "object",
                                    "additionalProperties": {"type": "array", "items": _NUMBER},
                                },
                            ]
                        },
                        "y": {"type": "array", "items": _NUMBER},
                    },
                    "required": ["x"],
                    "additionalProperties": False,
                },
            ]
        }
    ),
]
"""One resample: a list of numbers, or an object with x (numbers, or columns by name) and y."""
