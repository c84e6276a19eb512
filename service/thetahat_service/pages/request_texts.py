"""A request as JSON and as a command, for the page of its evaluation."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, Final

import orjson

from thetahat.values.json_values import JsonValue

MAX_SHOWN: Final = 20_000
"""Characters of a request that a page shows in full; of a longer one, long lists are shortened."""
MAX_ITEMS: Final = 6


def write_request(request: Mapping[str, object]) -> tuple[str, bool]:
    """Return a request as indented JSON, and whether it is whole."""
    text = orjson.dumps(request, option=orjson.OPT_INDENT_2).decode()
    if len(text) <= MAX_SHOWN:
        return text, True
    text = orjson.dumps(_shorten(request), option=orjson.OPT_INDENT_2).decode()
    return text[:MAX_SHOWN], False


def write_command(request: Mapping[str, JsonValue], base_url: str, *, needs_key: bool) -> str:
    """Return the curl command that sends a request; a long request is read from a file."""
    body = orjson.dumps(request).decode()
    data = "@request.json" if len(body) > MAX_SHOWN else body
    key = "  -H 'Authorization: Bearer YOUR_KEY' \\\n" if needs_key else ""
    return (
        f"curl -s {base_url}/v1/evaluations \\\n"
        f"  -H 'Content-Type: application/json' \\\n{key}"
        f"  --data-binary {shlex.quote(data)}"
    )


def _shorten(value: Any) -> Any:
    """Return a JSON value with its long lists shortened."""
    if isinstance(value, Mapping):
        return {key: _shorten(inner) for key, inner in value.items()}
    if isinstance(value, list):
        shown = [_shorten(inner) for inner in value[:MAX_ITEMS]]
        left_out = len(value) - len(shown)
        return [*shown, f"... and {left_out} more"] if left_out else shown
    return value
