"""The report of an evaluation as HTML and PDF, and its tables as Markdown and LaTeX."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, Final
from uuid import UUID

import orjson
from fastapi import APIRouter, Query, Request, Response

import thetahat
from thetahat_service.api.blocking_calls import run_in_thread
from thetahat_service.api.preferences import parse_known_etags
from thetahat_service.api.problem_responses import NO_RESULT, Responses, describe_problems
from thetahat_service.api.request_parts import EvaluationId, OwnerId
from thetahat_service.figures.drawing import draw
from thetahat_service.jobs.reports import read_report_source, read_result
from thetahat_service.reports.building import build_report
from thetahat_service.reports.document import Report
from thetahat_service.reports.html import Draw, build_policy, render_html
from thetahat_service.reports.pdf import render_pdf
from thetahat_service.reports.tables import TableFormat, write_tables

router = APIRouter(prefix="/v1/evaluations/{evaluation_id}", tags=["evaluations"])

NOT_NOW: Final = describe_problems((503, "It cannot be drawn or set now."))
HTML, PDF = "text/html; charset=utf-8", "application/pdf"
TABLE_TYPES: Final[dict[TableFormat, str]] = {
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
}
CLOSED_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"
RENDERING: Final = ThreadPoolExecutor(2, thread_name_prefix="reports")
"""Threads that wait for figures and for the typesetter, so that nothing else waits for them."""

All = Annotated[
    bool,
    Query(description="Every model, verdict and caution; else the best models and the main ones."),
]


def describe_content(media_type: str, schema_format: str | None = None) -> dict[str, Any]:
    """Return what OpenAPI says of an answer that is no JSON."""
    schema = {"type": "string"} | ({"format": schema_format} if schema_format else {})
    return {"content": {media_type.partition(";")[0]: {"schema": schema}}}


def _describe_answers(what: str, media_type: str, schema_format: str | None = None) -> Responses:
    """Return what OpenAPI says of a route that writes a result in another form."""
    written = {"description": what, **describe_content(media_type, schema_format)}
    return {200: written, 304: {"description": "Unchanged."}, **NO_RESULT}


@router.get(
    "/report.html",
    response_class=Response,
    responses=_describe_answers("The report.", HTML) | NOT_NOW,
)
async def get_html_report(
    request: Request, owner_id: OwnerId, evaluation_id: EvaluationId
) -> Response:
    """Return the report as one HTML file, which loads nothing and runs nothing."""
    policy = f"{build_policy()}; frame-ancestors 'none'; sandbox"
    return await _respond_report(
        request, owner_id, evaluation_id, "html", HTML, policy, render_html
    )


@router.get(
    "/report.pdf",
    response_class=Response,
    responses=_describe_answers("The report.", PDF, "binary") | NOT_NOW,
)
async def get_pdf_report(
    request: Request, owner_id: OwnerId, evaluation_id: EvaluationId
) -> Response:
    """Return the report as PDF; the same result and sign-offs give the same bytes."""
    return await _respond_report(
        request, owner_id, evaluation_id, "pdf", PDF, CLOSED_POLICY, render_pdf
    )


@router.get(
    "/tables.md",
    response_class=Response,
    responses=_describe_answers("The tables.", TABLE_TYPES["md"]),
)
async def get_markdown_tables(
    request: Request,
    owner_id: OwnerId,
    evaluation_id: EvaluationId,
    *,
    show_all: Annotated[All, Query(alias="all")] = False,
) -> Response:
    """Return the tables, verdicts and cautions of the result as Markdown."""
    return await _respond_tables(request, owner_id, evaluation_id, "md", show_all=show_all)


@router.get(
    "/tables.tex",
    response_class=Response,
    responses=_describe_answers("The tables.", TABLE_TYPES["tex"]),
)
async def get_latex_tables(
    request: Request,
    owner_id: OwnerId,
    evaluation_id: EvaluationId,
    *,
    show_all: Annotated[All, Query(alias="all")] = False,
) -> Response:
    """Return the tables, verdicts and cautions of the result as LaTeX, with booktabs."""
    return await _respond_tables(request, owner_id, evaluation_id, "tex", show_all=show_all)


async def _respond_report(  # noqa: PLR0913 - what differs between the formats
    request: Request,
    owner_id: UUID,
    evaluation_id: UUID,
    form: str,
    media_type: str,
    policy: str,
    render: Callable[[Report, Draw], bytes],
) -> Response:
    source = await run_in_thread(read_report_source, owner_id, evaluation_id)
    digest = _compute_digest(
        [form, source.row, source.result_sha256, source.data, source.sign_offs]
    )
    headers = _build_headers(digest, policy, f"report-{evaluation_id}.{form}")
    if headers["ETag"] in parse_known_etags(request.headers):
        return Response(status_code=304, headers=headers)
    loop = asyncio.get_running_loop()
    content = await loop.run_in_executor(RENDERING, lambda: render(build_report(source), draw))
    return Response(content, media_type=media_type, headers=headers)


async def _respond_tables(
    request: Request, owner_id: UUID, evaluation_id: UUID, form: TableFormat, *, show_all: bool
) -> Response:
    stored = await run_in_thread(read_result, owner_id, evaluation_id)
    digest = _compute_digest([stored.sha256, form, show_all])
    headers = _build_headers(digest, CLOSED_POLICY, f"tables-{evaluation_id}.{form}")
    if headers["ETag"] in parse_known_etags(request.headers):
        return Response(status_code=304, headers=headers)
    text = await run_in_thread(write_tables, stored.result, form, show_all=show_all)
    return Response(text, media_type=TABLE_TYPES[form], headers=headers)


def _compute_digest(values: list[Any]) -> str:
    """Return a digest of all that an answer is made of."""
    content = orjson.dumps([*values, thetahat.__version__], option=orjson.OPT_UTC_Z)
    return hashlib.sha256(content).hexdigest()[:32]


def _build_headers(digest: str, policy: str, file_name: str) -> dict[str, str]:
    return {
        "ETag": f'"{digest}"',
        "Cache-Control": "private, no-cache",
        "Vary": "Authorization, Cookie",
        "Content-Security-Policy": policy,
        "Content-Disposition": f'inline; filename="{file_name}"',
    }
