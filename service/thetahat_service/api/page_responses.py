"""Responses that are pages: their headers, their forms' tokens, and which requests get a page."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.types import Scope as ConnectionScope

from thetahat_service.api.media_types import choose_media_type
from thetahat_service.errors import NotAcceptable
from thetahat_service.pages.rendering import render
from thetahat_service.pages.viewer import Viewer
from thetahat_service.process.request_context import Caller, Scope

PAGE_PATHS: Final = (
    "/evaluations",
    "/compare",
    "/leaderboard",
    "/series",
    "/protocols",
    "/ladders",
    "/advice",
    "/data-sets",
    "/methods",
    "/studies",
)
"""Beginnings of the paths of pages that only an authenticated sender may see."""
LOG_IN_PATH: Final = "/log-in"
LOG_OUT_PATH: Final = "/log-out"
OTHER_PATHS: Final = (
    "/v1",
    "/metrics",
    "/healthz",
    "/readyz",
    "/openapi.json",
    "/docs",
    "/problems",
    "/static",
)
"""Beginnings of the paths whose errors are problem documents whatever the client accepts."""
FORM_COOKIE: Final = "thetahat_form"
SESSION_COOKIE: Final = "thetahat_session"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


def is_page_path(path: str) -> bool:
    """Return whether a path belongs to a page that only an authenticated sender may see."""
    return path == LOG_OUT_PATH or any(
        path == start or path.startswith(f"{start}/") for start in PAGE_PATHS
    )


def wants_html(scope: ConnectionScope) -> bool:
    """Return whether a client prefers HTML to JSON, as browsers do."""
    accept = next((value for name, value in scope["headers"] if name == b"accept"), b"*/*")
    try:
        chosen = choose_media_type(accept.decode("latin-1"), ("application/json", "text/html"))
    except NotAcceptable:
        return False
    return chosen == "text/html"


def needs_page_error(scope: ConnectionScope) -> bool:
    """Return whether an error is shown as a page and not as a problem document."""
    return not scope["path"].startswith(OTHER_PATHS) and wants_html(scope)


def build_page_response(
    request: Request, template: str, status: int = 200, **context: Any
) -> HTMLResponse:
    """Return a page; its forms get a token, which belongs to a cookie of the browser."""
    session = request.scope.get("session_token")
    secret = session or request.cookies.get(FORM_COOKIE)
    is_new = secret is None
    if secret is None:
        secret = secrets.token_urlsafe(24)
    viewer = build_viewer(request, compute_form_token(secret))
    response = HTMLResponse(render(template, viewer=viewer, **context), status)
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Cache-Control"] = "no-store"
    # With no-referrer, browsers send our own forms with "Origin: null", which is refused.
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["Vary"] = "Accept, Authorization, Cookie"
    if is_new:
        set_cookie(request, response, FORM_COOKIE, secret, None)
    return response


def build_viewer(request: Request, form_token: str) -> Viewer:
    """Return who looks at a page."""
    caller: Caller | None = request.scope.get("caller")
    path = request.url.path
    if caller is None:
        return Viewer(form_token=form_token, path=path)
    return Viewer(
        is_known=True,
        actor=caller.actor,
        has_key=caller.key_id is not None,
        scope=caller.scope.value,
        can_submit=caller.scope.includes(Scope.SUBMIT),
        can_log_out=request.scope.get("session_token") is not None,
        form_token=form_token,
        path=path,
    )


def compute_form_token(secret: str) -> str:
    """Return the token of forms that belongs to the secret in a cookie."""
    return hmac.new(secret.encode(), b"form", hashlib.sha256).hexdigest()


def is_form_token(request: Request, token: str) -> bool:
    """Return whether a form was sent by a page that this browser got from us."""
    secret = request.scope.get("session_token") or request.cookies.get(FORM_COOKIE)
    if secret is None:
        return False
    return hmac.compare_digest(compute_form_token(secret).encode(), token.encode())


def set_cookie(
    request: Request, response: HTMLResponse | Any, name: str, value: str, max_age: int | None
) -> None:
    """Set a cookie that scripts cannot read and that other sites' forms do not send."""
    response.set_cookie(
        name,
        value,
        max_age=max_age,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
        path="/",
    )
