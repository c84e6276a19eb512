"""The HTTP request that this thread or task answers: its id and its sender.

Both are context variables: the event loop keeps them apart between requests, and
``thetahat_service.api.blocking_calls`` passes them on to the threads that it uses.
"""

from __future__ import annotations

from contextvars import ContextVar
from enum import StrEnum
from typing import Final, NamedTuple
from uuid import UUID


class Scope(StrEnum):
    """The scope of an API key; ``submit`` includes ``read``, and ``admin`` everything."""

    READ = "read"
    SUBMIT = "submit"
    METRICS = "metrics"
    ADMIN = "admin"

    def includes(self, needed_scope: Scope) -> bool:
        """Return whether a key with this scope is allowed a request that needs the other scope."""
        return (
            self is needed_scope
            or self is Scope.ADMIN
            or (self is Scope.SUBMIT and needed_scope is Scope.READ)
        )


class Caller(NamedTuple):
    """The authenticated sender of a request."""

    owner_id: UUID
    """Whose data sets and evaluations the request may see."""
    actor: str
    """The beginning of the key, ``sub`` with the id of a person that has logged in at the log-in
    provider, or ``local`` for a request of this machine without a key."""
    scope: Scope
    """What the caller may do."""
    key_id: UUID | None = None
    """The key; None for a request without one."""


REQUEST_ID: Final[ContextVar[str | None]] = ContextVar("request_id", default=None)
CALLER: Final[ContextVar[Caller | None]] = ContextVar("caller", default=None)
