"""The source of the client's types, from schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, get_type_hints

from thetahat.values.json_schema import JsonSchema
from thetahat_service.schemas.client_types import render_client_types

NUMBER: Final = {"type": "number"}


def describe(*fields: str, **more: Any) -> JsonSchema:
    """Return the schema of an object with fields that are numbers."""
    properties: dict[str, Any] = {
        name: {**NUMBER, "description": f"The {name}."} for name in fields
    }
    return {"properties": {**properties, **more}, "required": list(fields)}


def lines_of(schemas: Mapping[str, JsonSchema]) -> list[str]:
    return render_client_types(schemas, {}).splitlines()


def test_exact_shared_fields_are_inherited_and_written_once() -> None:
    lines = lines_of({"Child": describe("a", "b", "c"), "Parent": describe("a", "b")})

    assert "class ChildDict(ParentDict):" in lines
    assert lines.index("class ParentDict(TypedDict):") < lines.index("class ChildDict(ParentDict):")
    assert lines.count("    a: float") == 1
    assert lines.count("@final") == 1  # the child


def test_exact_a_field_of_another_type_is_not_inherited() -> None:
    other = describe("a", "c")
    other["properties"]["a"] = {"type": "string", "description": "The a."}

    lines = lines_of({"Child": other, "Parent": describe("a")})

    assert "class ChildDict(TypedDict):" in lines


def test_exact_alternatives_of_a_union_stay_final() -> None:
    """A type checker tells final types apart by a key, and others not."""
    either = {"anyOf": [{"$ref": "#/Small"}, {"$ref": "#/Large"}]}

    lines = lines_of(
        {
            "Large": describe("a", "b"),
            "Small": describe("a"),
            "Whole": describe("x", either=either),
        }
    )

    assert lines.count("@final") == 3
    assert "class LargeDict(TypedDict):" in lines


def test_exact_the_module_can_be_imported() -> None:
    namespace: dict[str, Any] = {}
    source = render_client_types(
        {"Child": describe("a", "b"), "Parent": describe("a")}, {"some": "Child"}
    )

    exec(source, namespace)

    assert get_type_hints(namespace["ChildDict"], namespace) == {"a": float, "b": float}
