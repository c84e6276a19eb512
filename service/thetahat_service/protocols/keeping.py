"""Creating, withdrawing and deleting protocols; another owner's count as missing."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

import orjson
import sqlalchemy as sa

from thetahat_service.errors import ProtocolInUse
from thetahat_service.protocols.request import ProtocolRequest
from thetahat_service.settings import get_settings
from thetahat_service.storage import audit, protocols
from thetahat_service.storage.audit import Action
from thetahat_service.storage.protocols import ProtocolRow
from thetahat_service.storage.unit_of_work import unit_of_work


def create(
    owner_id: UUID, request: ProtocolRequest, key: str | None, fingerprint: str
) -> tuple[ProtocolRow, bool]:
    """Store a protocol; return it, and whether it is new.

    For the key and fingerprint of an earlier request, its protocol is returned. Raises the errors
    of the request, ``IdempotencyMismatch``, ``IdempotencyRace`` and ``QuotaExceeded``.
    """
    earlier = protocols.ROWS.find_earlier(owner_id, key, fingerprint)
    if earlier is not None:
        return earlier, False
    request.check()
    fixed = orjson.dumps(request.fix()).decode()

    def store(connection: sa.Connection) -> ProtocolRow:
        most = get_settings().max_protocols
        protocols.ROWS.check_quota(connection, owner_id, most, "THETAHAT_MAX_PROTOCOLS")
        row = ProtocolRow(
            id=uuid4(),
            owner_id=owner_id,
            name=request.name,
            request=fixed,
            evaluations=0,
            series=0,
            key=key,
            fingerprint=fingerprint,
            created_at=protocols.read_time(connection, owner_id),
            withdrawn_at=None,
            withdrawn_reason=None,
        )
        protocols.ROWS.insert(connection, row)
        audit.add(connection, Action.CREATE_PROTOCOL, row.id, owner_id)
        return row

    return protocols.ROWS.create_once(owner_id, key, fingerprint, store)


def withdraw(owner_id: UUID, protocol_id: UUID, reason: str) -> ProtocolRow:
    """Record that a protocol is withdrawn, and why; one that is withdrawn is not changed."""
    with unit_of_work() as connection:
        row = protocols.ROWS.lock(connection, owner_id, protocol_id)
        if row.withdrawn_at is None:
            withdrawn = {"withdrawn_at": datetime.now(UTC), "withdrawn_reason": reason}
            protocols.ROWS.update(connection, protocol_id, **withdrawn)
            audit.add(connection, Action.WITHDRAW_PROTOCOL, protocol_id, owner_id)
    return protocols.ROWS.fetch(owner_id, protocol_id)


def delete(owner_id: UUID, protocol_id: UUID) -> None:
    """Delete a protocol; ``ProtocolInUse`` if an evaluation or a series names it."""
    with unit_of_work() as connection:
        protocols.ROWS.lock(connection, owner_id, protocol_id)
        if not protocols.delete_unnamed(connection, protocol_id):
            raise ProtocolInUse(
                f"Protocol {protocol_id} is named by an evaluation or a series, whose plan it is. "
                "Delete these first, or withdraw the protocol."
            )
        audit.add(connection, Action.DELETE_PROTOCOL, protocol_id, owner_id)


def delete_expired(protocol_id: UUID) -> bool:
    """Delete a withdrawn protocol that nothing names; False if it is gone or named now."""
    with unit_of_work() as connection:
        owner_id = protocols.lock_some(connection, [protocol_id]).get(protocol_id)
        if owner_id is None or not protocols.delete_unnamed(connection, protocol_id):
            return False
        audit.add(connection, Action.DELETE_PROTOCOL, protocol_id, owner_id, audit.BY_SERVICE)
    return True
