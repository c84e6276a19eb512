"""From the bytes of a request to a stored evaluation."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from uuid import UUID

from pydantic import ValidationError

from service.api.bodies import Loc, canonical, parse
from service.api.calls import ask, labour
from service.api.intake import intake
from service.api.presentable import shortened
from service.api.validation import refusal, with_value
from service.errors import FieldError, InvalidRequest
from service.jobs.datasets import for_check
from service.jobs.submit import Submission, Submitted, prepared
from service.kinds.base import DatasetFile, JobKind
from service.kinds.registry import JOB_KINDS
from service.schemas.base import EvaluationRequest
from service.settings import is_sqlite
from service.storage import idempotency
from service.storage.unit_of_work import reading
from thetahat.errors import EvaluationError
from thetahat.similar_names import suggest_name

INLINE_BYTES: Final = 16 * 1024
SURELY_SHALLOW: Final = 200  # brackets in all; fewer than what is too deep to be written again
QUICK_S: Final = 0.003
_SECONDS: dict[str, float] = {}  # of this thread, that the last small check of each kind took


@dataclass(frozen=True, slots=True)
class Parsed:
    """A body that is JSON and names a kind; a fingerprint is made where it may come again."""

    value: Any
    fingerprint: str
    kind: JobKind[Any]
    is_small: bool


async def take(owner_id: UUID, body: bytes, idempotency_key: str | None) -> Submitted:
    """Check a request in full and store it; everything that is wrong with it is raised.

    Two threads that hold Python's lock in turn take twice the time of one, so what is quick is done
    on the event loop: small bodies of kinds whose last check was quick. The rest goes to a thread.
    """
    is_small = len(body) <= INLINE_BYTES
    if not is_small and idempotency_key is None:
        return await intake().store(await labour(_checked, owner_id, body))
    read = partial(parse_request, body, may_repeat=idempotency_key is not None)
    parsed = read() if is_small else await labour(read)
    if idempotency_key is not None:
        # Before the checks: a data set that the request names may be gone since.
        known = await ask(_known, owner_id, idempotency_key, parsed.fingerprint)
        if known is not None:
            return known
    if is_small and is_sqlite() and _SECONDS.get(parsed.kind.name, QUICK_S) < QUICK_S:
        submission = check(owner_id, parsed, idempotency_key)
    else:
        submission = await labour(check, owner_id, parsed, idempotency_key)
    return await intake().store(submission)


def _checked(owner_id: UUID, body: bytes) -> Submission:
    """Read and check a request that comes once: both in one turn of a thread."""
    return check(owner_id, parse_request(body, may_repeat=False), None)


def parse_request(body: bytes, *, may_repeat: bool = True) -> Parsed:
    """Return the JSON of a body with its kind and, where the same may come again, a fingerprint."""
    value, fingerprint = parse(body), ""
    if may_repeat or body.count(b"[") + body.count(b"{") > SURELY_SHALLOW:
        fingerprint = hashlib.sha256(canonical(value)).hexdigest()
    return Parsed(value, fingerprint, _kind(value), len(body) <= INLINE_BYTES)


def check(owner_id: UUID, parsed: Parsed, idempotency_key: str | None) -> Submission:
    """Check a request in full, and note how long that took."""
    began = time.thread_time()
    kind = parsed.kind
    value = kind.complete_request(owner_id, parsed.value)
    try:
        request = kind.request.model_validate(value)
    except ValidationError as error:
        raise refusal(error, value) from None
    datasets = _datasets(owner_id, request, value)
    try:
        parsed.kind.check(request, datasets)
    except EvaluationError as error:
        raise with_value(error, value) from None
    submission = prepared(owner_id, request, datasets, idempotency_key, parsed.fingerprint)
    if parsed.is_small:
        _SECONDS[parsed.kind.name] = time.thread_time() - began
    return submission


def _known(owner_id: UUID, key: str, fingerprint: str) -> Submitted | None:
    """Return the evaluation that the same request with the same key made."""
    with reading() as session:
        found = idempotency.find(session, owner_id, key)
    if found is None or found.fingerprint != fingerprint:
        return None
    return Submitted(found.evaluation_id, replayed=True)


def _kind(value: Any) -> JobKind[Any]:
    if not isinstance(value, dict):
        raise _wrong((), "The body must be a JSON object with a kind.", value)
    name = value.get("kind")
    kind = JOB_KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        known = ", ".join(JOB_KINDS)
        if isinstance(name, str):
            says = f"there is no kind {shortened(name, 80)!r}{suggest_name(name, JOB_KINDS)}"
        else:
            says = "kind is missing" if name is None else "kind is a text"
        raise _wrong(("kind",), f"{says}; there are {known}", name)
    return kind


def _datasets(
    owner_id: UUID, request: EvaluationRequest, value: Mapping[str, Any]
) -> dict[UUID, DatasetFile]:
    wanted = request.dataset_ids()
    found = for_check(owner_id, wanted)
    faults = [
        FieldError(_place(value, missing), f"There is no data set {missing}.", missing)
        for missing in dict.fromkeys(wanted)
        if missing not in found
    ]
    if faults:
        raise InvalidRequest(faults[0].message, tuple(faults))
    return {identifier: found[identifier] for identifier in dict.fromkeys(wanted)}


def _place(value: Mapping[str, Any], identifier: UUID) -> Loc:
    """Return where a request names a data set."""
    return next(_places(value, identifier, ()), ("dataset",))


def _places(value: Any, identifier: UUID, loc: Sequence[str | int]) -> Iterator[Loc]:
    if not isinstance(value, dict):
        return
    for key, item in value.items():
        if key == "dataset" and isinstance(item, str) and _is_id(item, identifier):
            yield (*loc, key)
        yield from _places(item, identifier, (*loc, key))


def _is_id(text: str, identifier: UUID) -> bool:
    try:
        return UUID(text) == identifier
    except ValueError:
        return False


def _wrong(loc: Loc, message: str, value: Any) -> InvalidRequest:
    return InvalidRequest(message, (FieldError(loc, message, value),))
