"""The owner of a request.

While no API key was ever made, local requests belong to the local owner. From then on every
request needs a key, and belongs to the key's owner.
"""

from __future__ import annotations

import hmac
import time
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from starlette.datastructures import Headers
from starlette.types import Scope

from service.errors import NotAuthenticated
from service.settings import settings
from service.storage import api_keys
from service.storage.owners import LOCAL_OWNER_ID
from service.storage.unit_of_work import reading, unit_of_work

CACHE_S: Final = 3.0  # a revoked key works for this long at most
RECORD_USE_S: Final = 60.0  # pause between records of a key's use
MAX_CACHED: Final = 10_000


@dataclass(frozen=True, slots=True)
class _CachedOwner:
    owner_id: UUID
    until: float


@dataclass(eq=False)
class Authenticator:
    """Finds the owner of a request; what it reads from the database is cached for seconds."""

    _owners: dict[str, _CachedOwner] = field(default_factory=dict)
    _used: dict[UUID, float] = field(default_factory=dict)
    _no_keys_until: float = 0.0

    def authenticate(self, scope: Scope) -> UUID:
        """Return the owner, or raise ``NotAuthenticated``."""
        headers = Headers(scope=scope)
        key = _read_key(headers)
        if key is not None:
            return self._find_owner(key)
        if not self._has_no_keys():
            raise NotAuthenticated(
                "The request needs an API key in a header: Authorization: Bearer th_..."
            )
        require_local(scope, headers)
        return LOCAL_OWNER_ID

    def _has_no_keys(self) -> bool:
        """Return whether no key was ever made."""
        now = time.monotonic()
        if now < self._no_keys_until:
            return True
        with reading() as connection:
            has_keys = api_keys.exist(connection)
        self._no_keys_until = 0.0 if has_keys else now + CACHE_S
        return not has_keys

    def _find_owner(self, key: str) -> UUID:
        digest, now = api_keys.compute_digest(key), time.monotonic()
        cached = self._owners.get(digest)
        if cached is not None and now < cached.until:
            return cached.owner_id
        credential = None
        if api_keys.FORM.fullmatch(key):
            with reading() as connection:
                credential = api_keys.find(connection, key[: api_keys.PREFIX_LENGTH])
        if credential is None or not hmac.compare_digest(credential.digest, digest):
            self._owners.pop(digest, None)
            raise NotAuthenticated("The API key is not valid.")
        if len(self._owners) >= MAX_CACHED:
            self._owners.clear()
        self._owners[digest] = _CachedOwner(credential.owner_id, now + CACHE_S)
        self._record_use(credential.id, now)
        return credential.owner_id

    def _record_use(self, key_id: UUID, now: float) -> None:
        if now - self._used.get(key_id, -RECORD_USE_S) < RECORD_USE_S:
            return
        self._used[key_id] = now
        with unit_of_work() as connection:
            api_keys.record_use(connection, key_id)


def _read_key(headers: Headers) -> str | None:
    scheme, _, key = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return key.strip()
    return headers.get("x-api-key")


def require_local(scope: Scope, headers: Headers) -> None:
    """Refuse a request without a key unless it comes from this machine, and from no web page.

    A page of another site can make a browser send requests to loopback. The header ``Origin``
    shows it or, if the page has made its own host name resolve to loopback, the header ``Host``.
    """
    client = scope.get("client")
    is_local = (
        is_loopback(settings().host)
        and (client is None or is_loopback(client[0]))
        and is_loopback(urlsplit(f"//{headers.get('host', '')}").hostname or "localhost")
        and _is_local_origin(headers.get("origin"))
    )
    if not is_local:
        raise NotAuthenticated(
            "Without an API key only requests of this machine itself are answered. Make a key "
            "with `thetahat keys create NAME`."
        )


def _is_local_origin(origin: str | None) -> bool:
    return origin is None or is_loopback(urlsplit(origin).hostname or "unknown.origin")


@lru_cache(maxsize=1024)
def is_loopback(host: str) -> bool:
    """Return whether a host is this machine; a name without dots cannot be a site's."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return "." not in host or host.endswith(".localhost")
