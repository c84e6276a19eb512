"""The state of the service, and explanations of its errors."""

from __future__ import annotations

import html
import inspect
from dataclasses import asdict
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

import thetahat
from thetahat_service.api.blocking_calls import run_in_thread
from thetahat_service.api.documents import build_json_response
from thetahat_service.api.errors import BY_CODE, find_status, find_title
from thetahat_service.api.media_types import choose_media_type
from thetahat_service.api.metrics import render_metrics
from thetahat_service.api.page_responses import wants_html
from thetahat_service.api.routes.list_pages import show_evaluations
from thetahat_service.errors import ResourceNotFound
from thetahat_service.jobs.health import check_readiness
from thetahat_service.schemas.problem import ProblemKindList
from thetahat_service.schemas.service_state import Health, ReadinessRead

router = APIRouter()

LINKS: Final = {
    "documentation": "/docs",
    "openapi": "/openapi.json",
    "methods": "/v1/methods",
    "data_sets": "/v1/datasets",
    "evaluations": "/v1/evaluations",
    "series": "/v1/series",
    "problems": "/problems",
    "ready": "/readyz",
    "metrics": "/metrics",
}
PAGE: Final = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
    '<body><main style="max-width:44rem;margin:2rem auto;font-family:sans-serif">'
    "<h1>{title}</h1>{body}</main></body></html>"
)
METRICS_TYPE: Final = "text/plain; version=1.0.0; charset=utf-8; escaping=underscores"
POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
EVALUATION_ERRORS: Final = {
    "time_limit_exceeded": "A part of the work ran longer than THETAHAT_TIME_LIMIT_S.",
    "memory_limit_exceeded": "A part of the work needed more than THETAHAT_MEMORY_LIMIT_MB.",
    "worker_lost": "The worker process ended several times during the same part of the work.",
}
"""Errors that only failed evaluations have, by code."""


@router.get("/", include_in_schema=False)
async def landing_page(request: Request) -> Response:
    """Return the list of evaluations to a browser, and the main paths of the service as JSON."""
    choose_media_type(request.headers.get("accept"), ("application/json", "text/html"))
    if wants_html(request.scope):
        return await show_evaluations(request)
    return build_json_response(
        {"name": "thetahat", "version": thetahat.__version__, "links": LINKS}
    )


@router.get("/healthz", tags=["service"], response_model=Health)
async def get_health() -> Response:
    """Return 200 if this process answers requests."""
    return build_json_response({"status": "ok", "version": thetahat.__version__})


@router.get(
    "/readyz",
    tags=["service"],
    response_model=ReadinessRead,
    responses={
        503: {
            "model": ReadinessRead,
            "description": "Something is missing, or no worker is prepared yet (`warming`, with "
            "`Retry-After`).",
        }
    },
)
async def get_readiness() -> Response:
    """Return 200 if a request would be accepted and a worker can compute it now, else 503.

    The status `warming` means that requests are accepted and wait until a worker has imported its
    packages and loaded its compiled loops: a few seconds after a start.
    """
    readiness = await run_in_thread(check_readiness)
    status = readiness.status
    body = {"status": status, "missing": readiness.missing, **asdict(readiness)}
    headers = {"Cache-Control": "no-store"}
    if status == "warming":
        headers["Retry-After"] = "1"
    return build_json_response(body, 200 if status == "ready" else 503, headers)


@router.get(
    "/metrics",
    tags=["service"],
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    response_class=Response,
)
async def get_metrics() -> Response:
    """Return queue, durations, retries, workers and requests in the format of Prometheus."""
    text = await run_in_thread(render_metrics)
    return Response(text, media_type=METRICS_TYPE, headers={"Cache-Control": "no-store"})


@router.get("/problems", tags=["service"], response_model=ProblemKindList)
async def list_problems() -> Response:
    """List every kind of error."""
    items = [
        {
            "code": code,
            "type": f"/problems/{code}",
            "status": find_status(cls),
            "title": find_title(cls),
        }
        for code, cls in BY_CODE.items()
    ]
    return build_json_response({"items": items})


@router.get("/problems/{code}", tags=["service"], response_class=HTMLResponse)
async def explain_problem(code: str) -> Response:
    """Explain one kind of error, as a page."""
    if code in BY_CODE:
        cls = BY_CODE[code]
        text = inspect.getdoc(cls) or ""
        status = f"HTTP status {find_status(cls)}. "
    elif code in EVALUATION_ERRORS:
        text, status = EVALUATION_ERRORS[code], "The error of a failed evaluation. "
    else:
        raise ResourceNotFound(f"There is no kind of error {code[:80]!r}.")
    return _build_page(code, f"<p>{html.escape(text)}</p><p>{status}</p>")


def _build_page(title: str, body: str) -> HTMLResponse:
    headers = {"Content-Security-Policy": POLICY}
    return HTMLResponse(PAGE.format(title=html.escape(title), body=body), headers=headers)
