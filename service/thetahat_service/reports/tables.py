"""The tables, verdicts and cautions of a result as Markdown and as LaTeX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

TableFormat = Literal["md", "tex"]
ALL_OPTION: Final = "?all=true"


def write_tables(result: Mapping[str, Any], form: TableFormat, *, show_all: bool) -> str:
    """Return a result as Markdown or LaTeX; of many models the best ones, unless all are wanted."""
    from thetahat_client.text import write_result  # noqa: PLC0415 - seldom needed
    from thetahat_client.text.latex import PACKAGES, LatexPage  # noqa: PLC0415 - likewise
    from thetahat_client.text.markdown import MarkdownPage  # noqa: PLC0415 - likewise

    if form == "tex":
        text = write_result(result, LatexPage(all_option=ALL_OPTION), show_all=show_all)
        return f"{PACKAGES}\n{text}\n"
    return f"{write_result(result, MarkdownPage(all_option=ALL_OPTION), show_all=show_all)}\n"
