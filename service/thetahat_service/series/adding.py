"""Adding a batch to a series: counted once, in an order that the database decides.

The new state is computed outside of any transaction from the state that was read, and is stored
only if the series still has as many batches. Otherwise another batch was first, and the step is
done again from the new state; after some attempts, with the series locked.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

import orjson
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from thetahat.analyses.series.batches import Batch
from thetahat.analyses.series.steps import SeriesState, add_batch
from thetahat.values.json_values import to_json
from thetahat_service.errors import (
    IdempotencyMismatch,
    IdempotencyRace,
    QuotaExceeded,
    SeriesClosed,
)
from thetahat_service.protocols.outcome import tell
from thetahat_service.protocols.series_plans import describe_following
from thetahat_service.series.keeping import read_design
from thetahat_service.settings import get_settings
from thetahat_service.states import SeriesStatus
from thetahat_service.storage import audit, series, webhooks
from thetahat_service.storage.audit import Action
from thetahat_service.storage.series import LookRow, SeriesRow
from thetahat_service.storage.unit_of_work import reading, unit_of_work

UNLOCKED_ATTEMPTS: Final = 3
MOST_ATTEMPTS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class SentBatch:
    """A batch as it was sent."""

    batch: Batch
    """Its losses."""
    at: datetime | None
    """The time that the client gave it."""
    key: str
    """Its Idempotency-Key."""
    fingerprint: str
    """Digest of the request's body."""


def add(owner_id: UUID, series_id: UUID, sent: SentBatch) -> tuple[LookRow, bool]:
    """Add a batch and look once; return the look, and whether it is new.

    For the key and fingerprint of an earlier batch of the series, its look is returned. Raises
    ``IdempotencyMismatch``, ``SeriesClosed``, ``QuotaExceeded`` and the errors of the library.
    """
    for _ in range(UNLOCKED_ATTEMPTS):
        with reading() as connection:
            row = series.ROWS.get(connection, owner_id, series_id)
            earlier = series.find_look(connection, series_id, sent.key)
        found = _check(row, earlier, series_id, sent)
        if isinstance(found, LookRow):
            return found, False
        step = _Step(found, sent)
        # the same key at the same time: the next attempt finds its look
        with suppress(IntegrityError), unit_of_work() as connection:
            if step.store(connection):
                return step.look, True
    for _ in range(MOST_ATTEMPTS - UNLOCKED_ATTEMPTS):
        with suppress(IntegrityError), unit_of_work() as connection:
            row = series.ROWS.lock(connection, owner_id, series_id)
            earlier = series.find_look(connection, series_id, sent.key)
            found = _check(row, earlier, series_id, sent)
            if isinstance(found, LookRow):
                return found, False
            step = _Step(found, sent)
            if step.store(connection):
                return step.look, True
    raise IdempotencyRace(
        f"Another request with the Idempotency-Key {sent.key!r} has not been answered yet.",
        retry_after=1,
    )


def _check(
    row: SeriesRow, earlier: LookRow | None, series_id: UUID, sent: SentBatch
) -> SeriesRow | LookRow:
    """Return the series to add to, or the look of a batch that was added before."""
    if earlier is not None:
        if earlier.fingerprint != sent.fingerprint:
            raise IdempotencyMismatch(
                f"The Idempotency-Key {sent.key!r} was used with another batch of this series."
            )
        return earlier
    if row.status != SeriesStatus.OPEN:
        raise SeriesClosed(f"Series {series_id} is closed and takes no more batches.")
    design = read_design(row.request)
    if design.method.is_over(row.state["method"]):
        raise SeriesClosed(
            f"The last planned look of series {series_id} was made, so it takes no more batches."
        )
    most = get_settings().max_series_batches
    if row.batches >= most:
        raise QuotaExceeded(
            f"The series has {most} batches, which is the limit (THETAHAT_MAX_SERIES_BATCHES). "
            "Send more rows in a batch, in a new series."
        )
    return row


class _Step:
    """The state and the look after one more batch, computed and not yet stored."""

    def __init__(self, row: SeriesRow, sent: SentBatch) -> None:
        self._row = row
        self._state, look = add_batch(
            read_design(row.request), SeriesState.from_json(row.state), sent.batch
        )
        now = datetime.now(UTC)
        self.look = LookRow(
            series_id=row.id,
            number=look.number,
            key=sent.key,
            fingerprint=sent.fingerprint,
            at=sent.at or now,
            received_at=now,
            body=orjson.dumps(to_json(look)).decode(),
        )

    def store(self, connection: sa.Connection) -> bool:
        """Store both; False if another batch was added first."""
        row, state, now = self._row, self._state, self.look.received_at
        is_decision = row.decision is None and state.decision is not None
        values = {"state": state.to_json(), "last_batch_at": now}
        if is_decision:
            values |= {"decision": state.decision, "decided_at": now}
        if not series.advance(connection, row.id, row.batches, values):
            return False
        series.insert_look(connection, self.look)
        audit.add(connection, Action.ADD_TO_SERIES, row.id, row.owner_id)
        if is_decision:
            webhooks.add_series_deliveries(connection, row.owner_id, self._describe(), now)
        return True

    def _describe(self) -> dict[str, object]:
        """Return what webhooks are told of a decision."""
        row, path = self._row, f"/v1/series/{self._row.id}"
        look = orjson.loads(self.look.body)
        return {
            "id": row.id,
            "name": row.name,
            "labels": dict(row.labels),
            "created_at": row.created_at,
            "decision": self._state.decision,
            "decided_at": self.look.received_at,
            "look": {name: look[name] for name in ("number", "rows", "estimate", "lower", "upper")},
            "sentence": look["sentence"],
            "protocol": tell(describe_following(row.protocol, self._state.rows)),
            "links": {"self": path, "looks": f"{path}/looks"},
        }
