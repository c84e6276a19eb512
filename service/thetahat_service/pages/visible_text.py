"""What the templates of pages and reports write: hidden characters are shown as escapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from thetahat_presentation.hidden_characters import show_hidden


class Exact(str):
    """A text that a template writes as it is: the value of a field of a form."""

    __slots__ = ()


def finish_text(value: object) -> object:
    """Return a value as a template writes it, before it is escaped.

    Markup stays: it comes from macros, whose own values have gone through here.
    """
    if not isinstance(value, str) or isinstance(value, Exact | Markup):
        return value
    return show_hidden(value)


def make_environment(package: str, filters: Mapping[str, Any]) -> Environment:
    """Return the environment of the templates of a package, in which every text is escaped."""
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finish_text,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= filters
    return environment
