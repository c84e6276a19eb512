"""Types of the parameters that routes take from a request: its owner, and the ids in its path."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import Depends, Request
from pydantic import BeforeValidator, WithJsonSchema

from thetahat_service.api.documents import parse_id

_AS_TEXT: Final = WithJsonSchema({"type": "string"})
"""An id that is not valid is not found: that is the answer of the route, and no rule of OpenAPI."""


async def find_owner(request: Request) -> UUID:
    """Return the owner whose data a request is about."""
    owner_id: UUID = request.scope["owner_id"]
    return owner_id


def _read(resource: str) -> BeforeValidator:
    """Return what makes an id of the text in a path, or raises ``ResourceNotFound``."""
    read: Callable[[Any], UUID] = partial(parse_id, resource=resource)
    return BeforeValidator(read)


OwnerId = Annotated[UUID, Depends(find_owner)]
DatasetId = Annotated[UUID, _read("data set"), _AS_TEXT]
DeliveryId = Annotated[UUID, _read("delivery"), _AS_TEXT]
EvaluationId = Annotated[UUID, _read("evaluation"), _AS_TEXT]
LadderId = Annotated[UUID, _read("Ladder"), _AS_TEXT]
ProtocolId = Annotated[UUID, _read("protocol"), _AS_TEXT]
SeriesId = Annotated[UUID, _read("series"), _AS_TEXT]
WebhookId = Annotated[UUID, _read("webhook"), _AS_TEXT]
