"""A document as LaTeX, for papers: tables with the rules of booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from thetahat_presentation.document import Document, Table
from thetahat_presentation.hidden_characters import show_hidden
from thetahat_presentation.renderers.cells import cell_text
from thetahat_presentation.renderers.text import LIMITS, Page

LONGEST_TABLE: Final = 35
"""Rows of the longest table that stays on one page."""
PACKAGES: Final = (
    "% needs \\usepackage[T1]{fontenc}, \\usepackage{booktabs}, \\usepackage{longtable}"
)
_MINUS: Final = re.compile(r"(?<![\w.)\\])-(?=\.?\d)")
_SPECIAL: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "`": r"\textasciigrave{}",
        "'": r"\textquotesingle{}",
        '"': r"\textquotedbl{}",
        "-": "-{}",
        "[": "{[}",
        "]": "{]}",
        "\N{MINUS SIGN}": "$-$",
        "\N{EN DASH}": "--",
        "\N{EM DASH}": "---",
        "\N{LESS-THAN OR EQUAL TO}": r"$\le$",
        "\N{GREATER-THAN OR EQUAL TO}": r"$\ge$",
        "\N{PLUS-MINUS SIGN}": r"$\pm$",
        "\N{MULTIPLICATION SIGN}": r"$\times$",
        "\N{HORIZONTAL ELLIPSIS}": r"\dots{}",
        "\N{LEFT DOUBLE QUOTATION MARK}": "``",
        "\N{RIGHT DOUBLE QUOTATION MARK}": "''",
        "\N{NO-BREAK SPACE}": "~",
    }
)


@dataclass(frozen=True, slots=True)
class LatexPage(Page):
    """Writes documents as LaTeX, without folding lines."""

    def write(self, document: Document, *, show_all: bool = False) -> str:
        """Return a document after a comment that names the packages that it needs."""
        # A bare ``super()`` knows no class with slots.
        return f"{PACKAGES}\n{Page.write(self, document, show_all=show_all)}"

    def _choose_parts(self, document: Document, *, show_all: bool) -> Iterator[str]:
        yield self._write_paragraphs([document.gate, document.headline])
        yield from self._iterate_numbers(document, show_all=show_all)
        yield self.format_section(LIMITS, self._list_limits(document, show_all=show_all))

    def format_paragraphs(
        self, sentences: Iterable[str], bullet: str = "- ", indent: str = "  "
    ) -> list[str]:
        """Return each sentence as an item of a list, or as a paragraph without ``bullet``."""
        del indent
        written = [escape_latex(sentence) for sentence in sentences]
        if not bullet or not written:
            return written
        return [r"\begin{itemize}", *(rf"  \item {line}" for line in written), r"\end{itemize}"]

    def format_title(self, text: str) -> str:
        """Return the title of a table or of a section."""
        return rf"\subsection*{{{escape_latex(text)}}}"

    def format_table(self, table: Table) -> str:
        """Return a table, the columns of numbers to the right; nothing is drawn.

        A table longer than a page is a ``longtable``, which repeats its headings.
        """
        table = table.without_bars()
        is_long = len(table.rows) > LONGEST_TABLE
        columns = "".join("r" if i in table.numbers else "l" for i in range(len(table.columns)))
        name = "longtable" if is_long else "tabular"
        lines = [
            self.format_title(table.caption),
            *[r"\noindent"] * (not is_long),
            rf"\begin{{{name}}}{{{columns}}}",
            r"\toprule",
            _format_row(table.columns),
            r"\midrule",
            *[r"\endhead"] * is_long,
            *(_format_row([cell_text(cell) for cell in row]) for row in table.rows),
            r"\bottomrule",
            rf"\end{{{name}}}",
        ]
        notes = [rf"\par{{\footnotesize {escape_latex(note)}\par}}" for note in table.notes]
        return "\n".join([*lines, *notes])


def _format_row(cells: Sequence[str]) -> str:
    return rf"{' & '.join(map(escape_latex, cells))} \\"


def escape_latex(text: str) -> str:
    """Return a text in which no character is a command of LaTeX; a minus sign stays one."""
    signed = _MINUS.sub("\N{MINUS SIGN}", " ".join(text.split()))
    return show_hidden(signed).translate(_SPECIAL)
