"""pydantic's validation errors, with the service's messages and paths into the request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pydantic import ValidationError

from service.api.request_fields import list_fields_at
from service.errors import FieldError, InvalidRequest
from service.kinds.registry import JOB_KINDS
from service.schemas.validation_messages import describe_error
from thetahat.errors import EvaluationError, Loc
from thetahat.similar_names import suggest_name

MAX_ERRORS: Final = 200


def convert_validation_error(error: ValidationError, body: Any) -> InvalidRequest:
    """Return the error of a request body, with one field error per invalid place.

    pydantic puts the branches of a union into its paths and reports each branch. Here a path leads
    into the body, branches that fail at the same path become one error, and an error is left out
    if there are errors inside the same value.
    """
    by_loc: dict[Loc, FieldError] = {}
    for item in error.errors(include_url=False)[:MAX_ERRORS]:
        converted = _convert(item, body)
        earlier = by_loc.get(converted.loc)
        if earlier is None:
            by_loc[converted.loc] = converted
        elif converted.message not in earlier.message:
            message = (
                f"{earlier.message}; or {converted.message[:1].lower()}{converted.message[1:]}"
            )
            by_loc[converted.loc] = FieldError(converted.loc, message, earlier.value)
    errors = tuple(e for e in by_loc.values() if not _has_inner_error(e.loc, by_loc))
    first = errors[0]
    path = ".".join(map(str, first.loc)) or "the body"
    more = f" ({len(errors) - 1} more in errors)" if len(errors) > 1 else ""
    return InvalidRequest(f"{path}: {first.message}{more}", errors)


def _convert(item: Any, body: Any) -> FieldError:
    inner = item.get("ctx", {}).get("error")
    loc = path_in_body(body, item["loc"], is_missing=item["type"] == "missing")
    if isinstance(inner, EvaluationError):
        return FieldError((*loc, *inner.loc), inner.message, inner.value)
    value = None if item["type"] == "missing" else item["input"]
    fields = _list_known_fields(body, loc) if item["type"] == "extra_forbidden" else ""
    return FieldError(loc, describe_error(item) + fields, value)


def _list_known_fields(body: Any, loc: Loc) -> str:
    """Return the end of a message about an unknown field: the fields that are known there."""
    kind = body.get("kind") if isinstance(body, dict) else None
    if not isinstance(kind, str) or kind not in JOB_KINDS or not loc:
        return ""
    fields = list_fields_at(JOB_KINDS[kind].request, loc)
    return f"{suggest_name(str(loc[-1]), fields, 'fields')}; the fields are {', '.join(fields)}"


def path_in_body(body: Any, loc: Sequence[str | int], *, is_missing: bool) -> Loc:
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


def _has_inner_error(loc: Loc, by_loc: dict[Loc, FieldError]) -> bool:
    return any(len(other) > len(loc) and other[: len(loc)] == loc for other in by_loc)
