"""The sentences, tables and cautions of a result as Markdown and as LaTeX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from thetahat_presentation.renderers.latex import LatexPage
from thetahat_presentation.renderers.markdown import MarkdownPage
from thetahat_presentation.renderers.text import Page
from thetahat_service.pages.shown_results import show_result

TableFormat = Literal["md", "tex"]
PAGES: Final[Mapping[TableFormat, type[Page]]] = {"md": MarkdownPage, "tex": LatexPage}
ALL_OPTION: Final = "?all=true"


def write_tables(result: Mapping[str, Any], form: TableFormat, *, show_all: bool) -> str:
    """Return a result as Markdown or LaTeX; of many models the best ones, unless all are wanted."""
    page = PAGES[form](all_option=ALL_OPTION)
    return f"{page.write(show_result(result, {}), show_all=show_all)}\n"
