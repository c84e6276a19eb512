"""The types of answers for the Python client, as the source of a module of TypedDicts.

They are made from JSON Schemas: those of results from the dataclasses of the results, and those of
other answers from the models of the responses. The client's build writes the module, and
``make client-types`` writes it anew.
"""

from __future__ import annotations

import json
import keyword
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, TypeAlias

from thetahat.values.json_schema import JsonSchema
from thetahat_service.schemas.evaluation import ANY_RESULT

WIDTH: Final = 100
Fields: TypeAlias = Mapping[str, tuple[str, str]]
"""The type and the description of each field, by its key."""

SIMPLE_TYPES: Final = {
    "boolean": "bool",
    "integer": "int",
    "null": "None",
    "number": "float",
    "string": "str",
}
HEADER: Final = '''\
"""The types of results, by kind of evaluation, and of the other answers of the service.

`make client-types` writes this file from the types of the service; git does not keep it. A field
of type ``NotRequired`` is in a result only if the evaluation has it. A number that is not finite
is written as null.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import (
    TYPE_CHECKING,
    Literal,
    NotRequired,
    Protocol,
    TypeAlias,
    TypedDict,
    Unpack,
    final,
    overload,
)

if TYPE_CHECKING:
    from thetahat_client.figure import FigureImage
    from thetahat_client.outputs import ResultOptions
    from thetahat_client.result import ResultObject

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
"""Any JSON value."""
'''


def render_client_types(schemas: Mapping[str, JsonSchema], results: Mapping[str, str]) -> str:
    """Return the source of the module.

    Parameters
    ----------
    schemas : mapping of str to JSON Schema
        Schemas of the results and of other answers, and of all their parts, by name.
    results : mapping of str to str
        Name of the schema of the result, by kind of evaluation.
    """
    # None is the name of a dataclass or an enumeration of the service.
    names = {
        name: f"{name}{'Dict' if 'properties' in schema else 'Value'}"
        for name, schema in schemas.items()
    }
    names[ANY_RESULT] = ANY_RESULT
    renamed = {names[name]: _rename(schemas[name], names) for name in sorted(schemas)}
    fields = {name: _read_fields(schema) for name, schema in renamed.items()}
    parents = _find_parents(
        {name: own for name, own in fields.items() if _is_class(own)},
        set(_list_alternatives(renamed)),
    )
    blocks = [HEADER]
    for name in _put_parents_first(renamed, parents):
        schema = renamed[name]
        if not fields[name]:
            lines = _write_alias(name, schema)
        elif not _is_class(fields[name]):
            lines = _write_functional_form(name, schema, fields[name])
        else:
            parent = parents.get(name)
            inherited = {} if parent is None else fields[parent]
            own = {key: field for key, field in fields[name].items() if key not in inherited}
            lines = _write_class(name, schema, parent or "TypedDict", own)
            if name not in parents.values() and "additionalProperties" not in schema:
                lines = chain(["@final"], lines)
        blocks.append("\n".join(lines) + "\n")
    union = " | ".join(names[result] for result in results.values())
    blocks.append(f'{ANY_RESULT}: TypeAlias = "{union}"\n"""The result of any kind."""\n')
    kinds = {kind: names[result] for kind, result in results.items()}
    blocks.append(_write_result_method("", "def", "FigureImage", kinds))
    blocks.append(_write_result_method("Async", "async def", "Awaitable[FigureImage]", kinds))
    return "\n\n".join(blocks)


def _write_result_method(prefix: str, define: str, figure: str, kinds: Mapping[str, str]) -> str:
    """Return the type of ``result`` of a client, which knows the result of each kind."""
    lines = [
        f"class {prefix}ResultMethod(Protocol):",
        f'    """``{prefix}Client.result``: type checkers know the result of each kind."""\n',
    ]
    results = {"None = None": f"ResultObject[{figure}]"}
    results |= {f'Literal["{kind}"]': result for kind, result in kinds.items()}
    for kind, result in results.items():
        lines += [
            "    @overload",
            f"    {define} __call__(",
            f"        self, evaluation_id: str, kind: {kind}, **options: Unpack[ResultOptions]",
            f"    ) -> {result}: ...",
        ]
    return "\n".join(lines) + "\n"


def _read_fields(schema: JsonSchema) -> Fields:
    """Return the type and the description of each field; none of a schema of another type."""
    return {
        key: (_write_field_type(key, field, schema), field.get("description", ""))
        for key, field in schema.get("properties", {}).items()
    }


def _is_class(fields: Fields) -> bool:
    """Return whether every key is an identifier; otherwise the functional form is needed."""
    return all(key.isidentifier() and not keyword.iskeyword(key) for key in fields)


def _find_parents(classes: Mapping[str, Fields], alternatives: Collection[str]) -> dict[str, str]:
    """Return the largest class whose fields are all in another class, by the other's name.

    The fields must have the same types and descriptions. A class inherits them, so that they are
    written once. Alternatives of a union are no parents: type checkers tell them apart by a key
    only if they are final.
    """
    parents: dict[str, str] = {}
    for name, fields in classes.items():
        smaller = [
            other
            for other, theirs in classes.items()
            if other not in alternatives
            and 0 < len(theirs) < len(fields)
            and theirs.items() <= fields.items()
        ]
        if smaller:
            parents[name] = max(smaller, key=lambda other: len(classes[other]))
    return parents


def _list_alternatives(schema: Any) -> Iterator[str]:
    """Yield the names of the types that are an alternative of a union, inside a schema."""
    if isinstance(schema, list):
        for item in schema:
            yield from _list_alternatives(item)
    elif isinstance(schema, Mapping):
        references = [
            option.get("items", option).get("$ref", "") for option in schema.get("anyOf", ())
        ]
        names = [reference.rpartition("/")[2] for reference in references if reference]
        if len(names) > 1:
            yield from names
        yield from _list_alternatives(list(schema.values()))


def _put_parents_first(names: Iterable[str], parents: Mapping[str, str]) -> list[str]:
    """Return the names in their order, but each parent before its children."""
    ordered: dict[str, None] = {}

    def add(name: str) -> None:
        if name in parents:
            add(parents[name])
        ordered.setdefault(name)

    for name in names:
        add(name)
    return list(ordered)


def _rename(schema: Any, names: Mapping[str, str]) -> Any:
    """Return a schema whose references have the names of the client's types."""
    if isinstance(schema, Mapping):
        return {
            key: f"#/{names[str(value).rpartition('/')[2]]}"
            if key == "$ref"
            else _rename(value, names)
            for key, value in schema.items()
        }
    return [_rename(item, names) for item in schema] if isinstance(schema, list) else schema


def _write_alias(name: str, schema: JsonSchema) -> Iterator[str]:
    """Yield the lines of an enumeration, as an alias of its values."""
    yield f"{name}: TypeAlias = {_write_type(schema)}"
    yield from _write_docstring(schema.get("description", ""), "")


def _write_class(name: str, schema: JsonSchema, parent: str, own: Fields) -> Iterator[str]:
    """Yield the lines of a TypedDict with the fields that its parent does not have."""
    yield f"class {name}({parent}):"
    yield from _write_docstring(_describe(schema), "    ")
    yield ""
    for key, (kind, text) in own.items():
        yield f"    {key}: {kind}"
        yield from _write_docstring(text, "    ")


def _write_functional_form(name: str, schema: JsonSchema, fields: Fields) -> Iterator[str]:
    """Yield the lines of a TypedDict that has a key that is no identifier."""
    yield f"{name} = TypedDict("
    yield f'    "{name}",'
    yield "    {"
    for key, (kind, text) in fields.items():
        yield from (f"        # {line}" for line in textwrap.wrap(text, WIDTH - 10))
        yield f'        "{key}": {kind!r},'
    yield "    },"
    yield ")"
    yield from _write_docstring(_describe(schema), "")


def _describe(schema: JsonSchema) -> str:
    description = schema.get("description", "")
    if "additionalProperties" in schema:
        return f"{description} It may have further fields, which depend on the method."
    return description


def _write_field_type(key: str, field: JsonSchema, schema: JsonSchema) -> str:
    kind = _write_type(field)
    return kind if key in schema.get("required", ()) else f"NotRequired[{kind}]"


def _write_type(schema: JsonSchema) -> str:
    """Return the type annotation for a JSON Schema."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_write_type(option) for option in schema["anyOf"]))
    if "const" in schema:
        return f"Literal[{_write_literal(schema['const'])}]"
    if "enum" in schema:
        return f"Literal[{', '.join(map(_write_literal, schema['enum']))}]"
    kind = schema.get("type")
    if kind in SIMPLE_TYPES:
        return SIMPLE_TYPES[kind]
    if kind == "array":
        return f"list[{_write_type(schema['items'])}]"
    if kind == "object":
        values = schema.get("additionalProperties", True)
        return f"dict[str, {'JsonValue' if isinstance(values, bool) else _write_type(values)}]"
    return "JsonValue"


def _write_literal(value: Any) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _write_docstring(text: str, indent: str) -> Iterator[str]:
    """Yield the lines of a docstring."""
    if not text:
        return
    quoted = f'"""{" ".join(text.split())}"""'
    yield from textwrap.wrap(
        quoted,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
