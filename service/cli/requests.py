"""Reading the JSON of a request from a file or standard input."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NoReturn

from service.cli.failures import UserError


def read_request(name: str) -> dict[str, Any]:
    """Return the request in a file, or on standard input if the name is ``-``."""
    text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    place = "Standard input" if name == "-" else name
    try:
        request = json.loads(text, parse_constant=_refuse_constant)
    except ValueError as error:
        message = f"{place} is not JSON: {error}"
        raise UserError(message) from None
    if not isinstance(request, dict):
        message = f"{place} must hold one JSON object, the request."
        raise UserError(message)
    return request


def _refuse_constant(name: str) -> NoReturn:
    message = f"{name} is not a JSON number"
    raise ValueError(message)
