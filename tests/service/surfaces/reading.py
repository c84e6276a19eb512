"""The tables and the text of a surface, whatever its markup is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from typing import Final

from thetahat_presentation.renderers.latex import _SPECIAL as LATEX

Rows = list[list[str]]
SIGNS: Final = str.maketrans({"\N{MINUS SIGN}": "-", "\N{NO-BREAK SPACE}": " "})


@dataclass
class Shown:
    """What a person reads.

    Parameters
    ----------
    text : str
        Everything, with single spaces and plain hyphens.
    tables : list of list of list of str
        Rows of cells, the headings first.
    """

    text: str
    tables: list[Rows] = field(default_factory=list)


def read_text(text: str) -> Shown:
    """Read what a terminal shows: columns stand below a line of dashes."""
    lines, tables = text.splitlines(), []
    for place, line in enumerate(lines):
        if place and re.fullmatch(r"-+(  -+)*", line):
            starts = [match.start() for match in re.finditer(r"-+", line)]
            table: Rows = []
            for row in lines[place - 1 :]:
                if not row.strip():
                    break
                if row != line:
                    table.append(_cut(row, starts))
            tables.append(table)
    return Shown(clean(text), tables)


def _cut(row: str, starts: list[int]) -> list[str]:
    ends = [*starts[1:], None]
    return [clean(row[start:end]) for start, end in zip(starts, ends, strict=True)]


def read_markdown(text: str) -> Shown:
    """Read Markdown with pipe tables."""
    tables: list[Rows] = []
    is_inside = False
    for line in text.splitlines():
        if line.startswith("| "):
            if not is_inside:
                tables.append([])
            cells = re.split(r"(?<!\\)\|", line)[1:-1]
            tables[-1].append([clean(_unescape(cell)) for cell in cells])
        is_inside = line.startswith("|")
    return Shown(clean(_unescape(unescape(text))), tables)


def _unescape(text: str) -> str:
    return re.sub(r"\\([\\|*_`<>\[\]#])", r"\1", text)


def read_latex(text: str) -> Shown:
    """Read LaTeX with tables between rules."""
    tables = []
    for body in re.findall(r"\\toprule(.*?)\\bottomrule", text, re.DOTALL):
        rows = [line for line in body.splitlines() if line.endswith(r" \\")]
        tables.append([[clean(_strip(cell)) for cell in row[:-3].split(" & ")] for row in rows])
    return Shown(clean(_strip(text)), tables)


def _strip(text: str) -> str:
    commands = [(written, chr(sign)) for sign, written in LATEX.items() if chr(sign) != "\\"]
    for written, sign in sorted(commands, key=lambda each: -len(each[0])):
        text = text.replace(written, sign)
    return text


def read_html(html: str) -> Shown:
    """Read HTML: a page, a report, or the output of a notebook."""
    reader = _Reader()
    reader.feed(html)
    return Shown(clean(" ".join(reader.words)), reader.tables)


class _Reader(HTMLParser):
    SILENT: Final = frozenset({"script", "style"})

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tables: list[Rows] = []
        self._cell: list[str] | None = None
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._silent += tag in self.SILENT
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in {"td", "th"}:
            self._cell = []

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in self.SILENT
        if tag in {"td", "th"} and self._cell is not None:
            self.tables[-1][-1].append(clean(" ".join(self._cell)))
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        self.words.append(data)
        if self._cell is not None:
            self._cell.append(data)


def clean(text: str) -> str:
    """Return a text with single spaces and plain hyphens."""
    return " ".join(text.translate(SIGNS).split())
