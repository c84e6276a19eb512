"""A report as one HTML file without scripts, links to other files or fonts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Final

from jinja2 import Environment
from markupsafe import Markup

from thetahat_presentation.renderers.html import typeset as typeset_sentence
from thetahat_presentation.renderers.html import typeset_cell
from thetahat_presentation.wording import capitalise
from thetahat_service.figures.rendering import FigureFormat
from thetahat_service.figures.style import Json, Style
from thetahat_service.pages.method_page import typeset
from thetahat_service.pages.visible_text import make_environment
from thetahat_service.reports.building import describe_maker
from thetahat_service.reports.document import Report, ReportPart

Draw = Callable[[Json, FigureFormat], bytes]
"""Returns a specification as an image."""

TEMPLATES: Final = Path(__file__).with_name("templates")


@lru_cache(maxsize=1)
def _make_environment() -> Environment:
    filters = {
        "typeset": typeset,
        "sentence_case": capitalise,
        "cell": typeset_cell,
        "sentence": typeset_sentence,
    }
    return make_environment("thetahat_service.reports", filters)


@lru_cache(maxsize=1)
def _read_style() -> str:
    return (TEMPLATES / "report.css").read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def build_policy() -> str:
    """Return the Content-Security-Policy of a report: its own style and images, nothing else."""
    digest = base64.b64encode(hashlib.sha256(_read_style().encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def render_html(report: Report, draw: Draw) -> bytes:
    """Return a report as HTML; the same report gives the same bytes."""
    images = {
        figure.name: "data:image/svg+xml;base64,"
        + base64.b64encode(draw(figure.build_spec(Style()), "svg")).decode()
        for figure in report.figures
    }
    template = _make_environment().get_template("report.html")
    text = template.render(
        report=report,
        parts=list(ReportPart),
        images=images,
        maker=describe_maker(),
        policy=build_policy(),
        style=Markup(_read_style()),  # noqa: S704 - a file of this package
    )
    return text.encode()
