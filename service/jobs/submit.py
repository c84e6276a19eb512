"""Taking an evaluation in: stored whole, then a worker is nudged."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from service.broker import queue
from service.errors import (
    FieldError,
    IdempotencyMismatch,
    IdempotencyRace,
    InvalidRequest,
    TooManyJobs,
)
from service.kinds.base import DatasetFile
from service.schemas.base import EvaluationRequest
from service.settings import settings
from service.states import EvaluationStatus
from service.storage import evaluations, idempotency, units
from service.storage.engine import to_json
from service.storage.evaluations import EvaluationRow
from service.storage.unit_of_work import reading, unit_of_work
from thetahat.seeds import derive_seed

RETRY_AFTER_S = 5
COUNT_LASTS_S = 1.0
MOST_COUNTED = 10_000  # owners whose counts are remembered


@dataclass(frozen=True, slots=True)
class Submitted:
    """What became of a request: a new evaluation, or the one the same request made before."""

    evaluation_id: UUID
    replayed: bool
    row: EvaluationRow | None = None  # of a new one, so that it need not be read again


@dataclass(frozen=True, slots=True)
class Submission:
    """A checked request, ready to be stored: its columns, and what is linked to it."""

    values: Mapping[str, Any]
    labels: Mapping[str, str]
    datasets: Collection[UUID]
    idempotency_key: str | None
    fingerprint: str

    @property
    def id(self) -> UUID:
        """Of the evaluation that it becomes."""
        identifier: UUID = self.values["id"]
        return identifier

    @property
    def owner_id(self) -> UUID:
        """Whose it is."""
        owner: UUID = self.values["owner_id"]
        return owner


def prepared(
    owner_id: UUID,
    request: EvaluationRequest,
    datasets: Mapping[UUID, DatasetFile],
    idempotency_key: str | None = None,
    fingerprint: str = "",
) -> Submission:
    """Return what is to be stored of a checked request; ``InvalidRequest`` for what cannot be."""
    values = _row(owner_id, request, datasets)
    return Submission(values, request.labels, list(datasets), idempotency_key, fingerprint)


def submit(submission: Submission) -> Submitted:
    """Store an evaluation with its first unit of work, then send a message for it.

    The same key and fingerprint give the first evaluation again. Raises ``IdempotencyMismatch``,
    ``IdempotencyRace``, ``TooManyJobs`` and ``InvalidRequest``.
    """
    if submission.idempotency_key is not None:
        with reading() as connection:
            known = _replay(connection, submission)
        if known is not None:
            return known
    try:
        (outcome,) = submit_all([submission])
    except IntegrityError as error:
        return _settle_clash(submission, error)
    if isinstance(outcome, TooManyJobs):
        raise outcome
    return outcome


def submit_all(
    group: Sequence[Submission], *, hurried: bool = False
) -> list[Submitted | TooManyJobs]:
    """Store evaluations in one transaction, then send messages; refusals stand in their places.

    Nothing has happened where this raises: ``IntegrityError`` where one of them clashes with what
    is stored or with another of them, so that each is to be stored by itself; hurried,
    ``OperationalError`` where the database would have to be waited for.
    """
    outcomes: list[Submitted | TooManyJobs] = []
    taken: list[Submission] = []
    ahead: Counter[UUID] = Counter()
    keys: list[units.UnitKey] = []
    with unit_of_work(hurried=hurried) as connection:
        for one in group:
            try:
                _check_limit(connection, one.owner_id, ahead[one.owner_id])
            except TooManyJobs as refusal:
                outcomes.append(refusal)
                continue
            ahead[one.owner_id] += 1
            taken.append(one)
            outcomes.append(_submitted(one))
        if taken:
            keys = _store(connection, taken)
    queue.enqueue(keys)
    return outcomes


def _submitted(one: Submission) -> Submitted:
    row: dict[str, Any] = {
        name: one.values.get(name) for name in EvaluationRow.__dataclass_fields__
    }
    row["labels"] = one.labels
    return Submitted(one.id, replayed=False, row=EvaluationRow(**row))


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
        "seed": derive_seed(request_sha256, data_sha256) if seed is None else seed,
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
    faults = tuple(
        FieldError(loc, "holds a NUL character", text) for loc, text in texts if "\0" in text
    )
    if faults:
        raise InvalidRequest("The name and the labels cannot hold NUL characters.", faults)


@dataclass(slots=True)
class _Counted:
    """How many were unfinished when they were counted, and how many were taken in since."""

    unfinished: int
    until: float


_COUNTED: dict[UUID, _Counted] = {}


def _check_limit(connection: sa.Connection, owner_id: UUID, ahead: int) -> None:
    """Refuse what is over the limit; ``ahead`` of it are about to be stored together with it.

    Counting costs as much as storing does, so far from the limit a count is good for a second; what
    other API processes take in meanwhile is not seen for so long.
    """
    limit = settings().max_unfinished
    now = time.monotonic()
    last = _COUNTED.get(owner_id)
    if last is not None and now < last.until and 2 * last.unfinished < limit:
        last.unfinished += 1
        return
    unfinished = evaluations.count_unfinished(connection, owner_id) + ahead
    if len(_COUNTED) >= MOST_COUNTED:
        _COUNTED.clear()
    _COUNTED[owner_id] = _Counted(unfinished + 1, now + COUNT_LASTS_S)
    if unfinished >= limit:
        raise TooManyJobs(
            f"{unfinished} evaluations are unfinished and at most {limit} may be; "
            "wait for some to finish, or cancel some.",
            retry_after=RETRY_AFTER_S,
        )


def _store(connection: sa.Connection, taken: Sequence[Submission]) -> list[units.UnitKey]:
    evaluations.insert_all(connection, [one.values for one in taken])
    evaluations.add_links(
        connection,
        [(one.id, one.labels) for one in taken],
        [(one.id, one.datasets) for one in taken],
    )
    keys = units.insert_starts(connection, [one.id for one in taken])
    for one in taken:
        if one.idempotency_key is not None:
            idempotency.insert(
                connection, one.owner_id, one.idempotency_key, one.fingerprint, one.id
            )
    return keys


def _replay(connection: sa.Connection, submission: Submission) -> Submitted | None:
    key = submission.idempotency_key or ""
    known = idempotency.find(connection, submission.owner_id, key)
    if known is None:
        return None
    if known.fingerprint != submission.fingerprint:
        raise IdempotencyMismatch(f"The Idempotency-Key {key!r} was used with another request.")
    return Submitted(known.evaluation_id, replayed=True)


def _settle_clash(submission: Submission, error: IntegrityError) -> Submitted:
    """Find out which constraint a racing request broke: the key's, or a data set's."""
    key = submission.idempotency_key
    if key is None:
        raise InvalidRequest("A data set that the evaluation names was deleted.") from error
    with reading() as connection:
        known = _replay(connection, submission)
    if known is None:
        raise IdempotencyRace(
            f"Another request with the Idempotency-Key {key!r} is being answered.", retry_after=1
        ) from error
    return known
