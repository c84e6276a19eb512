"""A result of any kind as text for people."""

from __future__ import annotations

from typing import Final

from thetahat_client.result_types import ResultJson
from thetahat_presentation.renderers.html import HtmlPage
from thetahat_presentation.renderers.latex import LatexPage
from thetahat_presentation.renderers.markdown import MarkdownPage
from thetahat_presentation.renderers.text import WIDTH, Page
from thetahat_presentation.showing import show

__all__: Final = ["result_html", "result_latex", "result_markdown", "result_text"]


def result_text(
    result: ResultJson,
    width: int = WIDTH,
    *,
    table_width: int | None = None,
    show_all: bool = False,
) -> str:
    """Return a result: its verdict, one table of the models, its most serious caution; or all.

    Parameters
    ----------
    result : Mapping
        A result, as ``Client.result`` returns it.
    width : int
        Characters of the longest line of prose.
    table_width : int or None
        Characters of the widest table; wider ones are folded. None leaves tables as they are.
    show_all : bool
        Whether to return every verdict, table, row and caution. Without it the best 15 models and
        the most serious caution are shown.
    """
    return Page(prose=width, table=table_width).write(show(result), show_all=show_all)


def result_markdown(result: ResultJson, *, show_all: bool = False) -> str:
    """Return a result as Markdown: the text of ``result_text``, and below it the rest, folded."""
    return MarkdownPage().write(show(result), show_all=show_all)


def result_latex(result: ResultJson, *, show_all: bool = False) -> str:
    """Return a result as LaTeX: its verdicts, tables with booktabs, and cautions."""
    return LatexPage().write(show(result), show_all=show_all)


def result_html(result: ResultJson, *, show_all: bool = False) -> str:
    """Return a result as HTML for a notebook: ``result_text``, and below it the rest, folded."""
    return HtmlPage().write(show(result), show_all=show_all)
