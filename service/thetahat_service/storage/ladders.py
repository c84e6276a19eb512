"""Ladders on the targets of data sets, each with the losses of its leader."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import numpy as np
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from thetahat.analyses.ladder import LadderState
from thetahat_service.storage.overtaking import Overtaken
from thetahat_service.storage.tables import DATASET, LADDER

_L = LADDER.c


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderKey:
    """What a Ladder is about."""

    owner_id: UUID
    sha256: str
    """Digest of the data set."""
    target: str
    """Its column with the true values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderRow:
    """A Ladder after at least one submission."""

    loss: str
    """The loss as canonical JSON."""
    step: float | None
    state: LadderState


def get(connection: sa.Connection, key: LadderKey) -> LadderRow | None:
    """Return a Ladder; None before its first submission."""
    statement = sa.select(_L.loss, _L.step, _L.submissions, _L.score, _L.losses)
    row = connection.execute(statement.where(*_select(key))).one_or_none()
    if row is None:
        return None
    losses = np.frombuffer(zlib.decompress(row.losses), dtype="<f8")
    return LadderRow(
        loss=row.loss,
        step=row.step,
        state=LadderState(score=row.score, losses=losses, submissions=row.submissions),
    )


def store(connection: sa.Connection, key: LadderKey, row: LadderRow) -> None:
    """Store a Ladder after one more submission; ``Overtaken`` if another was first."""
    number = row.state.submissions
    values = {
        "loss": row.loss,
        "step": row.step,
        "submissions": number,
        "score": row.state.score,
        "losses": zlib.compress(row.state.losses.astype("<f8").tobytes(), 1),
        "last_at": datetime.now(UTC),
    }
    if number == 1:
        named = {"owner_id": key.owner_id, "sha256": key.sha256, "target": key.target}
        try:
            connection.execute(sa.insert(LADDER), {**named, **values})
        except IntegrityError as error:
            raise Overtaken from error
        return
    statement = (
        sa.update(LADDER)
        .where(*_select(key), _L.submissions == number - 1)
        .values(**values)
        .returning(_L.submissions)
    )
    if connection.execute(statement).one_or_none() is None:
        raise Overtaken


def delete_without_dataset(connection: sa.Connection, owner_id: UUID, sha256: str) -> None:
    """Delete an owner's Ladders on a content of which they have no data set any more."""
    has_dataset = sa.exists().where(DATASET.c.owner_id == owner_id, DATASET.c.sha256 == sha256)
    connection.execute(
        sa.delete(LADDER).where(_L.owner_id == owner_id, _L.sha256 == sha256, ~has_dataset)
    )


def _select(key: LadderKey) -> tuple[sa.ColumnElement[bool], ...]:
    return _L.owner_id == key.owner_id, _L.sha256 == key.sha256, _L.target == key.target
