"""Who asks: the local owner while no key was ever made, the key's owner from then on."""

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

REMEMBERED_S: Final = 3.0  # a revoked key works for this long at most
TOUCH_S: Final = 60.0  # how often the use of a key is noted
MOST_REMEMBERED: Final = 10_000


@dataclass(frozen=True, slots=True)
class _Known:
    owner_id: UUID
    until: float


@dataclass(eq=False)
class Authenticator:
    """Finds the owner of a request; what it read from the database it remembers for seconds."""

    _owners: dict[str, _Known] = field(default_factory=dict)
    _touched: dict[UUID, float] = field(default_factory=dict)
    _open_until: float = 0.0

    def owner_of(self, scope: Scope) -> UUID:
        """Return the owner, or raise ``NotAuthenticated``."""
        headers = Headers(scope=scope)
        key = _key_in(headers)
        if key is not None:
            return self._owner_of_key(key)
        if not self._is_open():
            raise NotAuthenticated("An API key is needed: Authorization: Bearer th_...")
        check_local(scope, headers)
        return LOCAL_OWNER_ID

    def _is_open(self) -> bool:
        """Say whether no key was ever made."""
        now = time.monotonic()
        if now < self._open_until:
            return True
        with reading() as connection:
            closed = api_keys.exist(connection)
        self._open_until = 0.0 if closed else now + REMEMBERED_S
        return not closed

    def _owner_of_key(self, key: str) -> UUID:
        digest, now = api_keys.digest_of(key), time.monotonic()
        known = self._owners.get(digest)
        if known is not None and now < known.until:
            return known.owner_id
        credential = None
        if api_keys.FORM.fullmatch(key):
            with reading() as connection:
                credential = api_keys.find(connection, key[: api_keys.PREFIX_LENGTH])
        if credential is None or not hmac.compare_digest(credential.digest, digest):
            self._owners.pop(digest, None)
            raise NotAuthenticated("The API key is not valid.")
        if len(self._owners) >= MOST_REMEMBERED:
            self._owners.clear()
        self._owners[digest] = _Known(credential.owner_id, now + REMEMBERED_S)
        self._touch(credential.id, now)
        return credential.owner_id

    def _touch(self, key_id: UUID, now: float) -> None:
        if now - self._touched.get(key_id, -TOUCH_S) < TOUCH_S:
            return
        self._touched[key_id] = now
        with unit_of_work() as connection:
            api_keys.touch(connection, key_id)


def _key_in(headers: Headers) -> str | None:
    scheme, _, key = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return key.strip()
    return headers.get("x-api-key")


def check_local(scope: Scope, headers: Headers) -> None:
    """Refuse a request without a key that does not come from this machine, or is a web page's.

    A page of a foreign site can make a browser send requests to loopback. It gives itself away by
    its origin, or, where it made its own name point to loopback, by that name in ``Host``.
    """
    client = scope.get("client")
    near = (
        is_loopback(settings().host)
        and (client is None or is_loopback(client[0]))
        and is_loopback(urlsplit(f"//{headers.get('host', '')}").hostname or "localhost")
        and _is_own_page(headers.get("origin"))
    )
    if not near:
        raise NotAuthenticated(
            "Without an API key only this machine itself is served; make one: thetahat keys create"
        )


def _is_own_page(origin: str | None) -> bool:
    return origin is None or is_loopback(urlsplit(origin).hostname or "foreign.page")


@lru_cache(maxsize=1024)
def is_loopback(host: str) -> bool:
    """Say whether a host is this machine; a bare name without dots cannot be a site's."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return "." not in host or host.endswith(".localhost")
