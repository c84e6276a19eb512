"""Storing submitted evaluations, and sending a message to the workers."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from thetahat_service.broker import queue
from thetahat_service.errors import (
    FieldError,
    IdempotencyMismatch,
    IdempotencyRace,
    InvalidRequest,
    TooManyJobs,
)
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.digests import RequestDigests, compute_digests
from thetahat_service.schemas.base import EvaluationRequest
from thetahat_service.schemas.validation_messages import name_place
from thetahat_service.settings import get_settings
from thetahat_service.states import EvaluationStatus
from thetahat_service.storage import audit, evaluations, idempotency, protocols, units
from thetahat_service.storage.audit import Action, Origin
from thetahat_service.storage.evaluations import EvaluationRow, NewEvaluation
from thetahat_service.storage.unit_of_work import reading, unit_of_work

if TYPE_CHECKING:  # it imports all the mathematics
    from thetahat_service.protocols.following import NamedProtocol

RETRY_AFTER_S = 5
COUNT_VALID_S = 1.0
MAX_CACHED_COUNTS = 10_000  # owners


@dataclass(frozen=True, slots=True)
class Submitted:
    """The evaluation of a request: a new one, or that of an earlier identical request."""

    evaluation_id: UUID
    replayed: bool
    row: EvaluationRow | None = (
        None  # the row of a new evaluation, so that it need not be read again
    )


@dataclass(frozen=True, slots=True)
class Submission:
    """A checked request as it is stored: its columns, labels and data sets.

    ``is_awaited`` says that a client or a page waits for the result, so that its work comes before
    the owner's other work.
    """

    values: NewEvaluation
    labels: Mapping[str, str]
    datasets: Collection[UUID]
    idempotency_key: str | None
    fingerprint: str
    origin: Origin
    is_awaited: bool = False
    protocol: NamedProtocol | None = None

    @property
    def id(self) -> UUID:
        """Id of the evaluation."""
        return self.values["id"]

    @property
    def owner_id(self) -> UUID:
        """Id of the owner."""
        return self.values["owner_id"]


def prepare_submission(
    owner_id: UUID,
    request: EvaluationRequest,
    datasets: Mapping[UUID, DatasetFile],
    idempotency_key: str | None = None,
    fingerprint: str = "",
) -> Submission:
    """Return a checked request as it is stored; ``InvalidRequest`` if it has NUL characters."""
    _check_no_nul(request)
    digests = compute_digests(request, datasets)
    protocol = _name_protocol(owner_id, request, digests, datasets)
    return Submission(
        _build_row(owner_id, request, digests, protocol),
        request.labels,
        list(datasets),
        idempotency_key,
        fingerprint,
        Origin.read_current(),
        protocol=protocol,
    )


def _name_protocol(
    owner_id: UUID,
    request: EvaluationRequest,
    digests: RequestDigests,
    datasets: Mapping[UUID, DatasetFile],
) -> NamedProtocol | None:
    """Return the protocol that a request names; ``InvalidRequest`` if the owner has it not."""
    if getattr(request, "protocol", None) is None:  # which not every kind has
        return None
    from thetahat_service.protocols.following import name_protocol  # noqa: PLC0415 - the mathematics

    files = sorted({file.sha256 for file in datasets.values()})
    return name_protocol(owner_id, request, digests, files)


def submit(submission: Submission) -> Submitted:
    """Store an evaluation with its first unit of work, then send a message for it.

    For the key and fingerprint of an earlier request, its evaluation is returned. Raises
    ``IdempotencyMismatch``, ``IdempotencyRace``, ``TooManyJobs`` and ``InvalidRequest``.
    """
    if submission.idempotency_key is not None:
        with reading() as connection:
            earlier = _find_earlier(connection, submission)
        if earlier is not None:
            return earlier
    try:
        (outcome,) = submit_all([submission])
    except IntegrityError as error:
        return _explain_conflict(submission, error)
    if isinstance(outcome, TooManyJobs | InvalidRequest):
        raise outcome
    return outcome


def submit_all(
    batch: Sequence[Submission],
) -> list[Submitted | TooManyJobs | InvalidRequest]:
    """Store evaluations in one transaction, then send messages.

    The outcome of a submission over the owner's limit is a ``TooManyJobs``, and of one whose
    protocol was deleted meanwhile an ``InvalidRequest``. If this function
    raises, nothing is stored: ``IntegrityError`` if a submission conflicts with what is stored or
    with another one, so that each must be stored by itself.
    """
    outcomes: list[Submitted | TooManyJobs | InvalidRequest] = []
    accepted: list[Submission] = []
    ahead: Counter[UUID] = Counter()
    keys: list[units.UnitKey] = []
    with unit_of_work() as connection:
        named = [each.protocol.id for each in batch if each.protocol is not None]
        if named:  # in one order, so that no two transactions wait for each other
            protocols.lock_some(connection, named)
        for sent in batch:
            owner_id = sent.owner_id
            try:
                _check_limit(connection, owner_id, ahead[owner_id])
                submission = _count_in_protocol(connection, sent)
            except (TooManyJobs, InvalidRequest) as error:
                outcomes.append(error)
                continue
            ahead[owner_id] += 1
            accepted.append(submission)
            outcomes.append(_build_evaluation(submission))
        if accepted:
            keys = _store(connection, accepted)
    queue.enqueue(keys)
    return outcomes


def _count_in_protocol(connection: sa.Connection, submission: Submission) -> Submission:
    """Return a submission with what is known of how it follows its protocol.

    Raises ``InvalidRequest`` if the protocol was deleted since the request was checked.
    """
    named = submission.protocol
    if named is None:
        return submission
    from thetahat_service.protocols.following import begin  # noqa: PLC0415 - the mathematics

    outcome = begin(connection, submission.owner_id, named)
    return replace(submission, values={**submission.values, "protocol": outcome})


def _build_evaluation(submission: Submission) -> Submitted:
    row: dict[str, Any] = {
        name: submission.values.get(name) for name in EvaluationRow.__dataclass_fields__
    }
    row["labels"] = submission.labels
    return Submitted(submission.id, replayed=False, row=EvaluationRow(**row))


def _build_row(
    owner_id: UUID,
    request: EvaluationRequest,
    digests: RequestDigests,
    protocol: NamedProtocol | None,
) -> NewEvaluation:
    """Return the columns of a new evaluation."""
    return {
        "id": uuid4(),
        "owner_id": owner_id,
        "kind": request.kind,
        "name": request.name,
        "status": EvaluationStatus.QUEUED.value,
        "version": 1,
        "request": digests.canonical,
        "request_sha256": digests.request_sha256,
        "data_sha256": digests.data_sha256,
        "seed": digests.seed,
        "progress_done": 0,
        "progress_total": None,
        "progress_unit": "evaluation",
        "created_at": datetime.now(UTC),
        "protocol_id": None if protocol is None else protocol.id,
        "protocol": None,
    }


def _check_no_nul(request: EvaluationRequest) -> None:
    """Refuse NUL characters, which PostgreSQL cannot store in texts."""
    texts: list[tuple[tuple[str, ...], str]] = [(("name",), request.name or "")]
    texts += [(("labels", key), key + value) for key, value in request.labels.items()]
    faults = tuple(
        FieldError(loc, f"{name_place(loc)} must not have a NUL character.", text)
        for loc, text in texts
        if "\0" in text
    )
    if faults:
        raise InvalidRequest(faults[0].message, faults)


@dataclass(slots=True)
class _CachedCount:
    """The number of an owner's unfinished evaluations, and until when it may be used."""

    unfinished: int
    until: float


_COUNTS: dict[UUID, _CachedCount] = {}


def _check_limit(connection: sa.Connection, owner_id: UUID, ahead: int) -> None:
    """Raise ``TooManyJobs`` over the limit; ``ahead`` more are stored in the same transaction.

    Counting takes as long as storing, so far below the limit a count is used for a second. What
    other API processes accept during that time is not counted.
    """
    limit = get_settings().max_unfinished
    now = time.monotonic()
    last = _COUNTS.get(owner_id)
    if last is not None and now < last.until and 2 * last.unfinished < limit:
        last.unfinished += 1
        return
    unfinished = evaluations.count_unfinished(connection, owner_id) + ahead
    if len(_COUNTS) >= MAX_CACHED_COUNTS:
        _COUNTS.clear()
    _COUNTS[owner_id] = _CachedCount(unfinished + 1, now + COUNT_VALID_S)
    if unfinished >= limit:
        raise TooManyJobs(
            f"{unfinished} evaluations are unfinished, and {limit} is the limit. Wait until some "
            "have finished, or cancel some.",
            retry_after=RETRY_AFTER_S,
        )


def _store(connection: sa.Connection, accepted: Sequence[Submission]) -> list[units.UnitKey]:
    """Insert evaluations, their labels and first units; return the units, to be sent."""
    evaluations.insert_all(connection, [submission.values for submission in accepted])
    evaluations.add_links(
        connection,
        [(submission.id, submission.labels) for submission in accepted],
        [(submission.id, submission.datasets) for submission in accepted],
    )
    audit.add_all(
        connection,
        Action.SUBMIT_EVALUATION,
        [(submission.id, submission.owner_id, submission.origin) for submission in accepted],
    )
    keys = units.insert_starts(
        connection,
        [
            units.EvaluationStart(submission.id, submission.owner_id, submission.is_awaited)
            for submission in accepted
        ],
    )
    for submission in accepted:
        if submission.idempotency_key is not None:
            idempotency.insert(
                connection,
                submission.owner_id,
                submission.idempotency_key,
                submission.fingerprint,
                submission.id,
            )
    return keys


def _find_earlier(connection: sa.Connection, submission: Submission) -> Submitted | None:
    """Return the evaluation that the same Idempotency-Key made before; None if there is none."""
    key = submission.idempotency_key or ""
    earlier = idempotency.find(connection, submission.owner_id, key)
    if earlier is None:
        return None
    if earlier.fingerprint != submission.fingerprint:
        raise IdempotencyMismatch(f"The Idempotency-Key {key!r} was used with another body.")
    return Submitted(earlier.evaluation_id, replayed=True)


def _explain_conflict(submission: Submission, error: IntegrityError) -> Submitted:
    """Return the evaluation of a key that was used before, or raise the cause of the conflict."""
    key = submission.idempotency_key
    if key is None:
        raise InvalidRequest("A data set of the request was deleted.") from error
    with reading() as connection:
        earlier = _find_earlier(connection, submission)
    if earlier is None:
        raise IdempotencyRace(
            f"Another request with the Idempotency-Key {key!r} has not been answered yet.",
            retry_after=1,
        ) from error
    return earlier
