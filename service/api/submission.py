"""From the bytes of a request to a stored evaluation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from service.api.bodies import Loc, canonical, parse
from service.api.validation import refusal
from service.errors import Fault, InvalidRequest
from service.jobs.datasets import for_check
from service.jobs.kinds import JOB_KINDS
from service.jobs.kinds.base import DatasetFile, JobKind
from service.jobs.submit import Submitted, submit
from service.schemas.base import EvaluationRequest
from service.storage import idempotency
from service.storage.unit_of_work import reading


@dataclass(frozen=True, slots=True)
class Checked:
    """A request that may be stored."""

    request: EvaluationRequest
    datasets: dict[UUID, DatasetFile]
    fingerprint: str


def check(owner_id: UUID, body: bytes, idempotency_key: str | None) -> Checked | Submitted:
    """Check a request in full; everything that is wrong with it is raised.

    A request that was sent before with the same key is answered before the checks: a data set that
    it names may be gone since.
    """
    value = parse(body)
    fingerprint = hashlib.sha256(canonical(value)).hexdigest()
    known = _known(owner_id, idempotency_key, fingerprint)
    if known is not None:
        return known
    kind = _kind(value)
    try:
        request = kind.request.model_validate(value)
    except ValidationError as error:
        raise refusal(error, value) from None
    datasets = _datasets(owner_id, request, value)
    kind.check(request, datasets)
    return Checked(request, datasets, fingerprint)


def store(owner_id: UUID, checked: Checked, idempotency_key: str | None) -> Submitted:
    """Store a checked request."""
    return submit(owner_id, checked.request, checked.datasets, idempotency_key, checked.fingerprint)


def _known(owner_id: UUID, key: str | None, fingerprint: str) -> Submitted | None:
    """Return the evaluation that the same request with the same key made."""
    if key is None:
        return None
    with reading() as session:
        found = idempotency.find(session, owner_id, key)
    if found is None or found.fingerprint != fingerprint:
        return None
    return Submitted(found.evaluation_id, replayed=True)


def _kind(value: Any) -> JobKind:
    if not isinstance(value, dict):
        raise _wrong((), "The body must be a JSON object with a kind.", value)
    name = value.get("kind")
    kind = JOB_KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        known = ", ".join(JOB_KINDS)
        says = "kind is missing" if name is None else "there is no such kind"
        raise _wrong(("kind",), f"{says}; there are {known}", name)
    return kind


def _datasets(
    owner_id: UUID, request: EvaluationRequest, value: Mapping[str, Any]
) -> dict[UUID, DatasetFile]:
    wanted = request.dataset_ids()
    found = for_check(owner_id, wanted)
    faults = [
        Fault(_place(value, missing), f"There is no data set {missing}.", missing)
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
    return InvalidRequest(message, (Fault(loc, message, value),))
