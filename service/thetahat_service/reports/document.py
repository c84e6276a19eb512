"""What a report consists of: sections, and the blocks inside them, before HTML or PDF is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from thetahat_presentation.document import Caution, Table
from thetahat_service.figures.figure import Figure
from thetahat_service.storage.datasets import DatasetRow
from thetahat_service.storage.evaluations import EvaluationRow
from thetahat_service.storage.sign_offs import SignOffRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A sentence or several; ``style`` is ``plain``, ``lead``, ``note`` or ``problem``."""

    kind: ClassVar[str] = "paragraph"
    text: str
    style: str = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bullets:
    """Sentences as a list."""

    kind: ClassVar[str] = "bullets"
    items: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactList:
    """Names and values; a digest is among ``codes`` and is set in letters of one width."""

    kind: ClassVar[str] = "facts"
    items: Sequence[tuple[str, str]]
    codes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """A table with a caption and a note."""

    kind: ClassVar[str] = "table"
    table: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFigure:
    """A figure with its caption; on the first page it is small."""

    kind: ClassVar[str] = "figure"
    figure: Figure
    is_small: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CautionList:
    """Cautions, each with its advice."""

    kind: ClassVar[str] = "cautions"
    items: Sequence[Caution]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedMethod:
    """A method that was used."""

    kind: ClassVar[str] = "method"
    heading: str
    """Family, title and name."""
    parameters: str = ""
    """The parameters that it had; may be empty."""
    summary: str = ""
    formula: str = ""
    assumptions: str = ""
    errs: str = ""
    """What the catalogue says of it; the formula is LaTeX. All empty for a method that the
    catalogue does not describe."""
    sources: Sequence[str] = ()
    """The sources of the method."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A text in letters of one width, with its line breaks."""

    kind: ClassVar[str] = "code"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureLines:
    """Lines on which to write by hand, beside each other."""

    kind: ClassVar[str] = "lines"
    labels: Sequence[str]


Block = (
    Paragraph
    | Bullets
    | FactList
    | ReportTable
    | ReportFigure
    | CautionList
    | CitedMethod
    | Code
    | SignatureLines
)


class ReportPart(StrEnum):
    """The parts of a report, in their order; each begins on a page of its own."""

    FINDINGS = "findings"
    NUMBERS = "numbers"
    APPENDIX = "appendix"


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A section of a report with a heading; ``name`` is the same in every report."""

    name: str
    title: str
    blocks: Sequence[Block]
    part: ReportPart = ReportPart.APPENDIX


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The report of an evaluation."""

    identifier: str
    """Id of the evaluation."""
    title: str
    subtitle: str
    """Name of the evaluation, and its kind and time."""
    state: str
    """Whether and how it is signed, in a few words."""
    finished_at: datetime
    """End of the evaluation: the date of the document, so that it does not change."""
    version: str
    """Release that computed the result."""
    result_sha256: str
    """Digest of the result."""
    sections: Sequence[Section]
    """The content."""

    def list_sections(self, part: ReportPart) -> list[Section]:
        """Return the sections of a part."""
        return [section for section in self.sections if section.part is part]

    @property
    def figures(self) -> list[Figure]:
        """The figures in their order."""
        return [
            block.figure
            for section in self.sections
            for block in section.blocks
            if isinstance(block, ReportFigure)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSource:
    """What a report is made of."""

    row: EvaluationRow
    """The evaluation."""
    finished_at: datetime
    """When it ended."""
    request: Mapping[str, Any]
    """The request."""
    result: Mapping[str, Any]
    """The result as clients read it."""
    result_sha256: str
    """Digest of the result."""
    data: Sequence[DatasetRow] = ()
    """The uploaded data sets; empty where the request has the data."""
    sign_offs: Sequence[SignOffRow] = ()
    """The newest first."""
