"""How often each test set was used, by the digest of what identifies it.

A use is an evaluation of models that succeeded. An owner sees only their own uses.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from thetahat_service.storage.overtaking import Overtaken
from thetahat_service.storage.tables import TEST_SET_MODEL, TEST_SET_USE

_U, _M = TEST_SET_USE.c, TEST_SET_MODEL.c


@dataclass(frozen=True, slots=True, kw_only=True)
class NewUse:
    """An evaluation of models that uses test sets."""

    owner_id: UUID
    request_sha256: str
    """Digest of what identical requests share."""
    kind: str
    digests: Sequence[str]
    """The digests of its test sets."""
    models: Collection[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The numbers that a use has, or will have, among those of each of its test sets."""

    by_digest: Mapping[str, int]
    new: Collection[str]
    """The digests of those that the use is not stored for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Uses:
    """The uses of a test set."""

    evaluations: int = 0
    models: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None


def find_numbers(connection: sa.Connection, use: NewUse) -> Numbers:
    """Return the numbers of a use: those of an identical request, or the next ones."""
    of_sets = (_U.owner_id == use.owner_id, _U.sha256.in_(use.digests))
    same = sa.select(_U.sha256, _U.number).where(*of_sets, _U.request_sha256 == use.request_sha256)
    stored = {row.sha256: row.number for row in connection.execute(same)}
    last = sa.select(_U.sha256, sa.func.max(_U.number).label("last")).where(*of_sets)
    next_ones = dict.fromkeys(use.digests, 1)
    next_ones |= {r.sha256: r.last + 1 for r in connection.execute(last.group_by(_U.sha256))}
    return Numbers(by_digest=next_ones | stored, new=next_ones.keys() - stored.keys())


def insert(connection: sa.Connection, use: NewUse, numbers: Numbers) -> None:
    """Store a use by its new numbers; ``Overtaken`` if another one has got one of them."""
    new = sorted(numbers.new)
    if not new:
        return
    now = datetime.now(UTC)
    shared = {"owner_id": use.owner_id, "request_sha256": use.request_sha256, "kind": use.kind}
    rows = [{**shared, "sha256": d, "number": numbers.by_digest[d], "at": now} for d in new]
    try:
        connection.execute(sa.insert(TEST_SET_USE), rows)
    except IntegrityError as error:
        raise Overtaken from error
    _insert_models(connection, use, new)


def _insert_models(connection: sa.Connection, use: NewUse, digests: Sequence[str]) -> None:
    """Store the models that a test set has not had; others that store some wait for the use."""
    names = [hashlib.sha256(name.encode()).hexdigest() for name in use.models]
    statement = sa.select(_M.sha256, _M.name_sha256).where(
        _M.owner_id == use.owner_id, _M.sha256.in_(digests), _M.name_sha256.in_(names)
    )
    known = {(row.sha256, row.name_sha256) for row in connection.execute(statement)}
    rows = [
        {"owner_id": use.owner_id, "sha256": digest, "name_sha256": name}
        for digest in digests
        for name in names
        if (digest, name) not in known
    ]
    if rows:
        connection.execute(sa.insert(TEST_SET_MODEL), rows)


def read_uses(
    connection: sa.Connection, owner_id: UUID, digests: Collection[str]
) -> dict[str, Uses]:
    """Return an owner's uses of each of these test sets."""
    counted = sa.select(
        _U.sha256,
        sa.func.count().label("evaluations"),
        sa.func.min(_U.at).label("first_at"),
        sa.func.max(_U.at).label("last_at"),
    ).where(_U.owner_id == owner_id, _U.sha256.in_(digests))
    of_models = sa.select(_M.sha256, sa.func.count().label("n")).where(
        _M.owner_id == owner_id, _M.sha256.in_(digests)
    )
    models = {row.sha256: row.n for row in connection.execute(of_models.group_by(_M.sha256))}
    found = {
        row.sha256: Uses(
            evaluations=row.evaluations,
            models=models.get(row.sha256, 0),
            first_at=row.first_at,
            last_at=row.last_at,
        )
        for row in connection.execute(counted.group_by(_U.sha256))
    }
    return {digest: found.get(digest, Uses()) for digest in digests}


def count_other_kinds(connection: sa.Connection, owner_id: UUID, digest: str, kind: str) -> int:
    """Return how many of an owner's uses of a test set are not of a kind."""
    statement = sa.select(sa.func.count()).where(
        _U.owner_id == owner_id, _U.sha256 == digest, _U.kind != kind
    )
    return int(connection.execute(statement).scalar_one())
