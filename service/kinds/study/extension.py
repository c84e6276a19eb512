"""A study that goes on where an earlier one ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import orjson

from service.errors import FieldError, InvalidRequest
from service.schemas.numbers import shown
from service.states import FINISHED
from service.storage import evaluations
from service.storage.unit_of_work import reading

_OWN: Final = frozenset({"kind", "extends", "repetitions", "name", "labels", "seed"})
"""What may differ from the earlier request."""


def extended(owner_id: UUID, value: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the request with all that the earlier one said, its seed among it.

    Refused are an earlier one that is not there, is another's, is of another kind or has not
    finished, and fields that differ from its own.
    """
    identifier = _id(value["extends"])
    with reading() as session:
        found = evaluations.asked(session, owner_id, identifier)
    if found is None:
        raise _wrong("extends", f"There is no evaluation {identifier}.", value["extends"])
    if found.kind != kind:
        raise _wrong("extends", f"Evaluation {identifier} is no {kind}.", value["extends"])
    if found.status not in FINISHED:
        raise _wrong(
            "extends",
            f"Evaluation {identifier} is {found.status}; cancel it first, or wait for it.",
            value["extends"],
        )
    before = {"kind": kind, **orjson.loads(found.request)}
    if "seed" in value and value["seed"] != found.seed:
        raise _wrong("seed", f"The study to extend has the seed {found.seed}.", value["seed"])
    for name, item in value.items():
        if name not in _OWN and before.get(name) != item:
            raise _wrong(name, f"{name} is not as the study to extend has it.", shown(item))
    return {**before, **value, "seed": found.seed}


def _id(given: Any) -> UUID:
    try:
        return UUID(given)
    except (ValueError, AttributeError, TypeError):
        raise _wrong("extends", "extends is not the id of an evaluation.", given) from None


def _wrong(field: str, message: str, value: Any) -> InvalidRequest:
    return InvalidRequest(message, (FieldError((field,), message, value),))
