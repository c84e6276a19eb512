"""Logging in to the pages with an API key, and out of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from thetahat_service.api.auth import Authenticator
from thetahat_service.api.blocking_calls import read_database, write_database
from thetahat_service.api.forms import SEE_OTHER, read_form
from thetahat_service.api.page_responses import SESSION_COOKIE, build_page_response, set_cookie
from thetahat_service.errors import NotAuthenticated
from thetahat_service.process.request_context import Caller, Scope
from thetahat_service.settings import get_settings
from thetahat_service.storage import sessions
from thetahat_service.storage.audit import Action
from thetahat_service.storage.unit_of_work import unit_of_work

router = APIRouter(include_in_schema=False)

PROVIDER_PATH: Final = "/log-in/provider"
WRONG_KEY: Final = "This key is not valid: it is unknown, revoked or expired."
NO_READER: Final = "This key is for /metrics alone and cannot open pages."


@router.get("/log-in")
async def show_log_in(request: Request) -> Response:
    """Return the page that asks for a key."""
    return build_log_in_page(request, request.query_params.get("next", "/"))


@router.post("/log-in")
async def log_in(request: Request) -> Response:
    """Begin a session, and go on to the page that was wanted; a wrong key is answered late."""
    form = await read_form(request)
    next_path = form.get("next", ["/"])[-1]
    authenticator: Authenticator = request.scope["authenticator"]
    delay: Callable[[str, Action], Awaitable[None]] = request.scope["delay_wrong_key"]
    key = form.get("key", [""])[-1].strip()
    try:
        caller = await read_database(authenticator.find_key_caller, key)
    except NotAuthenticated as error:
        await delay(error.wrong_key or "no key", Action.REFUSE_LOG_IN)
        return build_log_in_page(request, next_path, WRONG_KEY)
    if not caller.scope.includes(Scope.READ):
        return build_log_in_page(request, next_path, NO_READER)
    lifetime = timedelta(hours=get_settings().session_hours)
    token = await write_database(_create_session, caller, lifetime)
    response = RedirectResponse(keep_local_path(next_path), SEE_OTHER)
    set_cookie(request, response, SESSION_COOKIE, token, int(lifetime.total_seconds()))
    return response


@router.post("/log-out")
async def log_out(request: Request) -> Response:
    """End the session."""
    await read_form(request)
    token: str | None = request.scope.get("session_token")
    if token is not None:
        caller: Caller = request.scope["caller"]
        await write_database(_end_session, token, caller)
        request.scope["authenticator"].forget_session(token)
    response = RedirectResponse("/log-in", SEE_OTHER)
    response.delete_cookie(SESSION_COOKIE, path="/")
    return response


def build_log_in_page(
    request: Request,
    next_path: str,
    problem: str = "",
    *,
    provider_problem: str = "",
    status: int | None = None,
) -> Response:
    """Return the page that asks for a key, or sends to the log-in provider if there is one.

    ``problem`` and ``provider_problem`` say why the last attempt with a key, or at the provider,
    failed. The status is 401 after a failed attempt, else 200, unless it is given.
    """
    wanted = keep_local_path(next_path)
    issuer = get_settings().oidc_issuer
    return build_page_response(
        request,
        "log_in.html",
        status or (401 if problem or provider_problem else 200),
        wanted=wanted,
        problem=problem,
        provider_problem=provider_problem,
        provider=urlsplit(issuer).hostname if issuer else None,
        provider_path=f"{PROVIDER_PATH}?{urlencode({'next': wanted})}",
    )


def keep_local_path(path: str) -> str:
    """Return a path of this service; the list of evaluations for anything else."""
    is_local = path.startswith("/") and not path.startswith(("//", "/\\")) and "\n" not in path
    return path if is_local and path.isprintable() else "/"


def _create_session(caller: Caller, lifetime: timedelta) -> str:
    assert isinstance(caller.key_id, UUID)  # noqa: S101 - a caller with a key has one
    with unit_of_work() as connection:
        return sessions.create(connection, caller.key_id, caller.owner_id, caller.actor, lifetime)


def _end_session(token: str, caller: Caller) -> None:
    with unit_of_work() as connection:
        sessions.end(connection, token, caller.owner_id, caller.actor)
