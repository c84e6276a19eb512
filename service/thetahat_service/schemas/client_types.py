"""The types of answers for the Python client, as the source of a module of TypedDicts.

They are made from JSON Schemas: those of results from the dataclasses of the results, and those of
other answers from the models of the responses. ``make client-types`` writes the module; a test
compares it with the code.
"""

from __future__ import annotations

import json
import keyword
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, Final

from thetahat.values.json_schema import JsonSchema
from thetahat_service.schemas.evaluation import ANY_RESULT

WIDTH: Final = 100
SIMPLE_TYPES: Final = {
    "boolean": "bool",
    "integer": "int",
    "null": "None",
    "number": "float",
    "string": "str",
}
HEADER: Final = '''\
"""The types of results, by kind of evaluation, and of the other answers of the service.

`make client-types` writes this file from the types of the service; do not edit it. A field of
type ``NotRequired`` is in a result only if the evaluation has it. A number that is not finite is
written as null.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict, final

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
    renamed = {name: _rename(schema, names) for name, schema in schemas.items()}
    blocks = [HEADER]
    for name in sorted(renamed):
        schema = renamed[name]
        render = _write_typed_dict if "properties" in schema else _write_alias
        lines = list(render(names[name], schema))
        blocks.append("\n".join(lines) + "\n")
    union = " | ".join(names[result] for result in results.values())
    blocks.append(f'{ANY_RESULT}: TypeAlias = "{union}"\n"""The result of any kind."""\n')
    return "\n\n".join(blocks)


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


def _write_typed_dict(name: str, schema: JsonSchema) -> Iterator[str]:
    """Yield the lines of a TypedDict; a key that is no identifier needs the functional form."""
    fields = {
        key: (_write_field_type(key, field, schema), field.get("description", ""))
        for key, field in schema["properties"].items()
    }
    description = schema.get("description", "")
    if "additionalProperties" in schema:
        description = f"{description} It may have further fields, which depend on the method."
    if all(key.isidentifier() and not keyword.iskeyword(key) for key in fields):
        if "additionalProperties" not in schema:
            yield "@final"
        yield f"class {name}(TypedDict):"
        yield from _write_docstring(description, "    ")
        for key, (kind, text) in fields.items():
            yield ""
            yield f"    {key}: {kind}"
            yield from _write_docstring(text, "    ")
        return
    yield f"{name} = TypedDict("
    yield f'    "{name}",'
    yield "    {"
    for key, (kind, text) in fields.items():
        yield from (f"        # {line}" for line in textwrap.wrap(text, WIDTH - 10))
        yield f'        "{key}": {kind!r},'
    yield "    },"
    yield ")"
    yield from _write_docstring(description, "")


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
