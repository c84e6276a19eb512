"""What people read of a result, as text: its page, report, terminal, Markdown and LaTeX.

``python -m tests.golden.write_shown`` writes the files below ``tests/golden/shown`` again, so that
each change of words or numbers is seen as a difference of these files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import patch
from uuid import UUID

import orjson

import thetahat
from tests.service.reports.sources import REQUESTS, RESULTS, build_source
from thetahat_client.text import result_latex, result_markdown, result_text
from thetahat_service.api.routes import pages
from thetahat_service.in_process.evaluation import evaluate_in_process
from thetahat_service.in_process.files import open_file
from thetahat_service.jobs.listed import list_result
from thetahat_service.pages.rendering import render
from thetahat_service.pages.viewer import Viewer
from thetahat_service.reports.building import build_report
from thetahat_service.reports.html import render_html

FOLDER: Final = Path(__file__).with_name("shown")
EXAM_FILE: Final = Path("service/thetahat_service/example_files/exam_losses.csv")
MODELS: Final = ("ridge", "forest", "neighbours")
EXAMS: Final = {"exam": MODELS, "exam_reversed": MODELS[::-1]}
"""The models of the exam data in both orders: in the second, verdicts are "worse"."""
NAMES: Final = (*RESULTS, *EXAMS)
HOUR: Final = datetime(2026, 11, 22, 12, tzinfo=UTC)
TERMINAL_WIDTH: Final = 100
LEFT_OUT: Final = frozenset(
    {"methods-catalogue", "reproduction", "request", "provenance", "sign-offs", "sign_offs"}
)
"""Sections that are about the request and the program, not about the result."""


@cache
def read_case(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return request and result: the example of a kind, or the exam data."""
    if name not in EXAMS:
        return REQUESTS[name], RESULTS[name]
    columns = {"losses": list(EXAMS[name]), "block": "school"}
    request: dict[str, Any] = {"kind": "losses", "blocks": "source", "columns": columns}
    request |= {"level": 0.95, "unit": "school", "seed": 1, "include": "all"}
    with open_file(EXAM_FILE, "text/csv") as data:
        return request, evaluate_in_process(request, data).result


def show_page(name: str) -> str:
    """Return the page of an evaluation without its request."""
    return read_html(render_page(*read_case(name)))


def make_row(result: dict[str, Any]) -> Any:
    """Return the row of an evaluation with a result."""
    listed = list_result(result)
    return SimpleNamespace(
        id=UUID(int=7),
        name=None,
        kind=result["kind"],
        status="succeeded",
        error=None,
        summary=listed.summary,
        labels={},
        verdict=listed.verdict,
        gate=listed.gate,
        headline=listed.headline,
        protocol=None,
        sign_off=None,
        created_at=HOUR,
        started_at=HOUR,
        finished_at=HOUR,
        progress_done=1,
        progress_total=1,
        progress_unit="unit",
        seed=1,
        data_sha256="a" * 64,
        request_sha256="b" * 64,
    )


def render_page(request: dict[str, Any], result: dict[str, Any]) -> str:
    """Return the page of an evaluation as HTML."""
    with ExitStack() as stack:
        for function, value in (
            ("read.get_request", request),
            ("read.read_result", orjson.dumps(result).decode()),
            ("progress.read_progress", SimpleNamespace(parts={}, seconds_left=None)),
            ("list_newest_sign_offs", []),
        ):
            stack.enter_context(patch(f"{pages.__name__}.{function}", return_value=value))
        context = pages.build_evaluation_context(make_row(result), None)
    return render("evaluation.html", viewer=Viewer(), command="", **context)


def render_report(request: dict[str, Any], result: dict[str, Any]) -> str:
    """Return the report of an evaluation as HTML."""
    return render_html(build_report(build_source(result, request)), lambda *_: b"").decode()


def show_report(name: str) -> str:
    """Return the report of an evaluation without its methods and its request."""
    html = render_report(*read_case(name))
    return read_html(html.replace('id="methods"', 'id="methods-catalogue"'))


def show_terminal(name: str) -> str:
    """Return what the terminal shows, and then what it shows with ``--all``."""
    _, result = read_case(name)
    parts = [result_text(result, TERMINAL_WIDTH, show_all=show_all) for show_all in (False, True)]
    return "\n\n======== --all ========\n\n".join(parts)


def show_markdown(name: str) -> str:
    """Return a result as Markdown."""
    return result_markdown(read_case(name)[1])


def show_latex(name: str) -> str:
    """Return a result as LaTeX."""
    return result_latex(read_case(name)[1])


SURFACES: Final[dict[str, Callable[[str], str]]] = {
    "page": show_page,
    "terminal": show_terminal,
    "report": show_report,
    "markdown": show_markdown,
    "latex": show_latex,
}


def show(name: str, surface: str) -> str:
    """Return one text; the release is left out, because it changes by itself."""
    text = SURFACES[surface](name)
    return text.replace(thetahat.__version__, "VERSION").strip() + "\n"


def find_file(name: str, surface: str) -> Path:
    """Return the file of a text."""
    return FOLDER / f"{name}.{surface}.txt"


class _TextReader(HTMLParser):
    """Reads HTML as lines: headings, paragraphs, items, and table rows with bars."""

    LINES: Final = frozenset(
        {"h1", "h2", "h3", "h4", "p", "li", "caption", "tr", "summary", "dt", "dd", "figcaption"}
    )
    MARKS: Final = {"h1": "# ", "h2": "## ", "h3": "### ", "li": "- ", "summary": "> "}
    SILENT_CLASSES: Final = frozenset({"downloads", "skip", "page-actions"})
    SILENT: Final = frozenset({"script", "style", "head", "form", "nav", "footer", "header"})

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._text = ""
        self._n_silent = 0
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line, or a part that is left out."""
        values = dict(attrs)
        if tag == "img" and not self._n_silent:
            self._end_line()
            self._text = f"[figure: {values.get('alt')}]"
        if tag in {"img", "meta", "link", "source", "input", "br"}:
            return
        is_silent = tag in self.SILENT or values.get("aria-labelledby") in LEFT_OUT
        is_silent |= values.get("id") in LEFT_OUT or values.get("class") in self.SILENT_CLASSES
        self._open.append((tag, is_silent))
        self._n_silent += is_silent
        if tag in self.LINES and not (tag == "p" and self._text in self.MARKS.values()):
            self._end_line()
            self._text = self.MARKS.get(tag, "")
        if tag in {"td", "th"} and self._text:
            self._text += " | "

    def handle_endtag(self, tag: str) -> None:
        """End a line, or a part that is left out."""
        while self._open:
            name, is_silent = self._open.pop()
            self._n_silent -= is_silent
            if name in self.LINES:
                self._end_line()
            if name == tag:
                break

    def handle_data(self, data: str) -> None:
        """Take the text."""
        if not self._n_silent:
            self._text += data

    def _end_line(self) -> None:
        line = " ".join(self._text.split())
        if line and f"{line} " not in self.MARKS.values():
            self.lines.append(line)
        self._text = ""


def read_html(html: str) -> str:
    """Return the texts of HTML, one line for each heading, paragraph and row of a table."""
    reader = _TextReader()
    reader.feed(html)
    return "\n".join(reader.lines)


def iterate_cases() -> Iterator[tuple[str, str]]:
    """Yield every result with every surface."""
    return ((name, surface) for name in NAMES for surface in SURFACES)


def write_all() -> None:
    """Write every text."""
    FOLDER.mkdir(exist_ok=True)
    for file in FOLDER.glob("*.txt"):
        file.unlink()
    for name, surface in iterate_cases():
        find_file(name, surface).write_text(show(name, surface), encoding="utf-8")


if __name__ == "__main__":
    write_all()
