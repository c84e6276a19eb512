"""Signing a result: who decided what, and the digest of the result that was signed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

from thetahat_service.errors import FieldError, InvalidRequest, ResourceNotFound
from thetahat_service.jobs import read
from thetahat_service.states import SignOffDecision
from thetahat_service.storage import audit, evaluations, sign_offs
from thetahat_service.storage.audit import Action, Origin
from thetahat_service.storage.newest_first import Position, cut_page
from thetahat_service.storage.sign_offs import SignOffRow
from thetahat_service.storage.unit_of_work import reading, unit_of_work

STEP: Final = timedelta(microseconds=1)
REPEATED: Final = ("name", "owner", "actor", "decision", "comment", "result_sha256")
"""Fields that are the same in a sign-off that is sent twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A person's name, decision and comment about a result."""

    name: str
    """Who signs."""
    decision: SignOffDecision
    """What they decided."""
    comment: str = ""
    """Reasons and conditions; may be empty."""
    result_sha256: str | None = None
    """SHA-256 of the result that they have read; None if they do not name it."""


def compute_digest(result: str) -> str:
    """Return the SHA-256 of a result as it is recorded, and as ``GET .../result`` sends it."""
    return hashlib.sha256(result.encode()).hexdigest()


def sign_result(
    owner_id: UUID, evaluation_id: UUID, signature: Signature
) -> tuple[SignOffRow, bool]:
    """Add a sign-off, and return it and whether it is new.

    The same signature as the newest one, by the same key, is not added again: a request that is
    sent twice signs once.
    """
    recorded = compute_digest(read.get_result(owner_id, evaluation_id))
    if signature.result_sha256 not in {None, recorded}:
        error = FieldError(
            ("result_sha256",), f"is not that of the result, {recorded}", signature.result_sha256
        )
        raise InvalidRequest(
            f"result_sha256 is not that of the recorded result, which is {recorded}. Read the "
            "result again before you sign it.",
            (error,),
        )
    with unit_of_work() as connection:
        if evaluations.lock(connection, evaluation_id) is None:
            raise ResourceNotFound(f"There is no evaluation {evaluation_id}.")
        newest = sign_offs.get_newest(connection, evaluation_id)
        now = datetime.now(UTC)
        row = SignOffRow(
            id=uuid4(),
            evaluation_id=evaluation_id,
            at=now
            if newest is None
            else max(now, newest.at + STEP),  # later than the newest, even if a clock goes back
            name=signature.name,
            owner=sign_offs.get_owner_name(connection, owner_id),
            actor=Origin.read_current().actor,
            decision=signature.decision.value,
            comment=signature.comment,
            result_sha256=recorded,
        )
        if newest is not None and _is_same(newest, row):
            return newest, False
        sign_offs.ROWS.insert(connection, row)
        evaluations.change(connection, evaluation_id, {}, None)
        audit.add(connection, Action.SIGN_EVALUATION, evaluation_id, owner_id)
    return row, True


def list_sign_offs(
    owner_id: UUID, evaluation_id: UUID, before: Position | None, limit: int
) -> tuple[list[SignOffRow], Position | None]:
    """Return one page of an evaluation's sign-offs, newest first, and the position of its end."""
    read.get(owner_id, evaluation_id)
    with reading() as connection:
        rows = sign_offs.list_page(connection, evaluation_id, before, limit + 1)
    return cut_page(rows, limit, lambda row: (row.at, row.id))


def _is_same(first: SignOffRow, second: SignOffRow) -> bool:
    return all(getattr(first, name) == getattr(second, name) for name in REPEATED)
