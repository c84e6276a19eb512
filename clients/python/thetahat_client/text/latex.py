"""A result as LaTeX, for papers: tables with the rules of booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from thetahat_client.text.page import Page

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
    """Writes tables and paragraphs as LaTeX, without folding lines."""

    def format_paragraphs(
        self, sentences: Iterable[str], bullet: str = "- ", indent: str = "  "
    ) -> list[str]:
        """Return each sentence as an item of a list, or as a paragraph without ``bullet``."""
        del indent
        written = [self._escape(sentence) for sentence in sentences]
        if not bullet or not written:
            return written
        return [r"\begin{itemize}", *(rf"  \item {line}" for line in written), r"\end{itemize}"]

    def format_title(self, text: str) -> str:
        """Return the title of a table or of a section."""
        return rf"\subsection*{{{self._escape(text)}}}"

    def format_section(self, title: str, sentences: Sequence[str]) -> str:
        """Return sentences as a list under a heading; nothing where there are none."""
        if not sentences:
            return ""
        return "\n".join([self.format_title(title), *self.format_paragraphs(sentences)])

    def format_table(
        self, header: Sequence[str], rows: Sequence[Sequence[str]], notes: Iterable[str] = ()
    ) -> str:
        """Return a table, the first column to the left and the others to the right.

        A table longer than a page is a ``longtable``, which repeats its headings.
        """
        is_long = len(rows) > LONGEST_TABLE
        columns = "l" + "r" * (len(header) - 1)
        name = "longtable" if is_long else "tabular"
        lines = [
            rf"\begin{{{name}}}{{{columns}}}",
            r"\toprule",
            self._format_row(header),
            r"\midrule",
        ]
        lines += [r"\endhead"] * is_long
        lines += [*map(self._format_row, rows), r"\bottomrule", rf"\end{{{name}}}"]
        listed = [rf"\par{{\footnotesize {self._escape(note)}\par}}" for note in notes]
        return "\n".join([r"\noindent", *lines, *listed] if not is_long else [*lines, *listed])

    def _format_row(self, cells: Sequence[str]) -> str:
        return rf"{' & '.join(self._escape(cell) for cell in cells)} \\"

    def _escape(self, text: str) -> str:
        return escape_latex(text)


def escape_latex(text: str) -> str:
    """Return a text in which no character is a command of LaTeX; a minus sign stays one."""
    signed = _MINUS.sub("\N{MINUS SIGN}", " ".join(text.split()))
    printable = "".join(c for c in signed if c.isprintable() or c == "\N{NO-BREAK SPACE}")
    return printable.translate(_SPECIAL)
