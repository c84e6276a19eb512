"""A document as text, for a terminal: prose that is wrapped, and tables that fold to a width."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final

from thetahat_presentation.document import Bar, Caution, Cell, Document, Table, count_cautions
from thetahat_presentation.numbers import count
from thetahat_presentation.renderers.bars import ASCII, BOX, NARROWEST, WIDEST, draw_bar
from thetahat_presentation.renderers.cells import cell_text
from thetahat_presentation.wording import capitalise

WIDTH: Final = 96
GAP: Final = "  "  # between columns
UNBREAKABLE: Final = "\N{NO-BREAK SPACE}"
LIMITS: Final = "What this does not say"
IN_ASCII: Final = str.maketrans(
    {"\N{MINUS SIGN}": "-", "\N{EN DASH}": "-", "\N{PLUS-MINUS SIGN}": "+/-"}
    | dict.fromkeys("\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}", '"')
)
SIGNS: Final = "".join((*map(chr, IN_ASCII), *(getattr(BOX, each.name) for each in fields(BOX))))
"""The signs outside ASCII that a page has of its own."""
_SPACE_IN_NUMBER: Final = re.compile(r"(?<=\d) (?=\d{3}(?!\d))| (?=%)")


@dataclass(frozen=True, slots=True)
class Page:
    """Writes documents as text; other renderers write the same parts with their markup."""

    prose: int = WIDTH
    """Characters of the longest line of prose."""
    table: int | None = None
    """Characters of the widest table: wider ones are folded. None for tables as wide as they
    are."""
    all_option: str = "show_all=True or --all"
    """How the reader gets what is left out."""
    advice: Sequence[str] = ()
    """What the reader may do next, beside that."""
    is_ascii: bool = False
    """Whether the signs and drawings are in ASCII; names stay."""

    def write(self, document: Document, *, show_all: bool = False) -> str:
        """Return a document: its findings, or everything.

        ``show_all`` writes every sentence, row and caution. Without it the verdict, one table and
        the most serious caution are written.
        """
        parts = self._choose_parts(document, show_all=show_all)
        text = "\n\n".join(part for part in parts if part)
        return text.translate(IN_ASCII) if self.is_ascii else text

    def _choose_parts(self, document: Document, *, show_all: bool) -> Iterator[str]:
        if show_all:
            yield self._write_paragraphs([document.gate, document.headline])
            yield from self._iterate_numbers(document, show_all=True)
            yield self.format_section(LIMITS, self._list_limits(document, show_all=True))
        else:
            yield from self._iterate_findings(document)
            yield from self._iterate_rest(document)

    def _iterate_rest(self, document: Document) -> Iterator[str]:
        """Yield what stands below the findings: how the reader gets more."""
        left = document.rest.cautions
        more = f"{count_cautions(left)} and all numbers" if left else "All numbers"
        yield self._write_paragraphs([" ".join([f"{more}: {self.all_option}.", *self.advice])])

    def _iterate_findings(self, document: Document) -> Iterator[str]:
        """Yield the verdict with its numbers, the most serious caution, and the next step."""
        findings = document.findings
        yield self._write_paragraphs([document.gate, findings.verdict])
        for table in findings.tables:
            yield self.format_table(self._shorten(table))
        cautions = map(label_caution, findings.cautions)
        further = [findings.limit, findings.next_step]
        yield self.format_list([*findings.sentences, *cautions, *filter(None, further)])

    def _write_paragraphs(self, sentences: Iterable[str]) -> str:
        present = [sentence for sentence in sentences if sentence]
        return "\n\n".join(self.format_paragraphs(present, bullet="", indent=""))

    def _iterate_numbers(self, document: Document, *, show_all: bool) -> Iterator[str]:
        """Yield the sentences and the tables."""
        sentences = list(document.sentences if show_all else document.first_sentences)
        n_left_out = len(document.sentences) - len(sentences)
        if n_left_out:
            sentences.append(self._count_more(n_left_out, "sentence"))
        yield self.format_list(sentences)
        for section in document.sections:
            if not section.is_detail:
                for table in (*section.tables, *(section.more if show_all else ())):
                    yield self.format_table(table if show_all else self._shorten(table))

    def _shorten(self, table: Table) -> Table:
        """Return a table with its first rows, and a note on how many there are more."""
        n_left_out = len(table.rows) - table.n_first
        if n_left_out <= 0:
            return table
        note = self._count_more(n_left_out, "row")
        return replace(table, rows=table.rows[: table.n_first], notes=[note, *table.notes])

    def _list_limits(self, document: Document, *, show_all: bool) -> list[str]:
        cautions = document.cautions if show_all else document.doubts
        items = [document.scope] if document.scope else []
        items += map(label_caution, cautions)
        n_left_out = len(document.cautions) - len(cautions)
        if n_left_out:
            items.append(self._count_more(n_left_out, "caution"))
        return items

    def _count_more(self, n: int, noun: str) -> str:
        return f"{count(n, f'more {noun}')}: {self.all_option}"

    def format_paragraphs(
        self, sentences: Iterable[str], bullet: str = "- ", indent: str = "  "
    ) -> list[str]:
        """Return each sentence wrapped; a number keeps its percent sign."""
        return [
            textwrap.fill(
                _bind_numbers(sentence),
                self.prose,
                initial_indent=bullet,
                subsequent_indent=indent,
                break_long_words=False,
                break_on_hyphens=False,
            ).replace(UNBREAKABLE, " ")
            for sentence in sentences
        ]

    def format_list(self, sentences: Sequence[str]) -> str:
        """Return sentences as a list; nothing where there are none."""
        return "\n".join(self.format_paragraphs(sentences))

    def format_title(self, text: str) -> str:
        """Return the title of a table or of a section."""
        return text

    def format_section(self, title: str, sentences: Sequence[str]) -> str:
        """Return sentences as a list under a title; nothing where there are none."""
        return f"{self.format_title(title)}\n{self.format_list(sentences)}" if sentences else ""

    def format_table(self, table: Table) -> str:
        """Return columns under their headings, those of numbers to the right.

        A table that is too wide is folded: first the headings and cells between their words, then
        the table itself into several, one below the other, each with the first column.
        """
        table = self._draw_bars(table)
        lines = [list(table.columns), *([cell_text(cell) for cell in row] for row in table.rows)]
        columns = [[line[position] for line in lines] for position in range(len(table.columns))]
        narrowest = [max(map(_find_longest_word, column)) for column in columns]
        parts = []
        for group in self._group_columns(narrowest):
            widths = self._fold([columns[i] for i in group], [narrowest[i] for i in group])
            numbers = {place for place, i in enumerate(group) if i in table.numbers}
            parts.append(_render([[line[i] for i in group] for line in lines], widths, numbers))
        notes = self.format_paragraphs(table.notes, bullet="")
        return "\n".join([self.format_title(table.caption), "\n\n".join(parts), *notes])

    def _draw_bars(self, table: Table) -> Table:
        """Return a table whose bars are drawn in the room beside the other columns, if any."""
        if not table.bars:
            return table
        bare = table.without_bars()
        lines = [bare.columns, *([cell_text(cell) for cell in row] for row in bare.rows)]
        taken = sum(max(map(len, column)) + len(GAP) for column in zip(*lines, strict=True))
        width = WIDEST if self.table is None else min(WIDEST, self.table - taken)
        if width < NARROWEST:
            return bare
        marks = ASCII if self.is_ascii else BOX
        rows: list[list[Cell]] = [
            [draw_bar(cell, width, marks) if isinstance(cell, Bar) else cell for cell in row]
            for row in table.rows
        ]
        return replace(table, rows=rows)

    def _group_columns(self, narrowest: Sequence[int]) -> list[list[int]]:
        """Return which columns go into which table, the first one into each."""
        groups: list[list[int]] = [[0]]
        for position in range(1, len(narrowest)):
            group = [*groups[-1], position]
            total = sum(narrowest[i] for i in group) + len(GAP) * (len(group) - 1)
            if self.table is None or total <= self.table or len(groups[-1]) == 1:
                groups[-1] = group
            else:
                groups.append([0, position])
        return groups

    def _fold(self, columns: Sequence[Sequence[str]], narrowest: Sequence[int]) -> list[int]:
        """Return the widths of columns, of which the widest give way until the table fits."""
        widths = [max(map(len, column)) for column in columns]
        room = None if self.table is None else self.table - len(GAP) * (len(columns) - 1)
        while room is not None and sum(widths) > room:
            wide = [i for i in range(len(widths)) if widths[i] > narrowest[i]]
            if not wide:
                break
            widths[max(wide, key=lambda i: widths[i])] -= 1
        return widths


def label_caution(caution: Caution) -> str:
    """Return a caution as a paragraph that begins with its severity."""
    return f"{capitalise(caution.severity)}: {caution.text}"


def _find_longest_word(cell: str) -> int:
    return max((len(word) for word in _split_words(cell)), default=0)


def _split_words(cell: str) -> list[str]:
    return _bind_numbers(cell).split(" ")


def _bind_numbers(text: str) -> str:
    """Return the text with unbreakable spaces between thousands and before per cent signs."""
    return _SPACE_IN_NUMBER.sub(UNBREAKABLE, text)


def _render(lines: Sequence[Sequence[str]], widths: Sequence[int], numbers: set[int]) -> str:
    header, *rows = lines
    rendered = []
    for line in [header, ["-" * width for width in widths], *rows]:
        cells = [_fold_cell(cell, width) for cell, width in zip(line, widths, strict=True)]
        for i in range(max(map(len, cells))):
            parts = [cell[i] if i < len(cell) else "" for cell in cells]
            aligned = [
                part.rjust(width) if place in numbers else part.ljust(width)
                for place, (part, width) in enumerate(zip(parts, widths, strict=True))
            ]
            rendered.append(GAP.join(aligned).rstrip())
    return "\n".join(rendered)


def _fold_cell(cell: str, width: int) -> list[str]:
    """Return the lines of a cell."""
    lines = [""]
    for word in _split_words(cell):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if len(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return [line.replace(UNBREAKABLE, " ") for line in lines]
