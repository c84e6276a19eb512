"""The state of the service in responses."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class Health(BaseModel):
    """The response of a process that answers requests."""

    status: Literal["ok"] = Field(description="Always ok.")
    version: str = Field(description="Release of the service.")


class ReadinessRead(BaseModel):
    """Whether a request would be accepted and evaluated now, by part of the service."""

    status: Literal["ready", "warming", "not ready"] = Field(
        description="The state of the service: `ready` if nothing is missing; `warming` while "
        "requests are accepted and every worker is still importing packages and loading compiled "
        "loops; else `not ready`."
    )
    missing: list[str] = Field(description="Names of the fields below that are false or 0.")
    database: bool = Field(description="Whether the database answers.")
    migrations: bool = Field(description="Whether the database tables are those of this release.")
    broker: bool = Field(description="Whether the broker answers.")
    store: bool = Field(
        description="Whether the file store is present, writable and has free space."
    )
    workers: int = Field(description="Worker processes with a recent heartbeat.")
    prepared_workers: int = Field(
        description="Workers among them that can compute at once: they have imported their "
        "packages and loaded their compiled loops, or have computed something already."
    )
