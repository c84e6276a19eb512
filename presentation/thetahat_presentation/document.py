"""A result as a document: sentences, tables of typed cells and cautions, for every surface.

Cells keep numbers as numbers. What a number looks like is said once, by ``cell_text`` and the
functions of ``numbers``; the renderers decide on markup alone. Negative numbers have a hyphen and
per cent signs a plain space here; HTML and LaTeX set them as they print them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from thetahat_presentation.numbers import count

Json: TypeAlias = Mapping[str, Any]
"""An object of a result or of a request, which is put into words."""

MOST_SENTENCES: Final = 7
"""Sentences that are shown at first; the others are folded away."""
MOST_DOUBTS: Final = 3
MOST_TITLES: Final = 3
"""Cautions whose titles are in the line that counts them."""
END_OF_SENTENCE: Final = re.compile(r"(?<=\.) (?=[A-Z])")
SEVERITIES: Final = ("serious", "warning", "info")


@dataclass(frozen=True, slots=True)
class Number:
    """A number, with the digits that its standard error leaves certain."""

    value: float | str | None
    """The number; a text stands for itself, and None is shown as a dash."""
    standard_error: float | None = None
    """Its standard error; without one it has four significant digits."""
    shows_error: bool = False
    """Whether the standard error is written after it, in brackets."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The ends of an interval; an open end is None, and without both there is none."""

    lower: float | None
    upper: float | None
    """The ends."""
    standard_error: float | None = None
    """Says how many digits are certain; else a quarter of the width does."""
    estimate: float | None = None
    """Written before the ends, where the interval is about another number than its row."""


@dataclass(frozen=True, slots=True)
class PValue:
    """A p-value."""

    value: float | None


@dataclass(frozen=True, slots=True)
class Percent:
    """A share in per cent, with its standard error in brackets where there is one."""

    share: float | None
    standard_error: float | None = None


@dataclass(frozen=True, slots=True)
class PercentRange:
    """The least and the largest of several shares, in per cent."""

    least: float | None
    largest: float | None


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a model, a method or a column: nothing in it is rewritten."""

    text: str


@dataclass(frozen=True, slots=True)
class Pair:
    """The difference of two models, the first minus the second."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Bar:
    """An interval as a drawing; the bars of a column share its ends."""

    lower: float | None
    upper: float | None
    """The ends of the interval; an open end is None, and without both there is only a point."""
    estimate: float | None
    """The point."""
    start: float
    stop: float
    """The numbers at the left and at the right end of the column."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision on two models, as in results: ``better``, ``undecided``; empty for none."""

    value: str


Cell: TypeAlias = (
    Number | Interval | PValue | Percent | PercentRange | Name | Pair | Bar | Decision | str
)
"""A cell of a table; a text is a cell of words."""
NUMERIC: Final = (Number, Interval, PValue, Percent, PercentRange)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with a caption."""

    caption: str
    """What the table shows."""
    columns: Sequence[str]
    """Headings."""
    rows: Sequence[Sequence[Cell]]
    """Cells by row; the first cell of a row is its heading."""
    notes: Sequence[str] = ()
    """Sentences below the table."""
    n_first: int = 15
    """Rows that a terminal shows, unless all are asked for."""
    said: frozenset[str] = frozenset()
    """Headings of columns, and notes, that a table of the findings has or does not need."""
    rest_caption: str = ""
    """The caption without these columns."""

    @classmethod
    def of_rows(
        cls,
        caption: str,
        rows: Sequence[Mapping[str, Cell]],
        notes: Sequence[str] = (),
    ) -> Table:
        """Return a table of rows that have each cell under its heading, all of them the same."""
        columns = list(rows[0]) if rows else []
        cells = [[row[column] for column in columns] for row in rows]
        return cls(caption=caption, columns=columns, rows=cells, notes=notes)

    @property
    def numbers(self) -> frozenset[int]:
        """Columns that are aligned as numbers: those in which at least half of the cells are."""
        return frozenset(
            position
            for position in range(1, len(self.columns))
            if self.rows
            and 2 * sum(isinstance(row[position], NUMERIC) for row in self.rows) >= len(self.rows)
        )

    @property
    def bars(self) -> frozenset[int]:
        """Columns of drawings, which say what another column has in numbers."""
        return frozenset(
            position for row in self.rows for position, each in enumerate(row) if type(each) is Bar
        )

    def without_bars(self) -> Table:
        """Return the table without its drawings."""
        return self._keep(
            position for position in range(len(self.columns)) if position not in self.bars
        )

    def without_said(self, tables: Sequence[Table]) -> Table:
        """Return what the table adds to those of the findings: no rows where that is nothing."""
        if all(self.said.isdisjoint(each.columns) for each in tables):
            return self
        rest = self._keep(
            position for position, name in enumerate(self.columns) if name not in self.said
        )
        notes = {note for each in tables for note in each.notes}
        left = [note for note in self.notes if note not in notes | self.said]
        rows = rest.rows if len(rest.columns) > 1 else ()
        return replace(rest, caption=self.rest_caption, rows=rows, notes=left)

    def _keep(self, positions: Iterable[int]) -> Table:
        kept = list(positions)
        rows = [[row[position] for position in kept] for row in self.rows]
        return replace(self, columns=[self.columns[position] for position in kept], rows=rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a document that answers one question."""

    name: str
    """The same in every document; figures are placed by it."""
    title: str
    """The question."""
    sentences: Sequence[str] = ()
    """What the tables show, in words."""
    tables: Sequence[Table] = ()
    """The tables."""
    more_title: str = ""
    """What the further tables are."""
    more: Sequence[Table] = ()
    """Tables that are folded away."""
    is_detail: bool = False
    """Whether a page and a report have room for it, and a terminal has not."""

    def without_empty_tables(self) -> Section:
        """Return the section without tables that have no rows."""
        tables, more = ([each for each in part if each.rows] for part in (self.tables, self.more))
        return replace(self, tables=tables, more=more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caution:
    """A caution of a result, once for each code."""

    code: str
    severity: str
    message: str
    advice: str
    """All four as in the result."""
    title: str = ""
    """What it is about, in a few words; from the code in a result of an older release."""
    subject: str = ""
    """The models, pairs and numbers that it is about; empty where it is about all."""

    @property
    def text(self) -> str:
        """The caution as a paragraph."""
        start = f"{self.subject}: " if self.subject else ""
        return f"{start}{self.message} {self.advice}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What is shown of a result first, and what a reader sees who asks for no more."""

    verdict: str = ""
    """The answer, in one or two sentences that name their question."""
    tables: Sequence[Table] = ()
    """The numbers of the answer; those of models are one table."""
    sentences: Sequence[str] = ()
    """What the table does not have: the difference of two models, or the test of all models."""
    caution: Caution | None = None
    """The most serious caution about the answer."""
    limit: str = ""
    """What the answer does not say."""
    next_step: str = ""
    """What would settle what is open; empty where nothing is."""
    failures: Sequence[Caution] = ()
    """What failed and is left out."""
    matrix: Table | None = None
    """The decision on each model of a row beside each of a column, where a page has room for it."""

    @property
    def cautions(self) -> Sequence[Caution]:
        """What failed, and the most serious other caution."""
        return [*self.failures, *([] if self.caution is None else [self.caution])]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What is shown of a result."""

    question: Sequence[str] = ()
    """The question of the evaluation; empty for a kind that this release does not know."""
    gate: str = ""
    """Whether the gate of the request passes, with the reason; empty without a gate."""
    headline: str = ""
    """The verdict in one short sentence."""
    findings: Findings = Findings()
    """What is shown first."""
    sentences: Sequence[str] = ()
    """The verdicts in words."""
    n_first: int = MOST_SENTENCES
    """Number of sentences that are shown at first."""
    sections: Sequence[Section] = ()
    """The tables; those without content are left out."""
    scope: str = ""
    """What the numbers are about, and what they are not about."""
    cautions: Sequence[Caution] = ()
    """The cautions of what is shown, the serious ones first."""
    other_cautions: Sequence[Caution] = ()
    """Those of the methods that only the tables of all methods show."""
    model_names: Sequence[str] = ()
    """Models that can be compared by source; empty where blocks are not sources."""
    pair: tuple[str, str] | None = None
    """The two models that the section of sources compares."""
    unit: str = "source"
    units: str = "sources"
    """What a block is called, and several."""
    higher_is_better: bool = False
    """Whether the values are scores and not losses."""
    has_intervals: bool = False
    """Whether a difference of two models has an interval."""

    @classmethod
    def of_record(
        cls, sentence: str, sections: Sequence[Section], limit: str, sentences: Sequence[str] = ()
    ) -> Document:
        """Return the document of a series, a protocol or a Ladder; its first table is found."""
        tables = sections[0].tables
        found = Findings(verdict=sentence, tables=tables, sentences=sentences, limit=limit)
        return cls(
            headline=sentence, findings=found, sentences=sentences, sections=sections, scope=limit
        )

    @property
    def first_sentences(self) -> Sequence[str]:
        """The sentences that are shown at first."""
        return self.sentences[: self.n_first]

    @property
    def doubts(self) -> Sequence[Caution]:
        """The cautions to know before a decision: at most three, the serious ones first."""
        return [each for each in self.cautions if each.severity != "info"][:MOST_DOUBTS]

    @property
    def all_cautions(self) -> Sequence[Caution]:
        """Every caution, the serious ones first."""
        every = [*self.cautions, *self.other_cautions]
        return sorted(every, key=lambda caution: rank_severity(caution.severity))

    @property
    def rest(self) -> Document:
        """The document without what its findings say."""
        findings = self.findings
        codes = {each.code for each in findings.cautions}
        said = [self.gate, findings.verdict, findings.next_step, *findings.sentences]
        left = [_leave_out_said(each, said) for each in self.sentences]
        sentences = [each for each in left if each]
        sections = [
            replace(
                section,
                tables=[
                    each.without_said(findings.tables)
                    for each in section.tables
                    if each not in findings.tables
                ],
            ).without_empty_tables()
            for section in self.sections
        ]
        return replace(
            self,
            sentences=sentences,
            n_first=max(self.n_first - len(self.sentences) + len(sentences), 0),
            sections=sections,
            scope="" if findings.limit else self.scope,
            cautions=[each for each in self.cautions if each.code not in codes],
        )

    def find_section(self, name: str) -> Section | None:
        """Return a section; None if the document has none of that name."""
        return next((section for section in self.sections if section.name == name), None)


def _leave_out_said(text: str, said: Sequence[str]) -> str:
    """Return the sentences of a text that are in no other one; all of them if the first is new.

    A sentence without its first one may not say what it is about.
    """
    parts = END_OF_SENTENCE.split(text)
    new = [part for part in parts if not any(part in other for other in said)]
    return text if new and new[0] == parts[0] else " ".join(new)


def count_cautions(cautions: Sequence[Caution]) -> str:
    """Return how many more cautions there are, and what those that matter most are about."""
    named = [each.title for each in cautions if each.severity != "info"][:MOST_TITLES]
    titles = [title[:1].lower() + title[1:] for title in named]
    if titles and len(titles) < len(cautions):
        titles.append(count(len(cautions) - len(titles), "other"))
    return count(len(cautions), "more caution") + (f" ({'; '.join(titles)})" if titles else "")


def rank_severity(severity: str) -> int:
    """Return the place of a severity, the serious ones first; unknown ones come last."""
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)
