"""Types of request fields that name a method, or another value from a fixed list.

A field for a method holds a bare name, or an entry with a name and parameters. Its JSON schema
lists the names of the family. Validation accepts any text: the family's registry refuses an
unknown name with a better message, which proposes similar names.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, Generic, TypeVar

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from thetahat.values.json_values import JsonValue
from thetahat_service.schemas.base import Schema

LONGEST_NAME: Final = 80

N = TypeVar("N", bound=str)


class _Component:
    """A type for pydantic: a text whose JSON schema is a component with the possible values."""

    def __init__(self, name: str, description: str, values: Collection[str]) -> None:
        self._name = name
        self._description = description
        self._values = values

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        del source, handler
        reference = f"{__name__}.{self._name}:{id(self)}"
        return core_schema.str_schema(max_length=LONGEST_NAME, ref=reference)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        del schema, handler
        return {
            "title": self._name,
            "description": self._description,
            "type": "string",
            "enum": list(self._values),
        }


class Listed:
    """Annotation of a text whose possible values the JSON schema lists.

    Parameters
    ----------
    name : str
        The name of the list in the OpenAPI document.
    description : str
        What each value is.
    values : collection of str
        The possible values; what reads the request refuses others.
    """

    def __init__(self, name: str, description: str, values: Collection[str]) -> None:
        self._component = _Component(name, description, values)

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        del source
        return handler.generate_schema(self._component)


class MethodEntry(Schema, Generic[N]):
    """A method by name, with its parameters."""

    name: N = Field(max_length=LONGEST_NAME, description="The method's name.")
    params: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="Parameters by name; a parameter that is left out has its default.",
    )
    as_: str | None = Field(
        default=None,
        alias="as",
        min_length=1,
        max_length=LONGEST_NAME,
        description="The method's key in the result, in the place of its name.",
    )


Method = str | MethodEntry[str]
"""A method as a request names it; a bare name is short for an entry without parameters."""
