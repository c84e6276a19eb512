"""Protocols, as the client returns them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from thetahat_client.documents import Document

if TYPE_CHECKING:
    from thetahat_client.results import JsonValue


@dataclass(frozen=True, slots=True)
class Protocol(Document):
    """A plan that was fixed before the data."""

    id: str
    name: str | None
    fixed: Mapping[str, JsonValue]
    """What is fixed, by the fields of the request."""
    fixed_at: datetime
    """When it was made, by the clock of the service's database."""
    evaluations: int
    """Evaluations that have named it, with those that were deleted."""
    series: int
    """Series that have named it, with those that were deleted."""
    withdrawn_at: datetime | None
    """When it was withdrawn; None while it is in force."""
    withdrawn_reason: str | None
    sentence: str
    """When it was fixed, what names it, and its withdrawal."""
