"""Authenticating the sender of a request, and checking the scope of its API key.

Until the first API key is made, local requests belong to the local owner. From then on every
request needs a key, and belongs to the key's owner. The scope of a key says whether it may only
read, or submit and delete too, or manage keys.
"""

from __future__ import annotations

import hmac
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from sqlalchemy.exc import OperationalError
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Scope as ConnectionScope

from thetahat_service.api.page_responses import LOG_OUT_PATH, SESSION_COOKIE, is_page_path
from thetahat_service.errors import Forbidden, NotAuthenticated
from thetahat_service.process.request_context import Caller, Scope
from thetahat_service.settings import get_settings
from thetahat_service.storage import api_keys, sessions
from thetahat_service.storage.api_keys import Credential
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.unit_of_work import reading, unit_of_work

LOCAL_ACTOR: Final = "local"
CACHE_S: Final = 3.0  # a revoked key works for this long at most
RECORD_USE_S: Final = 60.0  # pause between records of a key's use
MAX_CACHED: Final = 10_000
OWN_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "::1"})
WEB: Final = ("http://", "https://")


READING_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
METRICS_PATH: Final = "/metrics"
ADMIN_PATHS: Final = ("/v1/keys", "/v1/audit")


def find_needed_scope(method: str, path: str) -> Scope:
    """Return the scope that a request needs."""
    if path == METRICS_PATH:
        return Scope.METRICS
    if path.startswith(ADMIN_PATHS):
        return Scope.ADMIN
    if path == LOG_OUT_PATH:
        return Scope.READ
    return Scope.READ if method in READING_METHODS else Scope.SUBMIT


@dataclass(eq=False)
class Authenticator:
    """Finds the sender of a request; what it reads from the database is cached for seconds."""

    _callers: dict[str, tuple[Caller, float]] = field(default_factory=dict)
    """By digest of the key or session, with the time until which they are used."""
    _used: dict[UUID, float] = field(default_factory=dict)
    _no_keys_until: float = 0.0

    def authenticate(self, scope: ConnectionScope) -> Caller:
        """Return the sender; ``NotAuthenticated`` without a key in force, or ``Forbidden``."""
        caller = self._find_caller(scope)
        needed_scope = find_needed_scope(scope["method"], scope["path"])
        if not caller.scope.includes(needed_scope):
            raise Forbidden(
                f"The API key {caller.actor} has the scope {caller.scope.value}, and this request "
                f"needs {needed_scope.value}."
            )
        return caller

    def _find_caller(self, scope: ConnectionScope) -> Caller:
        """Return the sender by key or session, or ``local`` as long as there is no key."""
        headers = Headers(scope=scope)
        key = _read_key(headers)
        if key is not None:
            return self.find_key_caller(key)
        token = _read_session_token(scope, headers)
        if token is not None:
            caller = self._find_session_caller(token)
            if caller is not None:
                scope["session_token"] = token
                return caller
        if not self._has_no_keys():
            raise NotAuthenticated(
                "The request needs an API key in a header (Authorization: Bearer th_...), or a "
                "session of a browser that has logged in at /log-in."
            )
        require_local(scope, headers)
        return Caller(LOCAL_OWNER_ID, LOCAL_ACTOR, Scope.ADMIN)

    def _has_no_keys(self) -> bool:
        """Return whether no key was ever made, and nobody can log in without one."""
        if get_settings().oidc_issuer:
            return False
        now = time.monotonic()
        if now < self._no_keys_until:
            return True
        with reading() as connection:
            has_keys = api_keys.exist(connection)
        self._no_keys_until = 0.0 if has_keys else now + CACHE_S
        return not has_keys

    def _find_session_caller(self, token: str) -> Caller | None:
        """Return whom a session belongs to; None if it has ended."""
        digest = sessions.compute_digest(token)
        if cached := self._find_cached(digest):
            return cached
        with reading() as connection:
            credential = sessions.find(connection, token, get_settings().oidc_issuer)
        if credential is None:
            self._callers.pop(digest, None)
            return None
        return self._remember(digest, credential)

    def forget_session(self, token: str) -> None:
        """Forget a session that has ended, so that this process refuses it at once."""
        self._callers.pop(sessions.compute_digest(token), None)

    def find_key_caller(self, key: str) -> Caller:
        """Return whom a key belongs to; ``NotAuthenticated`` if it is not in force."""
        digest = api_keys.compute_digest(key)
        if cached := self._find_cached(digest):
            return cached
        credential = None
        if api_keys.FORM.fullmatch(key):
            with reading() as connection:
                credential = api_keys.find(connection, key[: api_keys.PREFIX_LENGTH])
        if credential is None or not hmac.compare_digest(credential.digest, digest):
            self._callers.pop(digest, None)
            raise NotAuthenticated(
                "The API key is not valid: it is unknown, revoked or expired.",
                wrong_key=api_keys.describe_wrong_key(key),
            )
        return self._remember(digest, credential)

    def _find_cached(self, digest: str) -> Caller | None:
        """Return the caller of a key or a session that was read some seconds ago."""
        caller, until = self._callers.get(digest, (None, 0.0))
        return caller if time.monotonic() < until else None

    def _remember(self, digest: str, credential: Credential) -> Caller:
        """Cache and return the caller of a credential, and record that its key was used."""
        now = time.monotonic()
        if len(self._callers) >= MAX_CACHED:
            self._callers.clear()
        caller = Caller(credential.owner_id, credential.prefix, credential.scope, credential.id)
        self._callers[digest] = (caller, now + CACHE_S)
        if credential.id is not None:
            self._record_use(credential.id, now)
        return caller

    def _record_use(self, key_id: UUID, now: float) -> None:
        if now - self._used.get(key_id, -RECORD_USE_S) < RECORD_USE_S:
            return
        self._used[key_id] = now
        with suppress(OperationalError), unit_of_work(no_wait=True) as connection:
            api_keys.record_use(connection, key_id)


def _read_key(headers: Headers) -> str | None:
    scheme, _, key = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return key.strip()
    return headers.get("x-api-key")


def _read_session_token(scope: ConnectionScope, headers: Headers) -> str | None:
    """Return the token of a browser's session.

    Outside of the pages it counts only for requests that read: every form of a page has a token
    against forms of other sites, and a request to ``/v1/`` has none.
    """
    if not is_page_path(scope["path"]) and scope["method"] not in READING_METHODS:
        return None
    return cookie_parser(headers.get("cookie", "")).get(SESSION_COOKIE)


def require_local(scope: ConnectionScope, headers: Headers) -> None:
    """Refuse a request without a key unless it comes from this machine, and from no web page.

    A page of another site can make a browser send requests to loopback. The header ``Origin``
    shows it or, if the page has made its own host name resolve to loopback, the header ``Host``.
    """
    client = scope.get("client")
    host, origin = headers.get("host", ""), headers.get("origin")
    is_local = (
        is_loopback(get_settings().host)
        and (client is None or is_loopback(client[0]))
        and _is_own_host(f"//{host}")
        and (origin is None or _is_own_origin(origin, host, scope["method"]))
    )
    if not is_local:
        raise NotAuthenticated(
            "Without an API key only requests of this machine itself are answered. Make a key "
            "with `thetahat keys create NAME`."
        )


def _is_own_origin(origin: str, host: str, method: str) -> bool:
    """Return whether a page may have sent a request: one of this machine to read, else our own."""
    if method not in READING_METHODS:
        return origin.lower() in {f"http://{host.lower()}", f"https://{host.lower()}"}
    return origin.startswith(WEB) and _is_own_host(origin)


def _is_own_host(url: str) -> bool:
    """Return whether the host of a URL is a name of this machine; none at all counts as one."""
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return False
    return host in {None, *OWN_HOSTS, get_settings().host}


@lru_cache(maxsize=1024)
def is_loopback(host: str) -> bool:
    """Return whether an address is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
