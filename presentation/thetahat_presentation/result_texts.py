"""The texts of a result in Python: two lines, its findings, and its page in a notebook."""

from __future__ import annotations

from textwrap import shorten
from typing import Final

from thetahat_presentation.document import Document, Json
from thetahat_presentation.hidden_characters import show_hidden_in
from thetahat_presentation.renderers.html import HtmlPage
from thetahat_presentation.renderers.text import Page
from thetahat_presentation.showing import OTHER_FORM, show, show_other_form
from thetahat_presentation.wording import list_names

ALL_OPTION: Final = "to_text(show_all=True)"
"""How a reader in Python gets what is left out."""
LONGEST_LINE: Final = 300
"""Characters of each line of the short text."""
MOST_NAMES: Final = 6
"""Models that the short text names."""


def write_outline(type_name: str, result: Json) -> str:
    """Return the type, the models and the verdict of a result, in two lines."""
    document = build_document(result)
    parts = [str(result["kind"]).replace("_", " ")] if "kind" in result else []
    if names := list(result.get("models", ())):
        counted = "1 model" if len(names) == 1 else f"{len(names)} models"
        parts.append(f"{counted} ({list_names(names, MOST_NAMES)})")
    first = shorten(show_hidden_in(f"{type_name}: {', '.join(parts)}"), LONGEST_LINE)
    verdict = shorten(f"{document.gate} {document.headline}", LONGEST_LINE)
    return f"<{first}>\n{verdict}".strip()


def write_text(result: Json, width: int, *, show_all: bool) -> str:
    """Return the findings of a result as text."""
    return Page(prose=width, all_option=ALL_OPTION).write(build_document(result), show_all=show_all)


def write_html(result: Json) -> str:
    """Return the findings of a result as HTML."""
    return HtmlPage(all_option=ALL_OPTION).write(build_document(result))


def build_document(result: Json) -> Document:
    """Return the document of a result, also of one that another release has made."""
    try:
        return show(result)
    except OTHER_FORM:
        return show_other_form(result)
