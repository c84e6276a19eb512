"""A report as PDF, set by Typst in a process of its own.

Words of a report reach Typst as values of a JSON file and are never read as its markup, so that a
model with the name ``#read("/etc/passwd")`` is printed under this name. The process has a folder of
its own as root, loads no packages, and is ended after a time limit.
"""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import orjson

from thetahat_presentation.document import Caution, Table
from thetahat_presentation.renderers.html import typeset, typeset_cell
from thetahat_presentation.wording import capitalise
from thetahat_service.errors import Unavailable
from thetahat_service.figures.style import Style
from thetahat_service.reports.building import describe_maker
from thetahat_service.reports.document import (
    Block,
    Bullets,
    CautionList,
    CitedMethod,
    Code,
    FactList,
    Paragraph,
    Report,
    ReportFigure,
    ReportPart,
    ReportTable,
)
from thetahat_service.reports.formulas import parse_formula
from thetahat_service.reports.html import TEMPLATES, Draw

log = logging.getLogger(__name__)

MODULE: Final = "thetahat_service.reports.typesetting_process"
SECONDS: Final = 60.0
"""Longest time for one report; 30 models take 2 s."""
LONGEST_WORD: Final = 22
"""Letters of a word of a table after which it may be broken."""
LONGEST_LINE: Final = 70
WIDE: Final = 28
"""Letters of a column's longest cell from which the column takes the room that is left."""
FULL: Final = 80
"""Letters of a row that fill a line, so that no column can take what is left."""
BREAK: Final = "\N{ZERO WIDTH SPACE}"
_OTHER_SCRIPT: Final = re.compile(
    r"[\u0530-\u1dff\u2c00-\uffff]|[\U00010000-\U0001d3ff\U0001d800-]"
)
"""Characters that the fonts of Typst do not have; fonts of the system are then used, if any."""


def render_pdf(report: Report, draw: Draw) -> bytes:
    """Return a report as PDF; the same report gives the same bytes.

    Raises ``Unavailable`` if the report cannot be set now: the process ended or took too long.
    """
    with TemporaryDirectory(prefix="thetahat-report-") as name:
        folder = Path(name)
        text = write_sources(report, draw, folder)
        needs_fonts = _OTHER_SCRIPT.search(text) is not None
        seconds = str(int(report.finished_at.timestamp()))
        _run(folder, [seconds, "system" if needs_fonts else "own"])
        return (folder / "report.pdf").read_bytes()


def write_sources(report: Report, draw: Draw, folder: Path) -> str:
    """Write template, words and figures of a report to a folder, and return the words as JSON."""
    files = {}
    for number, figure in enumerate(report.figures, 1):
        files[figure.name] = f"figure_{number}.pdf"
        (folder / files[figure.name]).write_bytes(draw(figure.build_spec(Style()), "pdf"))
    words = orjson.dumps(_describe(report, files))
    (folder / "report.json").write_bytes(words)
    template = (TEMPLATES / "report.typ").read_bytes()
    (folder / "main.typ").write_bytes(template)
    return words.decode()


def _run(folder: Path, arguments: Sequence[str]) -> None:
    """Let a process set the report of a folder."""
    try:
        process = subprocess.run(  # noqa: S603 - a module of our own
            [sys.executable, "-m", MODULE, str(folder), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        log.warning("typesetting.too_long", extra={"seconds": SECONDS})
        raise Unavailable(
            f"The report took longer than {SECONDS:.0f} s to set. Read it as HTML."
        ) from None
    if process.returncode:
        reason = process.stderr.decode(errors="replace")[-2000:]
        log.error("typesetting.failed", extra={"status": process.returncode, "reason": reason})
        raise Unavailable(
            "The report could not be set as PDF; the log of the service has the reason. Read it "
            "as HTML.",
            retry_after=None,
        )


def _describe(report: Report, files: dict[str, str]) -> dict[str, Any]:
    """Return the JSON that the template reads."""
    return {
        "title": report.title,
        "subtitle": report.subtitle,
        "state": report.state,
        "identifier": report.identifier,
        "result_sha256": report.result_sha256,
        "maker": describe_maker(),
        "parts": [
            {
                "name": part.value,
                "sections": [
                    {
                        "title": section.title,
                        "blocks": [_describe_block(block, files) for block in section.blocks],
                    }
                    for section in report.list_sections(part)
                ],
            }
            for part in ReportPart
        ],
    }


def _describe_block(block: Block, files: dict[str, str]) -> dict[str, object]:
    kind = {"kind": block.kind}
    match block:
        case Paragraph():
            return {**kind, "text": _set_line(block.text), "style": block.style}
        case Bullets():
            return {**kind, "items": [_set_line(item) for item in block.items]}
        case FactList():
            items = [(name, allow_breaks(value, LONGEST_LINE)) for name, value in block.items]
            return {**kind, "items": items, "codes": sorted(block.codes)}
        case ReportTable():
            return {**kind, **_describe_table(block.table)}
        case ReportFigure(figure=figure):
            return {
                **kind,
                "is_small": block.is_small,
                "file": files[figure.name],
                "alt": figure.alt,
                "caption": figure.caption,
            }
        case CautionList():
            return {**kind, "items": [_describe_caution(caution) for caution in block.items]}
        case CitedMethod():
            return {**kind, **_describe_method(block)}
        case Code():
            return {**kind, "lines": [_indent(line) for line in block.text.split("\n")]}
        case _:
            return {**kind, "labels": list(block.labels)}


def _set_line(sentence: str) -> str:
    return allow_breaks(typeset(sentence), LONGEST_LINE)


def _describe_table(table: Table) -> dict[str, object]:
    rows = [[allow_breaks(typeset_cell(cell), LONGEST_WORD) for cell in row] for row in table.rows]
    longest = [
        max((len(row[i]) for row in rows if i < len(row)), default=0)
        for i in range(len(table.columns))
    ]
    wide = [i for i, length in enumerate(longest) if length > WIDE and i not in table.numbers]
    is_full = sum(map(max, longest, map(len, table.columns))) > FULL
    return {
        "caption": table.caption,
        "columns": [allow_breaks(column, LONGEST_WORD) for column in table.columns],
        "rows": rows,
        "numbers": sorted(table.numbers),
        "wide": wide or ([] if is_full else [0 if table.numbers else len(table.columns) - 1]),
        "note": typeset(" ".join(table.notes)),
    }


def _describe_caution(caution: Caution) -> dict[str, str]:
    return {
        "severity": caution.severity,
        "label": capitalise(caution.severity),
        "message": _set_line(_add_subject(caution)),
        "advice": caution.advice,
    }


def _add_subject(caution: Caution) -> str:
    return f"{caution.subject}: {caution.message}" if caution.subject else caution.message


def _describe_method(block: CitedMethod) -> dict[str, object]:
    return {
        "heading": allow_breaks(block.heading, LONGEST_LINE),
        "parameters": allow_breaks(block.parameters, LONGEST_LINE),
        "summary": block.summary,
        "formula": parse_formula(block.formula) if block.formula else None,
        "assumptions": block.assumptions,
        "errs": block.errs,
        "sources": list(block.sources),
    }


def _indent(line: str) -> str:
    """Return a line of code whose first spaces stay, and whose long words may be broken."""
    text = line.lstrip(" ")
    return "\N{NO-BREAK SPACE}" * (len(line) - len(text)) + allow_breaks(text, LONGEST_LINE)


def allow_breaks(text: str, longest: int) -> str:
    """Return a text whose words longer than ``longest`` may be broken."""
    if len(text) <= longest:
        return text
    return re.sub(rf"\S{{{longest}}}(?=\S)", lambda match: match[0] + BREAK, text)
