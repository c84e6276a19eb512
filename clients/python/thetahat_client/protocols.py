"""Protocols, as the client returns them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from thetahat_client.models import copy_members
from thetahat_client.result_types import JsonObject

if TYPE_CHECKING:
    from thetahat_client.results import JsonValue, ProtocolReadDict


@dataclass(frozen=True, slots=True)
class Protocol:
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
    members: JsonObject = field(default_factory=dict, repr=False, compare=False)
    """The whole JSON object that the service sent."""

    @classmethod
    def read(cls, data: ProtocolReadDict) -> Protocol:
        """Return the object that JSON describes."""
        withdrawn_at = data["withdrawn_at"]
        return cls(
            id=data["id"],
            name=data["name"],
            fixed=data["fixed"],
            fixed_at=datetime.fromisoformat(data["fixed_at"]),
            evaluations=data["evaluations"],
            series=data["series"],
            withdrawn_at=None if withdrawn_at is None else datetime.fromisoformat(withdrawn_at),
            withdrawn_reason=data["withdrawn_reason"],
            sentence=data["sentence"],
            members=copy_members(data),
        )
