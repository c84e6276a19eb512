"""When an owner's data were first there, and how often they were evaluated until a moment.

Only what is kept counts: an evaluation or a data set that was deleted is not known any more.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.states import EvaluationStatus
from thetahat_service.storage.tables import DATASET, EVALUATION, EVALUATION_DATASET

_E, _D = EVALUATION.c, DATASET.c


def find_first_upload(
    connection: sa.Connection, owner_id: UUID, digests: Collection[str]
) -> datetime | None:
    """Return when the first of these files was uploaded; None if none of them is there."""
    statement = sa.select(sa.func.min(_D.created_at)).where(
        _D.owner_id == owner_id, _D.sha256.in_(digests)
    )
    first: datetime | None = connection.execute(statement).scalar_one()
    return first


def find_first_use(connection: sa.Connection, owner_id: UUID, data_sha256: str) -> datetime | None:
    """Return when the first evaluation of data with this digest was submitted; None without one."""
    statement = sa.select(sa.func.min(_E.created_at)).where(
        _E.owner_id == owner_id, _E.data_sha256 == data_sha256
    )
    first: datetime | None = connection.execute(statement).scalar_one()
    return first


def count_evaluated(
    connection: sa.Connection,
    owner_id: UUID,
    data_sha256: str,
    files: Collection[str],
    *conditions: sa.ColumnElement[bool],
) -> int:
    """Return how many evaluations of these data, or of one of their files, have a result.

    The conditions, ``ended_by`` or ``is_besides``, say which of them are counted.
    """
    of_files = (
        sa.select(EVALUATION_DATASET.c.evaluation_id)
        .join(DATASET, _D.id == EVALUATION_DATASET.c.dataset_id)
        .where(_D.owner_id == owner_id, _D.sha256.in_(files))
    )
    statement = sa.select(sa.func.count()).where(
        _E.owner_id == owner_id,
        sa.or_(_E.data_sha256 == data_sha256, _E.id.in_(of_files)),
        _E.status == EvaluationStatus.SUCCEEDED.value,
        *conditions,
    )
    return int(connection.execute(statement).scalar_one())


def ended_by(moment: datetime) -> sa.ColumnElement[bool]:
    """Return the condition that an evaluation had ended at a moment."""
    return _E.finished_at <= moment


def is_besides(protocol_id: UUID, moment: datetime) -> sa.ColumnElement[bool]:
    """Return the condition that an evaluation ended later and does not name a protocol."""
    return sa.and_(_E.finished_at > moment, _E.protocol_id.is_distinct_from(protocol_id))
