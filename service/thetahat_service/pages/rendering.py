"""The templates, and the functions that they may call."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment

from thetahat_presentation.numbers import count, format_number
from thetahat_presentation.renderers.html import typeset
from thetahat_presentation.showing import name_kind
from thetahat_presentation.wording import capitalise
from thetahat_service.figures.browser_library import find_library_name
from thetahat_service.pages import texts
from thetahat_service.pages.cells import write_cell
from thetahat_service.pages.visible_text import Exact, make_environment

STATIC: Final = Path(__file__).with_name("static")
MEDIA_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@lru_cache(maxsize=1)
def _make_environment() -> Environment:
    filters = {
        "number": format_number,
        "count": count,
        "moment": texts.write_moment,
        "duration": texts.write_duration,
        "filesize": texts.write_bytes,
        "kind_name": name_kind,
        "state_name": texts.describe_state,
        "outcome_name": texts.describe_outcome,
        "typeset": typeset,
        "sentence_case": capitalise,
        "cell": write_cell,
        "exact": Exact,
    }
    environment = make_environment("thetahat_service.pages", filters)
    environment.globals["static"] = build_static_path
    environment.globals["library_path"] = build_library_path
    return environment


def render(template: str, **context: Any) -> str:
    """Return a page from its template."""
    return _make_environment().get_template(template).render(context)


@lru_cache(maxsize=16)
def build_static_path(name: str) -> str:
    """Return the path of a static file; a changed file has another path."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"


@lru_cache(maxsize=1)
def build_library_path() -> str:
    """Return the path of the script that draws figures."""
    return f"/static/{find_library_name()}"


def read_static(name: str) -> tuple[bytes, str] | None:
    """Return the bytes and the media type of a static file; None if there is none."""
    if name not in {path.name for path in STATIC.iterdir()}:
        return None
    path = STATIC / name
    return path.read_bytes(), MEDIA_TYPES[path.suffix]
