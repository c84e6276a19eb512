"""Creating, reading, closing and deleting series; another owner's count as missing."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from uuid import UUID, uuid4

import orjson
import sqlalchemy as sa

from thetahat.analyses.series.design import SeriesDesign
from thetahat.analyses.series.steps import begin_series
from thetahat_service.protocols import series_plans
from thetahat_service.series.request import SeriesRequest
from thetahat_service.settings import get_settings
from thetahat_service.states import SeriesStatus
from thetahat_service.storage import audit, series
from thetahat_service.storage.audit import Action
from thetahat_service.storage.newest_first import Position
from thetahat_service.storage.series import LookRow, SeriesRow
from thetahat_service.storage.tables import SERIES
from thetahat_service.storage.unit_of_work import reading, unit_of_work


@lru_cache(maxsize=256)
def read_design(request: str) -> SeriesDesign:
    """Return the design of a stored request."""
    return SeriesRequest.model_validate_json(request).build_design()


def create(
    owner_id: UUID, request: SeriesRequest, key: str | None, fingerprint: str
) -> tuple[SeriesRow, bool]:
    """Store a series; return it, and whether it is new.

    For the key and fingerprint of an earlier request, its series is returned. Raises the errors of
    the design, ``IdempotencyMismatch``, ``IdempotencyRace`` and ``QuotaExceeded``.
    """
    earlier = series.ROWS.find_earlier(owner_id, key, fingerprint)
    if earlier is not None:
        return earlier, False
    design = request.build_design()
    fixed = request.fix(design)

    def store(connection: sa.Connection) -> SeriesRow:
        most = get_settings().max_series
        series.ROWS.check_quota(connection, owner_id, most, "THETAHAT_MAX_SERIES")
        row = SeriesRow(
            id=uuid4(),
            owner_id=owner_id,
            name=request.name,
            labels=request.labels,
            request=orjson.dumps(fixed).decode(),
            status=SeriesStatus.OPEN.value,
            batches=0,
            state=begin_series(design).to_json(),
            decision=None,
            decided_at=None,
            key=key,
            fingerprint=fingerprint,
            created_at=datetime.now(UTC),
            last_batch_at=None,
            closed_at=None,
            protocol_id=request.protocol,
            protocol=None
            if request.protocol is None
            else series_plans.admit(connection, owner_id, request.protocol, fixed),
        )
        series.ROWS.insert(connection, row)
        audit.add(connection, Action.CREATE_SERIES, row.id, owner_id)
        return row

    return series.ROWS.create_once(owner_id, key, fingerprint, store)


def get_with_latest(owner_id: UUID, series_id: UUID) -> tuple[SeriesRow, LookRow | None]:
    """Return an owner's series and its newest look."""
    with reading() as connection:
        row = series.ROWS.get(connection, owner_id, series_id)
        # the look that belongs to the state, even if another one is added meanwhile
        looks = series.list_looks(connection, series_id, row.batches + 1, 1)
    return row, looks[0] if looks else None


def list_series(
    owner_id: UUID, status: str | None, before: Position | None, limit: int
) -> tuple[list[SeriesRow], Position | None]:
    """Return one page of an owner's list, newest first, and the position of its end."""
    conditions = [] if status is None else [SERIES.c.status == status]
    return series.ROWS.list_page(owner_id, before, limit, *conditions)


def list_looks(
    owner_id: UUID, series_id: UUID, before: int | None, limit: int
) -> tuple[list[LookRow], int | None]:
    """Return one page of a series' looks, newest first, and the number of its last one."""
    series.ROWS.fetch(owner_id, series_id)
    with reading() as connection:
        rows = series.list_looks(connection, series_id, before, limit + 1)
    return rows[:limit], rows[limit - 1].number if len(rows) > limit else None


def list_drawn_looks(row: SeriesRow, most: int) -> list[LookRow]:
    """Return the looks of a figure: all, or of more than ``most`` evenly spread ones."""
    step = max(1, -(-row.batches // most))
    decided_at = row.state["decided_at_look"]
    with reading() as connection:
        looks = series.list_spread_looks(connection, row.id, step, row.batches)
        for number in (1, decided_at, row.batches):
            if number and all(look.number != number for look in looks):
                looks += series.list_looks(connection, row.id, number + 1, 1)
    return sorted(looks, key=lambda look: look.number)


def close(owner_id: UUID, series_id: UUID) -> SeriesRow:
    """Let a series take no more batches; one that is closed is not changed."""
    with unit_of_work() as connection:
        row = series.ROWS.lock(connection, owner_id, series_id)
        if row.status == SeriesStatus.OPEN:
            closed = {"status": SeriesStatus.CLOSED.value, "closed_at": datetime.now(UTC)}
            series.ROWS.update(connection, series_id, **closed)
            audit.add(connection, Action.CLOSE_SERIES, series_id, owner_id)
    return series.ROWS.fetch(owner_id, series_id)


def delete(owner_id: UUID, series_id: UUID) -> None:
    """Delete a series with its looks; nothing else of its losses is kept."""
    with unit_of_work() as connection:
        series.ROWS.lock(connection, owner_id, series_id)
        series.ROWS.delete(connection, series_id)
        audit.add(connection, Action.DELETE_SERIES, series_id, owner_id)


def delete_expired(series_id: UUID, before: datetime) -> bool:
    """Delete a series that was closed before a moment; False if it is gone."""
    with unit_of_work() as connection:
        owner_id = series.delete_closed(connection, series_id, before)
        if owner_id is None:
            return False
        audit.add(connection, Action.DELETE_SERIES, series_id, owner_id, audit.BY_SERVICE)
    return True
