"""Ladders on the targets of data sets, each with its leader's losses and its published scores."""

from __future__ import annotations

import zlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID, uuid4

import numpy as np
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from thetahat.analyses.ladder import LadderState
from thetahat_service.states import UNFINISHED
from thetahat_service.storage.overtaking import Overtaken
from thetahat_service.storage.owned_rows import OwnedRows
from thetahat_service.storage.rows import StoredRows
from thetahat_service.storage.tables import (
    DATASET,
    EVALUATION,
    EVALUATION_DATASET,
    LADDER,
    LADDER_SCORE,
)

_E, _L, _S = EVALUATION.c, LADDER.c, LADDER_SCORE.c


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
    new_model: str | None = None
    """The model of the newest submission, if it has changed the score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedLadder:
    """A Ladder without the losses of its leader."""

    id: UUID
    owner_id: UUID
    sha256: str
    target: str
    loss: str
    """The loss as canonical JSON."""
    step: float | None
    submissions: int
    score: float
    created_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """A score that a Ladder has published."""

    ladder_id: UUID
    submission: int
    """Number of the submission that changed it."""
    score: float
    model: str | None
    """Its model; None if it was published before models were kept."""
    at: datetime


ROWS: Final = OwnedRows(LADDER, ListedLadder, "Ladder", "Ladders")
SCORES: Final = StoredRows(LADDER_SCORE, ScoreRow)


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


def has_earlier_submission(
    connection: sa.Connection, key: LadderKey, kind: str, evaluation_id: UUID
) -> bool:
    """Return whether a submission on the data set that was sent before this one has not ended."""
    sent_at = sa.select(_E.created_at).where(_E.id == evaluation_id).scalar_subquery()
    is_earlier = sa.or_(
        _E.created_at < sent_at, sa.and_(_E.created_at == sent_at, _E.id < evaluation_id)
    )
    open_ones = (
        sa.select(_E.id)
        .join(EVALUATION_DATASET, EVALUATION_DATASET.c.evaluation_id == _E.id)
        .join(DATASET, DATASET.c.id == EVALUATION_DATASET.c.dataset_id)
        .where(_E.owner_id == key.owner_id, _E.status.in_(sorted(UNFINISHED)), _E.kind == kind)
        .where(DATASET.c.sha256 == key.sha256, is_earlier)
    )
    return connection.execute(open_ones.limit(1)).first() is not None


def store(connection: sa.Connection, key: LadderKey, row: LadderRow) -> None:
    """Store a Ladder after one more submission; ``Overtaken`` if another was first."""
    number, now = row.state.submissions, datetime.now(UTC)
    values = {
        "loss": row.loss,
        "step": row.step,
        "submissions": number,
        "score": row.state.score,
        "losses": zlib.compress(row.state.losses.astype("<f8").tobytes(), 1),
        "last_at": now,
    }
    if number == 1:
        named = {"owner_id": key.owner_id, "sha256": key.sha256, "target": key.target}
        insert = sa.insert(LADDER).values(id=uuid4(), created_at=now, **named, **values)
        try:
            identifier = connection.execute(insert.returning(_L.id)).scalar_one()
        except IntegrityError as error:
            raise Overtaken from error
    else:
        statement = (
            sa.update(LADDER)
            .where(*_select(key), _L.submissions == number - 1)
            .values(**values)
            .returning(_L.id)
        )
        identifier = connection.execute(statement).scalar_one_or_none()
        if identifier is None:
            raise Overtaken
    if row.new_model is not None:
        score = ScoreRow(
            ladder_id=identifier,
            submission=number,
            score=row.state.score,
            model=row.new_model,
            at=now,
        )
        SCORES.insert(connection, score)


def list_scores(
    connection: sa.Connection, ladder_id: UUID, before: int | None, limit: int
) -> list[ScoreRow]:
    """Return published scores, newest first, of submissions with numbers below ``before``."""
    statement = SCORES.select(_S.ladder_id == ladder_id)
    if before is not None:
        statement = statement.where(_S.submission < before)
    return SCORES.read(connection, statement.order_by(_S.submission.desc()).limit(limit))


def count_scores(connection: sa.Connection, ladder_id: UUID) -> int:
    """Return how many scores a Ladder has published."""
    statement = sa.select(sa.func.count()).where(_S.ladder_id == ladder_id)
    return int(connection.execute(statement).scalar_one())


def find_leaders(connection: sa.Connection, ladder_ids: Collection[UUID]) -> dict[UUID, str | None]:
    """Return the model of each Ladder's newest score."""
    newest = (
        sa.select(_S.ladder_id, sa.func.max(_S.submission).label("submission"))
        .where(_S.ladder_id.in_(ladder_ids))
        .group_by(_S.ladder_id)
        .subquery()
    )
    statement = sa.select(_S.ladder_id, _S.model).join(
        newest,
        sa.and_(newest.c.ladder_id == _S.ladder_id, newest.c.submission == _S.submission),
    )
    return {row.ladder_id: row.model for row in connection.execute(statement)}


def delete_without_dataset(connection: sa.Connection, owner_id: UUID, sha256: str) -> None:
    """Delete an owner's Ladders on a content of which they have no data set any more."""
    has_dataset = sa.exists().where(DATASET.c.owner_id == owner_id, DATASET.c.sha256 == sha256)
    connection.execute(
        sa.delete(LADDER).where(_L.owner_id == owner_id, _L.sha256 == sha256, ~has_dataset)
    )


def _select(key: LadderKey) -> tuple[sa.ColumnElement[bool], ...]:
    return _L.owner_id == key.owner_id, _L.sha256 == key.sha256, _L.target == key.target
