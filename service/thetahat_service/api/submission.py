"""From the bytes of a request to a stored evaluation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final
from uuid import UUID

from pydantic import ValidationError

from thetahat.errors import EvaluationError, Loc
from thetahat.similar_names import suggest_name
from thetahat.values.json_values import JsonValue
from thetahat_service.api.blocking_calls import read_database, run_in_thread
from thetahat_service.api.bodies import SMALL_BODY, encode_canonical_json, parse_json
from thetahat_service.api.preload import LIGHT_KINDS, is_loaded, wait_until_loaded
from thetahat_service.api.shortening import shorten_text
from thetahat_service.api.submission_batches import store_submission
from thetahat_service.api.validation import (
    build_invalid_request,
    convert_validation_error,
    fill_in_value,
)
from thetahat_service.errors import FieldError, InvalidRequest, Unavailable, list_field_errors
from thetahat_service.jobs.datasets import read_dataset_files
from thetahat_service.jobs.submit import Submission, Submitted, prepare_submission
from thetahat_service.json_types import JsonObject
from thetahat_service.kinds.base import DatasetFile, JobKind
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.process.garbage_collection import pause_garbage_collection
from thetahat_service.schemas.base import EvaluationRequest
from thetahat_service.storage import idempotency
from thetahat_service.storage.unit_of_work import reading

MOST_ROWS_READ: Final = 20_000
MOST_FILES_READ: Final = 20
"""Rows and files of a request whose contents are checked before the answer.

Two tables of 10 000 items each take 40 ms of processor time (4 ms without looking inside), two of
25 000 take 110 ms, and 20 tables of 1000 take 65 ms.
"""
_INDEPENDENT_FIELDS: Final = frozenset({"labels", "name", "seed"})
"""Fields without which a request has no other faults than with them."""
SHALLOW_BRACKETS: Final = 200  # a body with fewer brackets cannot be nested too deeply


@dataclass(frozen=True, slots=True)
class ParsedRequest:
    """A JSON body with the name of a known kind.

    The fingerprint, a digest of the body, is empty if the request has no idempotency key and the
    body is shallow.
    """

    value: Any
    fingerprint: str
    kind: str


async def accept_request(
    owner_id: UUID, body: bytes, idempotency_key: str | None, *, is_awaited: bool
) -> Submitted:
    """Check a request in full and store it; raise its error if it is invalid.

    ``is_awaited`` says whether somebody waits for the result.
    """
    with pause_garbage_collection() if len(body) > SMALL_BODY else nullcontext():
        submission = await _check_body(owner_id, body, idempotency_key)
    if isinstance(submission, Submitted):
        return submission
    return await store_submission(replace(submission, is_awaited=is_awaited))


async def _check_body(
    owner_id: UUID, body: bytes, idempotency_key: str | None
) -> Submitted | Submission:
    """Check a body in full; return what is to be stored, or the evaluation of its key."""
    if len(body) > SMALL_BODY and idempotency_key is None and is_loaded():
        return await run_in_thread(_parse_and_check, owner_id, body)
    parse = partial(parse_request, body, has_key=idempotency_key is not None)
    parsed = parse() if len(body) <= SMALL_BODY else await run_in_thread(parse)
    if parsed.kind not in LIGHT_KINDS:
        await wait_until_loaded()
    if idempotency_key is not None:
        # Before the checks: a data set that the request names may have been deleted since.
        earlier = await read_database(_find_earlier, owner_id, idempotency_key, parsed.fingerprint)
        if earlier is not None:
            return earlier
    return await run_in_thread(check_request, owner_id, parsed, idempotency_key)


def _parse_and_check(owner_id: UUID, body: bytes) -> Submission:
    """Parse and check a request without an idempotency key, in one call of a thread."""
    return check_request(owner_id, parse_request(body, has_key=False), None)


def parse_request(body: bytes, *, has_key: bool = True) -> ParsedRequest:
    """Return the JSON of a body with its kind, and its fingerprint where one is needed."""
    value, fingerprint = parse_json(body), ""
    if has_key or body.count(b"[") + body.count(b"{") > SHALLOW_BRACKETS:
        fingerprint = compute_fingerprint(value)
    return ParsedRequest(value, fingerprint, _find_kind(value))


def compute_fingerprint(value: Any) -> str:
    """Return a digest of a parsed body, whatever white space the body had."""
    return hashlib.sha256(encode_canonical_json(value)).hexdigest()


async def check_part(
    owner_id: UUID, value: Any, idempotency_key: str | None
) -> Submitted | Submission:
    """Check a request that is a part of a parsed body; return what is to be stored.

    For the key of an earlier request, its evaluation is returned.
    """

    def check() -> Submitted | Submission:
        fingerprint = compute_fingerprint(value)
        if idempotency_key is not None:
            earlier = _find_earlier(owner_id, idempotency_key, fingerprint)
            if earlier is not None:
                return earlier
        parsed = ParsedRequest(value, fingerprint, _find_kind(value))
        return check_request(owner_id, parsed, idempotency_key)

    return await run_in_thread(check)


def check_request(owner_id: UUID, parsed: ParsedRequest, idempotency_key: str | None) -> Submission:
    """Check a request in full; return what is to be stored."""
    kind = JOB_KINDS[parsed.kind]
    value = kind.complete_request(owner_id, parsed.value)
    try:
        request = kind.request.model_validate(value)
    except ValidationError as error:
        invalid = convert_validation_error(error, value, kind.request)
        others = _list_other_faults(owner_id, kind, value, invalid)
        raise build_invalid_request((*invalid.errors, *others)) from None
    try:
        datasets = _check_with_datasets(owner_id, kind, request, value)
    except EvaluationError as error:
        raise fill_in_value(error, value) from None
    return prepare_submission(owner_id, request, datasets, idempotency_key, parsed.fingerprint)


def _check_with_datasets(
    owner_id: UUID, kind: JobKind[Any], request: EvaluationRequest, value: JsonObject
) -> dict[UUID, DatasetFile]:
    """Check what a valid form asks for; return the data sets that it names."""
    datasets = _read_datasets(owner_id, request, value)
    kind.check(request, datasets)
    _check_contents(kind, request, datasets)
    return datasets


def _check_contents(
    kind: JobKind[Any], request: EvaluationRequest, datasets: Mapping[UUID, DatasetFile]
) -> None:
    """Refuse what is wrong inside small files; what cannot be read now is left to the worker."""
    if len(datasets) > MOST_FILES_READ:
        return
    if sum(file.rows for file in datasets.values()) > MOST_ROWS_READ:
        return
    with suppress(Unavailable):
        kind.check_contents(request, datasets)


def _list_other_faults(
    owner_id: UUID, kind: JobKind[Any], value: JsonObject, invalid: InvalidRequest
) -> list[FieldError]:
    """Return what is wrong with a request that has invalid fields, besides them.

    A misspelt name is read as the one that its fault proposes. Without an invalid field that
    others depend on, only the choices are checked, because other faults would not be its own.
    """
    wrong = {fault.loc[0] for fault in invalid.errors if fault.loc}
    meant = {
        fault.loc[0]: fault.proposed
        for fault in invalid.errors
        if len(fault.loc) == 1 and fault.proposed is not None
    }
    rest = {
        name: meant.get(name, field)
        for name, field in value.items()
        if name in meant or name not in wrong
    }
    try:
        request = kind.request.model_validate(rest)
        if wrong <= {*meant, *_INDEPENDENT_FIELDS}:
            _check_with_datasets(owner_id, kind, request, rest)
        else:
            request.check_choices()
    except ValidationError:  # a field that is needed is invalid
        return []
    except EvaluationError as error:
        faults = list_field_errors(fill_in_value(error, value))
    except InvalidRequest as error:
        faults = error.errors
    else:
        return []
    return [fault for fault in faults if fault.loc and fault.loc[0] not in wrong]


def _find_earlier(owner_id: UUID, key: str, fingerprint: str) -> Submitted | None:
    """Return the evaluation of an earlier request with the same key and fingerprint."""
    with reading() as session:
        earlier = idempotency.find(session, owner_id, key)
    if earlier is None or earlier.fingerprint != fingerprint:
        return None
    return Submitted(earlier.evaluation_id, replayed=True)


def _find_kind(value: Any) -> str:
    """Return the name of a body's kind, whose package is imported later: that takes long."""
    if not isinstance(value, dict):
        raise _build_invalid_error((), "The body must be a JSON object with a field kind.", value)
    name = _name_kind(value)
    if not isinstance(name, str) or name not in JOB_KINDS:
        kinds = ", ".join(JOB_KINDS)
        if isinstance(name, str):
            fault = f"There is no kind {shorten_text(name, 80)!r}{suggest_name(name, JOB_KINDS)}."
        else:
            fault = (
                "The field kind is missing." if name is None else "The field kind must be a string."
            )
        raise _build_invalid_error(("kind",), f"{fault} The kinds are {kinds}.", name)
    return name


def _name_kind(value: JsonObject) -> JsonValue:
    """Return the kind of a body: predictions with ladder are of the kind ladder."""
    name = value.get("kind")
    return "ladder" if name == "predictions" and value.get("ladder") else name


def _read_datasets(
    owner_id: UUID, request: EvaluationRequest, value: JsonObject
) -> dict[UUID, DatasetFile]:
    identifiers = tuple(dict.fromkeys(request.list_dataset_ids()))
    files = read_dataset_files(owner_id, identifiers)
    errors = [
        FieldError(_find_dataset_loc(value, missing), f"There is no data set {missing}.", missing)
        for missing in identifiers
        if missing not in files
    ]
    if errors:
        raise InvalidRequest(errors[0].message, tuple(errors))
    return {identifier: files[identifier] for identifier in identifiers}


def _find_dataset_loc(value: Mapping[str, JsonValue], identifier: UUID) -> Loc:
    """Return the path at which a request names a data set."""
    return next(_iterate_dataset_locs(value, identifier, ()), ("dataset",))


def _iterate_dataset_locs(value: Any, identifier: UUID, loc: Sequence[str | int]) -> Iterator[Loc]:
    if not isinstance(value, dict):
        return
    for key, item in value.items():
        if key == "dataset" and isinstance(item, str) and _is_id(item, identifier):
            yield (*loc, key)
        yield from _iterate_dataset_locs(item, identifier, (*loc, key))


def _is_id(text: str, identifier: UUID) -> bool:
    try:
        return UUID(text) == identifier
    except ValueError:
        return False


def _build_invalid_error(loc: Loc, message: str, value: Any) -> InvalidRequest:
    return InvalidRequest(message, (FieldError(loc, message, value),))
