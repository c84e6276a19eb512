"""Series and their looks, as the client returns them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from thetahat_client.models import copy_members
from thetahat_client.result_types import JsonObject

if TYPE_CHECKING:
    from thetahat_client.results import LookReadDict, SeriesListedDict, SeriesReadDict


@dataclass(frozen=True, slots=True)
class Look:
    """What the look after a batch has shown."""

    number: int
    """Number of the look, which is that of the batch, from 1."""
    rows: int
    estimate: float
    lower: float | None
    """Lower end of the interval, which holds for all looks together; None without one."""
    upper: float | None
    e_value: float | None
    p_value: float | None
    holds: tuple[str, ...]
    """Statements that the interval shows: ``better``, ``worse``, ``equivalent``, ..."""
    decision: str | None
    """The decision of the series at this look; None if it is undecided."""
    sentence: str
    at: datetime | None
    members: JsonObject = field(default_factory=dict, repr=False, compare=False)
    """The whole JSON object that the service sent."""

    @classmethod
    def read(cls, data: LookReadDict) -> Look:
        """Return the object that JSON describes."""
        return cls(
            number=data["number"],
            rows=data["rows"],
            estimate=data["estimate"],
            lower=data["lower"],
            upper=data["upper"],
            e_value=data["e_value"],
            p_value=data["p_value"],
            holds=tuple(data["holds"]),
            decision=data["decision"],
            sentence=data["sentence"],
            at=datetime.fromisoformat(data["at"]),
            members=copy_members(data),
        )


@dataclass(frozen=True, slots=True)
class Series:
    """Losses that arrive in batches, with what is fixed and what is shown so far."""

    id: str
    name: str | None
    status: str
    """``open`` or ``closed``."""
    models: tuple[str, ...]
    batches: int
    rows: int
    decision: str | None
    """The decision, which stays; None without one."""
    latest: Look | None
    """The newest look; None before the first batch and in lists."""
    plan: Mapping[str, Any] | None
    """When a decision is expected; None in lists, after a decision and if nothing is known."""
    sentence: str
    """What is decided, and what the newest look has shown; empty in lists."""
    created_at: datetime | None
    members: JsonObject = field(default_factory=dict, repr=False, compare=False)
    """The whole JSON object that the service sent."""

    @classmethod
    def read(cls, data: SeriesReadDict | SeriesListedDict) -> Series:
        """Return the object that JSON describes."""
        members = copy_members(data)
        latest: Any = members.get("latest")
        plan: Any = members.get("plan")
        return cls(
            id=data["id"],
            name=data["name"],
            status=data["status"],
            models=tuple(data["models"]),
            batches=data["batches"],
            rows=data["rows"],
            decision=data["decision"],
            latest=None if latest is None else Look.read(latest),
            plan=plan,
            sentence=str(members.get("sentence", "")),
            created_at=datetime.fromisoformat(data["created_at"]),
            members=members,
        )
