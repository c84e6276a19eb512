"""Creating, reading, closing and deleting series; another owner's count as missing."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from uuid import UUID, uuid4

import orjson
from sqlalchemy.exc import IntegrityError

from thetahat.analyses.series import SeriesDesign, begin_series
from thetahat_service.errors import (
    IdempotencyMismatch,
    IdempotencyRace,
    QuotaExceeded,
    ResourceNotFound,
)
from thetahat_service.series.request import SeriesRequest
from thetahat_service.settings import get_settings
from thetahat_service.states import SeriesStatus
from thetahat_service.storage import audit, series
from thetahat_service.storage.audit import Action, Origin
from thetahat_service.storage.series import LookRow, SeriesRow
from thetahat_service.storage.unit_of_work import reading, unit_of_work

Position = tuple[datetime, UUID]
"""Creation time and id of the last item of a page."""


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
    earlier = None if key is None else _find_earlier(owner_id, key, fingerprint)
    if earlier is not None:
        return earlier, False
    design = request.build_design()
    row = SeriesRow(
        id=uuid4(),
        owner_id=owner_id,
        name=request.name,
        labels=request.labels,
        request=orjson.dumps(request.fix(design)).decode(),
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
    )
    most = get_settings().max_series
    try:
        with unit_of_work() as connection:
            if series.count(connection, owner_id) >= most:
                raise QuotaExceeded(
                    f"This owner has {most} series, which is the limit (THETAHAT_MAX_SERIES). "
                    "Delete one that is no longer needed."
                )
            series.insert(connection, row)
            audit.add(connection, Action.CREATE_SERIES, row.id, owner_id)
    except IntegrityError as error:
        earlier = None if key is None else _find_earlier(owner_id, key, fingerprint)
        if earlier is None:
            raise IdempotencyRace(
                f"Another request with the Idempotency-Key {key!r} has not been answered yet.",
                retry_after=1,
            ) from error
        return earlier, False
    return row, True


def _find_earlier(owner_id: UUID, key: str, fingerprint: str) -> SeriesRow | None:
    with reading() as connection:
        earlier = series.find_by_key(connection, owner_id, key)
    if earlier is not None and earlier.fingerprint != fingerprint:
        raise IdempotencyMismatch(f"The Idempotency-Key {key!r} was used with another body.")
    return earlier


def get(owner_id: UUID, series_id: UUID) -> SeriesRow:
    """Return an owner's series; ``ResourceNotFound`` if there is none of that id."""
    with reading() as connection:
        row = series.get(connection, owner_id, series_id)
    if row is None:
        raise build_not_found_error(series_id)
    return row


def get_with_latest(owner_id: UUID, series_id: UUID) -> tuple[SeriesRow, LookRow | None]:
    """Return an owner's series and its newest look."""
    with reading() as connection:
        row = series.get(connection, owner_id, series_id)
        # the look that belongs to the state, even if another one is added meanwhile
        looks = [] if row is None else series.list_looks(connection, series_id, row.batches + 1, 1)
    if row is None:
        raise build_not_found_error(series_id)
    return row, looks[0] if looks else None


def list_series(
    owner_id: UUID, status: str | None, before: Position | None, limit: int
) -> tuple[list[SeriesRow], Position | None]:
    """Return one page of an owner's list, newest first, and the position of its end."""
    with reading() as connection:
        rows = series.list_page(connection, owner_id, status, before, limit + 1)
    end = (rows[limit - 1].created_at, rows[limit - 1].id) if len(rows) > limit else None
    return rows[:limit], end


def list_looks(
    owner_id: UUID, series_id: UUID, before: int | None, limit: int
) -> tuple[list[LookRow], int | None]:
    """Return one page of a series' looks, newest first, and the number of its last one."""
    get(owner_id, series_id)
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
        row = series.lock(connection, owner_id, series_id)
        if row is None:
            raise build_not_found_error(series_id)
        if row.status == SeriesStatus.OPEN:
            series.close(connection, series_id, datetime.now(UTC))
            audit.add(connection, Action.CLOSE_SERIES, series_id, owner_id)
    return get(owner_id, series_id)


def delete(owner_id: UUID, series_id: UUID) -> None:
    """Delete a series with its looks; nothing else of its losses is kept."""
    with unit_of_work() as connection:
        if series.lock(connection, owner_id, series_id) is None:
            raise build_not_found_error(series_id)
        series.delete(connection, series_id)
        audit.add(connection, Action.DELETE_SERIES, series_id, owner_id)


def delete_expired(series_id: UUID, before: datetime) -> bool:
    """Delete a series that was closed before a moment; False if it is gone."""
    with unit_of_work() as connection:
        owner_id = series.delete_closed(connection, series_id, before)
        if owner_id is None:
            return False
        origin = Origin(audit.SERVICE, None)
        audit.add(connection, Action.DELETE_SERIES, series_id, owner_id, origin)
    return True


def build_not_found_error(series_id: UUID) -> ResourceNotFound:
    """Return the error of a series that an owner has not."""
    return ResourceNotFound(f"There is no series {series_id}.")
