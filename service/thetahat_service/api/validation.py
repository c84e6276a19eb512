"""pydantic's validation errors, with the service's messages and paths into the request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import Request

from thetahat.errors import EvaluationError, Loc
from thetahat.similar_names import suggest_name
from thetahat_service.api.blocking_calls import run_in_thread
from thetahat_service.api.bodies import SMALL_BODY, parse_json, read_body
from thetahat_service.api.request_fields import list_fields_at
from thetahat_service.errors import FieldError, InvalidRequest
from thetahat_service.process.garbage_collection import pause_garbage_collection
from thetahat_service.schemas.base import Schema
from thetahat_service.schemas.validation_messages import (
    describe_errors,
    find_proposed_name,
    name_place,
)
from thetahat_service.settings import get_settings

MAX_ERRORS: Final = 200

Body = TypeVar("Body", bound=Schema)


async def read_valid_body(request: Request, schema: type[Body]) -> Body:
    """Return the body of a request as its schema reads it, or raise ``InvalidRequest``."""
    body = await read_body(request, get_settings().max_json_bytes)
    if len(body) <= SMALL_BODY:
        return _validate(body, schema)
    with pause_garbage_collection():
        return await run_in_thread(_validate, body, schema)


def _validate(body: bytes, schema: type[Body]) -> Body:
    return validate(parse_json(body), schema)


def validate(value: Any, schema: type[Body]) -> Body:
    """Return a parsed body as its schema reads it, or raise ``InvalidRequest``."""
    try:
        return schema.model_validate(value)
    except ValidationError as error:
        raise convert_validation_error(error, value, schema) from None


@dataclass(slots=True)
class _FieldFaults:
    """What pydantic reports about one place of a body: one error for each branch of a union."""

    value: Any
    items: list[ErrorDetails] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)


def convert_validation_error(
    error: ValidationError, body: Any, schema: type[BaseModel]
) -> InvalidRequest:
    """Return the error of a body that a schema refused, with one field error per invalid place.

    pydantic puts the branches of a union into its paths and reports each branch. Here a path leads
    into the body, branches that fail at the same path become one error, and an error is left out
    if there are errors inside the same value.
    """
    places: dict[Loc, _FieldFaults] = {}
    for item in error.errors(include_url=False)[:MAX_ERRORS]:
        _add_item(places, item, body, schema)
    errors = tuple(
        FieldError(loc, _describe_place(loc, place), place.value, find_proposed_name(place.items))
        for loc, place in places.items()
        if not _has_inner_error(loc, places)
    )
    return build_invalid_request(errors)


def build_invalid_request(errors: Sequence[FieldError]) -> InvalidRequest:
    """Return the error of all invalid places, whose message is the first one."""
    first = errors[0]
    path = ".".join(map(str, first.loc)) or "the body"
    message = first.message if path in first.message else f"{path}: {first.message}"
    suffix = f" ({len(errors) - 1} more in errors)" if len(errors) > 1 else ""
    return InvalidRequest(f"{message}{suffix}", tuple(errors))


def _add_item(
    places: dict[Loc, _FieldFaults], item: ErrorDetails, body: Any, schema: type[BaseModel]
) -> None:
    inner = item.get("ctx", {}).get("error")
    loc = find_path_in_body(body, item["loc"], is_missing=item["type"] == "missing")
    if isinstance(inner, EvaluationError):
        for fault in (inner, *inner.others):
            place = places.setdefault((*loc, *fault.loc), _FieldFaults(fault.value))
            place.sentences.append(fault.message)
        return
    place = places.setdefault(
        loc, _FieldFaults(None if item["type"] == "missing" else item["input"])
    )
    if item["type"] == "extra_forbidden":
        place.sentences.append(_describe_unknown_field(schema, loc))
    else:
        place.items.append(item)


def _describe_place(loc: Loc, place: _FieldFaults) -> str:
    sentences = list(dict.fromkeys(place.sentences))
    if place.items:
        sentences.insert(0, describe_errors(place.items, name_place(loc)))
    return " Or: ".join(sentences)


def _describe_unknown_field(schema: type[BaseModel], loc: Loc) -> str:
    """Return the sentences about an unknown field, with the fields that are known there."""
    fields = list_fields_at(schema, loc)
    near = suggest_name(str(loc[-1]), fields, "fields")
    sentence = f"There is no field {'.'.join(map(str, loc))}{near}."
    return f"{sentence} The fields are {', '.join(fields)}."


def find_path_in_body(body: Any, loc: Sequence[str | int], *, is_missing: bool) -> Loc:
    """Return the parts of a pydantic path that lead into the body, and a missing last one."""
    path: list[str | int] = []
    value = body
    for position, part in enumerate(loc):
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif _is_index(value, part):
            value = value[int(part)]
        elif not (is_missing and position == len(loc) - 1):
            continue
        path.append(part)
    return tuple(path)


def fill_in_value(error: EvaluationError, body: Any) -> EvaluationError:
    """Return an error that has no value with the value at its path in the body, if there is one."""
    for other in error.others:
        fill_in_value(other, body)
    value = body
    for part in error.loc:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif _is_index(value, part):
            value = value[int(part)]
        else:
            return error
    if error.value is None and error.loc:
        error.value = value
    return error


def _is_index(value: Any, part: str | int) -> bool:
    return isinstance(value, list) and isinstance(part, int) and 0 <= part < len(value)


def _has_inner_error(loc: Loc, places: Iterable[Loc]) -> bool:
    return any(len(inner) > len(loc) and inner[: len(loc)] == loc for inner in places)
