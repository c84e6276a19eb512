"""Taking an evaluation in: stored whole, then a worker is nudged."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from service import queue
from service.errors import (
    Fault,
    IdempotencyMismatch,
    IdempotencyRace,
    InvalidRequest,
    TooManyJobs,
)
from service.jobs.kinds.base import DatasetFile
from service.lifecycle import EvaluationStatus, Stage
from service.schemas.base import EvaluationRequest
from service.settings import settings
from service.storage import evaluations, idempotency, units
from service.storage.engine import to_json
from service.storage.evaluations import EvaluationRow
from service.storage.unit_of_work import reading, writing
from thetahat.seeds import derived_seed

RETRY_AFTER_S = 5
COUNT_LASTS_S = 1.0
MOST_COUNTED = 10_000  # owners whose counts are remembered


@dataclass(frozen=True, slots=True)
class Submitted:
    """What became of a request: a new evaluation, or the one the same request made before."""

    evaluation_id: UUID
    replayed: bool
    row: EvaluationRow | None = None  # of a new one, so that it need not be read again


def submit(  # noqa: PLR0913 - each is one thing that came with the request
    owner_id: UUID,
    request: EvaluationRequest,
    datasets: Mapping[UUID, DatasetFile],
    idempotency_key: str | None = None,
    fingerprint: str = "",
    *,
    hurried: bool = False,
) -> Submitted:
    """Store an evaluation with its first unit of work, then send a message for it.

    The same key and fingerprint give the first evaluation again. Raises ``IdempotencyMismatch``,
    ``IdempotencyRace``, ``TooManyJobs`` and ``InvalidRequest``; hurried, ``OperationalError`` where
    it would have to wait for the database, and then nothing has happened.
    """
    if idempotency_key is not None:
        with reading() as session:
            known = _replay(session, owner_id, idempotency_key, fingerprint)
        if known is not None:
            return known
    values = _row(owner_id, request, datasets)
    try:
        with writing(hurried=hurried) as connection:
            _check_limit(connection, owner_id)
            _store(connection, values, request, datasets)
            if idempotency_key is not None:
                idempotency.insert(connection, owner_id, idempotency_key, fingerprint, values["id"])
    except IntegrityError as error:
        return _settle_clash(owner_id, idempotency_key, fingerprint, error)
    queue.enqueue([(values["id"], 0)])
    row: dict[str, Any] = {name: values.get(name) for name in EvaluationRow.__dataclass_fields__}
    row["labels"] = request.labels
    return Submitted(values["id"], replayed=False, row=EvaluationRow(**row))


def _row(
    owner_id: UUID, request: EvaluationRequest, datasets: Mapping[UUID, DatasetFile]
) -> dict[str, Any]:
    """Return the evaluation's columns.

    The canonical request keeps the order of its mappings: the order of the models is part of what
    is asked, because comparisons are of the earlier against the later.
    """
    _refuse_nul(request)
    canonical = to_json(request.canonical())
    request_sha256 = hashlib.sha256(canonical.encode()).hexdigest()
    data_sha256 = _data_sha256(request_sha256, datasets)
    seed = request.seed
    return {
        "id": uuid4(),
        "owner_id": owner_id,
        "kind": request.kind,
        "name": request.name,
        "status": EvaluationStatus.QUEUED.value,
        "version": 1,
        "request": canonical,
        "request_sha256": request_sha256,
        "data_sha256": data_sha256,
        "seed": derived_seed(request_sha256, data_sha256) if seed is None else seed,
        "progress_done": 0,
        "progress_total": None,
        "progress_unit": "evaluation",
        "created_at": datetime.now(UTC),
    }


def _data_sha256(request_sha256: str, datasets: Mapping[UUID, DatasetFile]) -> str:
    """Return the digest of the data: of the files, or of the request that holds them inline."""
    digests = sorted({file.sha256 for file in datasets.values()})
    if not digests:
        return request_sha256
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def _refuse_nul(request: EvaluationRequest) -> None:
    """PostgreSQL's text cannot hold a NUL, so no database here takes one."""
    texts: list[tuple[tuple[str, ...], str]] = [(("name",), request.name or "")]
    texts += [(("labels", key), key + value) for key, value in request.labels.items()]
    faults = tuple(Fault(loc, "holds a NUL character", text) for loc, text in texts if "\0" in text)
    if faults:
        raise InvalidRequest("The name and the labels cannot hold NUL characters.", faults)


@dataclass(slots=True)
class _Counted:
    """How many were unfinished when they were counted, and how many were taken in since."""

    unfinished: int
    until: float


_COUNTED: dict[UUID, _Counted] = {}


def _check_limit(session: sa.Connection, owner_id: UUID) -> None:
    """Refuse what is over the limit.

    Counting costs as much as storing does, so far from the limit a count is good for a second; what
    other API processes take in meanwhile is not seen for so long.
    """
    limit = settings().max_unfinished
    now = time.monotonic()
    last = _COUNTED.get(owner_id)
    if last is not None and now < last.until and 2 * last.unfinished < limit:
        last.unfinished += 1
        return
    unfinished = evaluations.count_unfinished(session, owner_id)
    if len(_COUNTED) >= MOST_COUNTED:
        _COUNTED.clear()
    _COUNTED[owner_id] = _Counted(unfinished + 1, now + COUNT_LASTS_S)
    if unfinished >= limit:
        raise TooManyJobs(
            f"{unfinished} evaluations are unfinished and at most {limit} may be; "
            "wait for some to finish, or cancel some.",
            retry_after=RETRY_AFTER_S,
        )


def _store(
    session: sa.Connection,
    values: Mapping[str, Any],
    request: EvaluationRequest,
    datasets: Mapping[UUID, DatasetFile],
) -> None:
    evaluations.insert(session, values)
    evaluations.add_links(session, values["id"], request.labels, list(datasets))
    units.insert(session, values["id"], Stage.START, [units.NewUnit(0, {}, 1)], nudged=1)


def _replay(session: Session, owner_id: UUID, key: str, fingerprint: str) -> Submitted | None:
    known = idempotency.find(session, owner_id, key)
    if known is None:
        return None
    if known.fingerprint != fingerprint:
        raise IdempotencyMismatch(f"The Idempotency-Key {key!r} was used with another request.")
    return Submitted(known.evaluation_id, replayed=True)


def _settle_clash(
    owner_id: UUID, key: str | None, fingerprint: str, error: IntegrityError
) -> Submitted:
    """Find out which constraint a racing request broke: the key's, or a data set's."""
    if key is None:
        raise InvalidRequest("A data set that the evaluation names was deleted.") from error
    with reading() as session:
        known = _replay(session, owner_id, key, fingerprint)
    if known is None:
        raise IdempotencyRace(
            f"Another request with the Idempotency-Key {key!r} is being answered.", retry_after=1
        ) from error
    return known
