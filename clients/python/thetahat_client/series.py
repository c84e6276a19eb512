"""Series and their looks, as the client returns them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from thetahat_client.documents import READ, Document


@dataclass(frozen=True, slots=True)
class Look(Document):
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


@dataclass(frozen=True, slots=True)
class Series(Document):
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
    latest: Look | None = field(metadata={READ: Look.read})
    """The newest look; None before the first batch and in lists."""
    plan: Mapping[str, Any] | None
    """When a decision is expected; None in lists, after a decision and if nothing is known."""
    sentence: str = field(default="", kw_only=True)
    """What is decided, and what the newest look has shown; empty in lists."""
    created_at: datetime | None
