"""The field by which an evaluation names its protocol."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from thetahat_service.schemas.base import Schema


class ProtocolField(Schema):
    """The plan that an evaluation follows."""

    protocol: UUID | None = Field(
        None,
        description="The id of a protocol, which has fixed the plan. The result says what is not "
        "as planned.",
    )
