"""Every surface that shows a result to people."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Final
from xml.etree import ElementTree as ET

import orjson

from tests.golden.write_shown import make_row, render_page, render_report
from tests.service.surfaces.reading import Shown, read_html, read_latex, read_markdown, read_text
from thetahat_client.result import ResultObject
from thetahat_client.text import result_text
from thetahat_service.api.routes.list_pages import CHOICES, FILTERS
from thetahat_service.cli.gate import write_junit
from thetahat_service.jobs.listed import list_result
from thetahat_service.jobs.record import TOLD
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.pages.evaluation_list import describe_entry
from thetahat_service.pages.rendering import render
from thetahat_service.pages.viewer import Viewer
from thetahat_service.reports.tables import write_tables

Json = dict[str, Any]
WIDTH: Final = 10_000
"""Characters of a line: no sentence is wrapped."""


def render_row(request: Json, result: Json) -> str:
    """Return the list of evaluations with this one."""
    del request
    chosen = dict.fromkeys((*FILTERS, "sort", "order"), "")
    return render(
        "evaluations.html",
        viewer=Viewer(),
        entries=[describe_entry(make_row(result))],
        headings=[SimpleNamespace(title="Verdict", link="/", direction="")],
        choices=dict.fromkeys(CHOICES, ()),
        kinds=list(JOB_KINDS),
        chosen={**chosen, "is_set": False},
        problem="",
        next=None,
    )


def render_webhook(request: Json, result: Json) -> str:
    """Return what a delivery says of a result."""
    del request
    listed = list_result(result)
    return orjson.dumps({name: getattr(listed, name) for name in TOLD}).decode()


def render_notebook(request: Json, result: Json) -> str:
    """Return what a notebook shows of a result."""
    del request

    def get_figure(*words: object) -> Any:
        raise AssertionError(words)

    return ResultObject(result, "1", get_figure)._repr_html_()


RENDER: Final[dict[str, Callable[[Json, Json], str]]] = {
    "terminal": lambda _, result: result_text(result, WIDTH),
    "terminal with --all": lambda _, result: result_text(result, WIDTH, show_all=True),
    "page": render_page,
    "report": render_report,
    "markdown": lambda _, result: write_tables(result, "md", show_all=False),
    "latex": lambda _, result: write_tables(result, "tex", show_all=True),
    "junit": lambda _, result: write_junit(result) if "gate" in result else "",  # type: ignore[arg-type]
    "notebook": render_notebook,
    "list": render_row,
    "webhook": render_webhook,
}
"""What each surface writes; JUnit is of gates alone."""


def _read_junit(text: str) -> Shown:
    written = [each.text or "" for each in ET.fromstring(text).iterfind(".//testcase/*")]
    return read_text("".join(written))


READ: Final[dict[str, Callable[[str], Shown]]] = {
    "terminal": read_text,
    "terminal with --all": read_text,
    "page": read_html,
    "report": read_html,
    "markdown": read_markdown,
    "latex": read_latex,
    "junit": _read_junit,
    "notebook": read_html,
    "list": read_html,
    "webhook": lambda text: read_text(orjson.loads(text)["findings"]),
}
FINDINGS: Final = ("terminal", "page", "report", "markdown", "junit", "notebook", "webhook")
"""Surfaces that begin with the findings."""
HEADLINES: Final = ("terminal with --all", "latex", "list")
"""Surfaces that have the headline."""
FULL: Final = ("terminal with --all", "page", "report", "markdown", "latex", "notebook")
"""Surfaces that have the table of pairs."""


@lru_cache(maxsize=64)
def read(surface: str, text: str) -> Shown:
    """Return what a person reads on a surface; one text is read once, as tests change another."""
    return READ[surface](text)


def find_gate(surface: str, text: str) -> str | None:
    """Return the outcome of the gate that a surface names; None if it names none."""
    if surface == "webhook":
        outcome: str | None = orjson.loads(text)["gate"]
        return outcome
    if surface == "junit":
        tags = {each.tag for each in ET.fromstring(text).iter()}
        return "fail" if "failure" in tags else "undecided" if "error" in tags else "pass"
    if surface == "list":
        found = re.search(r'data-title="Gate"><span class="badge badge-(\w+)"', text)
    else:
        found = re.search(r"Gate: (\w+)\.", read(surface, text).text)
    return None if found is None else found[1]
