"""Logging in to the pages at a provider of identities (OpenID Connect).

The browser gets a secret in a cookie, of which state, nonce and the secret of PKCE are made. So an
answer of the provider is accepted by the browser alone that began, and no process has to remember
it.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from thetahat_service.api.blocking_calls import run_in_thread, write_database
from thetahat_service.api.forms import SEE_OTHER
from thetahat_service.api.page_responses import SESSION_COOKIE, set_cookie
from thetahat_service.api.routes.log_in import PROVIDER_PATH, build_log_in_page, keep_local_path
from thetahat_service.errors import ResourceNotFound
from thetahat_service.settings import OIDC_CALLBACK_PATH, get_settings
from thetahat_service.storage import sessions
from thetahat_service.storage.audit import Action
from thetahat_service.storage.unit_of_work import unit_of_work

if TYPE_CHECKING:
    from thetahat_service.identity.people import Person
    from thetahat_service.identity.provider import Attempt

log = logging.getLogger(__name__)
router = APIRouter(include_in_schema=False)

ATTEMPT_COOKIE: Final = "thetahat_log_in"
ATTEMPT_S: Final = 600
"""How long a person may take at the provider."""
LONGEST_PATH: Final = 1000
SHOWN: Final = 100
UNAVAILABLE: Final = 503
RETRY_AFTER_S: Final = 10
UNREACHABLE: Final = (
    "The log-in provider cannot be used at the moment. Try again, or log in with an API key."
)
OTHER_BROWSER: Final = (
    f"This log-in was begun by another browser, or more than {ATTEMPT_S // 60} minutes ago. "
    "Begin again."
)


@router.get(PROVIDER_PATH)
async def begin(request: Request) -> Response:
    """Send the browser to the provider."""
    _require_provider()
    from thetahat_service.identity.provider import ProviderUnreachable, get_provider  # noqa: PLC0415 - an extra

    wanted = keep_local_path(request.query_params.get("next", "/"))[:LONGEST_PATH]
    secret = secrets.token_urlsafe(32)
    try:
        url = await run_in_thread(get_provider().build_authorization_url, _derive(secret))
    except ProviderUnreachable as error:
        return _answer_unreachable(request, wanted, error)
    response = RedirectResponse(url, SEE_OTHER)
    response.headers["Cache-Control"] = "no-store"
    set_cookie(request, response, ATTEMPT_COOKIE, f"{secret}.{quote(wanted, safe='')}", ATTEMPT_S)
    return response


@router.get(OIDC_CALLBACK_PATH)
async def finish(request: Request) -> Response:
    """Begin a session for the person that the provider's answer is about."""
    _require_provider()
    from thetahat_service.identity.people import UnknownPerson, recognise  # noqa: PLC0415 - an extra
    from thetahat_service.identity.provider import LogInRefused, ProviderUnreachable, get_provider  # noqa: PLC0415 - likewise

    secret, _, path = request.cookies.get(ATTEMPT_COOKIE, "").partition(".")
    wanted, query = keep_local_path(unquote(path)), request.query_params
    attempt = _derive(secret)
    if not secret or not _is_equal(query.get("state", ""), attempt.state):
        return await _refuse(request, wanted, OTHER_BROWSER)
    if "error" in query:
        return await _refuse(request, wanted, _describe_error(query))
    try:
        claims = await run_in_thread(get_provider().identify, query.get("code", ""), attempt)
        person = recognise(claims, get_settings())
    except ProviderUnreachable as error:
        return _answer_unreachable(request, wanted, error)
    except (LogInRefused, UnknownPerson) as error:
        return await _refuse(request, wanted, str(error))
    lifetime = timedelta(hours=get_settings().session_hours)
    token = await write_database(_create_session, person, lifetime)
    response = RedirectResponse(wanted, SEE_OTHER)
    response.headers["Cache-Control"] = "no-store"
    set_cookie(request, response, SESSION_COOKIE, token, int(lifetime.total_seconds()))
    return _forget_attempt(response)


def _require_provider() -> None:
    if not get_settings().oidc_issuer:
        raise ResourceNotFound("This service has no log-in provider; log in with an API key.")


def _derive(secret: str) -> Attempt:
    """Return the values of an attempt; none of them tells another one or the secret."""
    from thetahat_service.identity.provider import Attempt  # noqa: PLC0415 - an extra

    state, nonce, verifier = (
        hmac.new(secret.encode(), name, hashlib.sha256).hexdigest()
        for name in (b"state", b"nonce", b"verifier")
    )
    return Attempt(state, nonce, verifier)


def _is_equal(sent: str, expected: str) -> bool:
    return hmac.compare_digest(sent.encode(), expected.encode())


def _describe_error(query: Mapping[str, Any]) -> str:
    """Return what the provider says instead of a code (RFC 6749, 4.1.2.1)."""
    if query["error"] == "access_denied":
        return "The log-in was cancelled, or the provider has denied it."
    return f"The provider has answered with the error {query['error'][:SHOWN]!r}."


async def _refuse(request: Request, wanted: str, reason: str) -> Response:
    """Write a failed log-in to the audit log, and answer it as late as a wrong key."""
    delay: Callable[[str, Action], Awaitable[None]] = request.scope["delay_wrong_key"]
    await delay(f"log-in provider: {reason}"[: sessions.LONGEST_SUBJECT], Action.REFUSE_LOG_IN)
    return _forget_attempt(build_log_in_page(request, wanted, provider_problem=reason))


def _answer_unreachable(request: Request, wanted: str, error: Exception) -> Response:
    log.warning("log_in.provider_unreachable", extra={"reason": str(error)})
    response = build_log_in_page(request, wanted, provider_problem=UNREACHABLE, status=UNAVAILABLE)
    response.headers["Retry-After"] = str(RETRY_AFTER_S)
    return _forget_attempt(response)


def _forget_attempt(response: Response) -> Response:
    response.delete_cookie(ATTEMPT_COOKIE, path="/")
    return response


def _create_session(person: Person, lifetime: timedelta) -> str:
    with unit_of_work() as connection:
        return sessions.create_for_person(
            connection,
            person.owner,
            get_settings().oidc_issuer,
            person.subject,
            person.actor,
            person.scope,
            lifetime,
        )
