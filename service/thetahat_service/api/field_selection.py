"""Parts of an evaluation and its result, selected by ``?fields=status,result.summary``.

A path is a list of names with dots between, and paths have commas between. A name with other
characters than letters, digits, ``_`` and ``-`` stands in double quotes, as in JSON. Where the
document has a list, the rest of the path is taken of each of its entries.

A path is refused if the schema of the kind does not have it, or if it names an entry, such as a
model, that the result does not have. A field that the schema has and this result leaves out is
left out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, cast

import orjson

from thetahat.similar_names import suggest_name
from thetahat.values.json_schema import JsonSchema
from thetahat.values.json_values import JsonValue
from thetahat_service.api.shortening import shorten_text
from thetahat_service.errors import FieldError, InvalidRequest
from thetahat_service.jobs.partial import IncludedChunks, IncludedLearners
from thetahat_service.json_types import JsonObject
from thetahat_service.kinds.provenance import Provenance
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.schemas.evaluation import EvaluationRead
from thetahat_service.schemas.result_schemas import SchemaBuilder

RESULT: Final = "result"
MAX_DEPTH: Final = 20
MAX_NAMES_SHOWN: Final = 30
_NAME: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\w-]+')
_PLAIN: Final = re.compile(r"[\w-]+")

FieldSelection = dict[str, "FieldSelection | None"]
"""Selected fields by name, each with the selected fields inside it, or None for all of it."""


def parse_fields(text: str) -> FieldSelection:
    """Return the selection that a text describes; ``InvalidRequest`` if it cannot be read."""
    selection: FieldSelection = {}
    position = 0
    while True:
        path, position = _parse_path(text, position)
        _add_path(selection, path)
        if position == len(text):
            return selection
        position += 1  # the comma


def compute_selection_digest(text: str) -> str:
    """Return a short digest of a selection, for the entity tag of what it selects."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def check_selection(selection: FieldSelection, kind: str) -> None:
    """Raise ``InvalidRequest`` for a field that no evaluation of the kind has."""
    _check(selection, _build_document_shape(kind), ())


def select_fields(value: JsonObject, selection: FieldSelection, kind: str) -> dict[str, JsonValue]:
    """Return the selected fields of an evaluation with its result.

    Raises ``InvalidRequest`` for a name, such as that of a model, that the result does not have.
    """
    selected: dict[str, JsonValue] = _select(value, selection, _build_document_shape(kind), ())
    return selected


def _parse_path(text: str, position: int) -> tuple[list[str], int]:
    path: list[str] = []
    while True:
        match = _NAME.match(text, position)
        if match is None:
            raise _build_unreadable_error(text, position)
        path.append(_unquote(match[0], text, position))
        position = match.end()
        if len(path) > MAX_DEPTH:
            raise _refuse(f"A path in fields has more than {MAX_DEPTH} names.", text)
        if position == len(text) or text[position] == ",":
            return path, position
        if text[position] != ".":
            raise _build_unreadable_error(text, position)
        position += 1


def _unquote(name: str, text: str, position: int) -> str:
    if not name.startswith('"'):
        return name
    try:
        return str(orjson.loads(name))
    except orjson.JSONDecodeError:
        raise _build_unreadable_error(text, position) from None


def _build_unreadable_error(text: str, position: int) -> InvalidRequest:
    """Return the error for a parameter ``fields`` that has no name where one is expected."""
    place = "ends" if position >= len(text) else f"has {text[position : position + 20]!r}"
    return _refuse(
        f"The parameter fields {place} where a name is expected (character {position + 1}). Write "
        "paths such as status,result.summary, with a comma between two paths and a dot between two "
        "names. A name with other characters than letters, digits, _ and - stands in double "
        'quotes: result.models."my model".recommended.',
        text,
    )


def _add_path(selection: FieldSelection, path: Sequence[str]) -> None:
    """Add a path; one that is inside another selected path adds nothing."""
    *outer, last = path
    for name in outer:
        inner = selection.setdefault(name, {})
        if inner is None:
            return
        selection = inner
    selection[last] = None


@dataclass(frozen=True, slots=True)
class _Shape:
    """The schemas that a value may have, with the definitions that they refer to."""

    schemas: Sequence[JsonSchema]
    definitions: Mapping[str, JsonSchema]

    def iterate_objects(self) -> Iterator[JsonSchema]:
        """Yield the schemas of objects among them, of a list those of its entries."""
        for schema in self.schemas:
            if "$ref" in schema:
                inner = [self.definitions[schema["$ref"].rpartition("/")[2]]]
            elif "anyOf" in schema or "oneOf" in schema:
                inner = [*(schema.get("anyOf") or schema["oneOf"])]
            elif schema.get("type") == "array":
                inner = [schema.get("items", {})]
            elif "type" not in schema or schema["type"] == "object":
                yield schema
                continue
            else:
                continue
            yield from _Shape(inner, self.definitions).iterate_objects()

    def list_declared(self) -> set[str]:
        """Return the names of the fields that the schemas list."""
        return {name for schema in self.iterate_objects() for name in schema.get("properties", {})}

    def find_inside(self, name: str) -> _Shape:
        """Return the shape of a field; empty if there is none of that name."""
        schemas: list[JsonSchema] = []
        for schema in self.iterate_objects():
            further = schema.get("additionalProperties", "type" not in schema)
            if name in schema.get("properties", {}):
                schemas.append(schema["properties"][name])
            elif isinstance(further, dict):
                schemas.append(further)
            elif further:
                schemas.append({})
        return _Shape(schemas, self.definitions)


def _check(selection: FieldSelection, shape: _Shape, path: tuple[str, ...]) -> None:
    for name, fields in selection.items():
        inside = shape.find_inside(name)
        if not inside.schemas:
            raise _build_unknown_name_error(path, name, shape.list_declared())
        if fields is not None:
            _check(fields, inside, (*path, name))


def _select(
    value: Any,
    selection: FieldSelection,
    shape: _Shape,
    path: tuple[str, ...],
    *,
    is_in_list: bool = False,
) -> Any:
    if isinstance(value, list):
        return [_select(item, selection, shape, path, is_in_list=True) for item in value]
    if not isinstance(value, dict):  # null, or a number where other results have an object
        return value
    declared = shape.list_declared()
    for name in selection:
        if name not in value and name not in declared and not is_in_list:
            raise _build_unknown_name_error(path, name, value)
    selected: dict[str, object] = {}
    for name, item in value.items():
        if name in selection:
            fields = selection[name]
            selected[name] = (
                item
                if fields is None
                else _select(
                    item, fields, shape.find_inside(name), (*path, name), is_in_list=is_in_list
                )
            )
    return selected


@lru_cache(maxsize=64)
def _build_document_shape(kind: str) -> _Shape:
    """Return the shape of an evaluation of a kind with its result."""
    builder = SchemaBuilder()
    result = builder.add(JOB_KINDS[kind].result)
    properties: dict[str, JsonSchema] = {
        "provenance": builder.add(Provenance),
        "partial": {"anyOf": [builder.add(IncludedLearners), builder.add(IncludedChunks)]},
    }
    definitions = dict(builder.definitions)
    name = JOB_KINDS[kind].result.__name__
    definitions[name] = {
        **definitions[name],
        "properties": {**definitions[name]["properties"], **properties},
    }
    described = EvaluationRead.model_json_schema(mode="serialization")
    definitions |= described.pop("$defs")
    document = cast("JsonSchema", described)
    document["properties"][RESULT] = result
    return _Shape([document], definitions)


def _build_unknown_name_error(
    path: Sequence[str], name: str, known_names: Iterable[str]
) -> InvalidRequest:
    """Return the error for a path with a name that the result does not have."""
    names = sorted(known_names)
    subject = f"{_write_path(path)} has" if path else "An evaluation has"
    shown = shorten_text(name, 80)
    fault = f"{subject} no field {shown!r}{suggest_name(name, names)}"
    if not names:
        fault += "; it has no fields inside"
    elif len(names) > MAX_NAMES_SHOWN:
        fault += f"; it has {len(names)} fields, such as {', '.join(names[:5])}"
    else:
        fault += f"; it has {', '.join(names)}"
    return _refuse(f"{fault}.", _write_path([*path, name]))


def _write_path(path: Sequence[str]) -> str:
    """Return a path as a client would write it."""
    return ".".join(
        name if _PLAIN.fullmatch(name) else orjson.dumps(name).decode() for name in path
    )


def _refuse(message: str, value: str) -> InvalidRequest:
    return InvalidRequest(message, (FieldError(("query", "fields"), message, value),))
