"""What pydantic found wrong, in the words and at the places of the request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pydantic import ValidationError

from service.api.fields import fields_at
from service.errors import FieldError, InvalidRequest
from service.kinds.registry import JOB_KINDS
from service.schemas.in_words import in_words
from thetahat.errors import EvaluationError
from thetahat.similar_names import suggest_name

Loc = tuple[str | int, ...]
MOST_LOOKED_AT: Final = 200


def refusal(error: ValidationError, body: Any) -> InvalidRequest:
    """Return the refusal of a body, one fault per wrong place.

    pydantic names the branches of a union in its places and reports each branch; here a place is a
    path into the body, branches that fail at one place are one fault, and a fault at a place gives
    way to those inside it.
    """
    found: dict[Loc, FieldError] = {}
    for item in error.errors(include_url=False)[:MOST_LOOKED_AT]:
        fault = _fault(item, body)
        known = found.get(fault.loc)
        if known is None:
            found[fault.loc] = fault
        elif fault.message not in known.message:
            message = f"{known.message}; or {fault.message[:1].lower()}{fault.message[1:]}"
            found[fault.loc] = FieldError(fault.loc, message, known.value)
    faults = tuple(f for f in found.values() if not _has_inner(f.loc, found))
    first = faults[0]
    where = ".".join(map(str, first.loc)) or "the body"
    more = f" ({len(faults) - 1} more in errors)" if len(faults) > 1 else ""
    return InvalidRequest(f"{where}: {first.message}{more}", faults)


def _fault(item: Any, body: Any) -> FieldError:
    inner = item.get("ctx", {}).get("error")
    loc = path_in(body, item["loc"], is_missing=item["type"] == "missing")
    if isinstance(inner, EvaluationError):
        return FieldError((*loc, *inner.loc), inner.message, inner.value)
    value = None if item["type"] == "missing" else item["input"]
    others = _others(body, loc) if item["type"] == "extra_forbidden" else ""
    return FieldError(loc, in_words(item) + others, value)


def _others(body: Any, loc: Loc) -> str:
    """Return what may stand in the place of a field that is not known."""
    kind = body.get("kind") if isinstance(body, dict) else None
    if not isinstance(kind, str) or kind not in JOB_KINDS or not loc:
        return ""
    fields = fields_at(JOB_KINDS[kind].request, loc)
    return f"{suggest_name(str(loc[-1]), fields)}; there are {', '.join(fields)}"


def path_in(body: Any, loc: Sequence[str | int], *, is_missing: bool) -> Loc:
    """Return those parts of a place that lead into the body, and a last one that is missing."""
    path: list[str | int] = []
    here = body
    for position, part in enumerate(loc):
        if isinstance(here, dict) and part in here:
            here = here[part]
        elif _is_index(here, part):
            here = here[int(part)]
        elif not (is_missing and position == len(loc) - 1):
            continue
        path.append(part)
    return tuple(path)


def with_value(error: EvaluationError, body: Any) -> EvaluationError:
    """Return a refusal that tells no value with the one that stands at its place, if one does."""
    here = body
    for part in error.loc:
        if isinstance(here, dict) and part in here:
            here = here[part]
        elif _is_index(here, part):
            here = here[int(part)]
        else:
            return error
    if error.value is None and error.loc:
        error.value = here
    return error


def _is_index(here: Any, part: str | int) -> bool:
    return isinstance(here, list) and isinstance(part, int) and 0 <= part < len(here)


def _has_inner(loc: Loc, found: dict[Loc, FieldError]) -> bool:
    return any(len(other) > len(loc) and other[: len(loc)] == loc for other in found)
