"""The service about itself: is it alive, is it ready, what does a problem mean."""

from __future__ import annotations

import html
import inspect
from dataclasses import asdict

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

import thetahat
from service.api.calls import labour
from service.api.documents import json_response
from service.api.errors import BY_CODE, status_of, title_of
from service.api.negotiation import chosen_type
from service.errors import ResourceNotFound
from service.jobs.health import readiness

router = APIRouter()

LINKS = {
    "documentation": "/docs",
    "openapi": "/openapi.json",
    "methods": "/v1/methods",
    "data_sets": "/v1/datasets",
    "evaluations": "/v1/evaluations",
    "problems": "/problems",
    "ready": "/readyz",
}
PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
    '<body><main style="max-width:44rem;margin:2rem auto;font-family:sans-serif">'
    "<h1>{title}</h1>{body}</main></body></html>"
)


@router.get("/", include_in_schema=False)
async def landing(request: Request) -> Response:
    """Say what this is and where to go."""
    about = {"name": "thetahat", "version": thetahat.__version__, "links": LINKS}
    kinds = ("application/json", "text/html")
    if chosen_type(request.headers.get("accept"), kinds) == "application/json":
        return json_response(about)
    items = "".join(f'<li><a href="{to}">{name}</a></li>' for name, to in LINKS.items())
    text = "<p>How good a learned model is, how sure one can be of it, and which is better.</p>"
    return _page(f"thetahat {thetahat.__version__}", f"{text}<ul>{items}</ul>")


@router.get("/healthz", tags=["service"])
async def healthz() -> Response:
    """Say that this process answers."""
    return json_response({"status": "ok", "version": thetahat.__version__})


@router.get("/readyz", tags=["service"], responses={503: {"description": "What is missing."}})
async def readyz() -> Response:
    """Say whether a request would be taken and done: database, tables, broker, a live worker."""
    found = await labour(readiness)
    parts = asdict(found)
    missing = [name for name, works in parts.items() if not works]
    body = {"status": "ready" if found.is_ready else "not ready", "missing": missing, **parts}
    headers = {"Cache-Control": "no-store"}
    return json_response(body, 200 if found.is_ready else 503, headers)


@router.get("/problems", tags=["service"])
async def list_problems() -> Response:
    """List every kind of refusal."""
    items = [
        {
            "code": code,
            "type": f"/problems/{code}",
            "status": status_of(cls),
            "title": title_of(cls),
        }
        for code, cls in BY_CODE.items()
    ]
    return json_response({"items": items})


@router.get("/problems/{code}", tags=["service"], response_class=HTMLResponse)
async def explain_problem(code: str) -> Response:
    """Explain one kind of refusal."""
    if code in BY_CODE:
        cls = BY_CODE[code]
        text = inspect.getdoc(cls) or ""
        status = f"HTTP status {status_of(cls)}. "
    elif code in OF_EVALUATIONS:
        text, status = OF_EVALUATIONS[code], "The error of an evaluation that failed. "
    else:
        raise ResourceNotFound(f"There is no kind of problem {code[:80]!r}.")
    return _page(code, f"<p>{html.escape(text)}</p><p>{status}</p>")


OF_EVALUATIONS = {
    "time_limit_exceeded": "A part of the work ran longer than THETAHAT_TIME_LIMIT_S.",
    "memory_limit_exceeded": "A part of the work wanted more than THETAHAT_MEMORY_LIMIT_MB.",
    "worker_lost": "The worker process ended several times during the same part of the work.",
}


def _page(title: str, body: str) -> HTMLResponse:
    return HTMLResponse(PAGE.format(title=html.escape(title), body=body))
