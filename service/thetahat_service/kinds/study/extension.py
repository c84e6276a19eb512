"""Requests that extend an earlier study by more repetitions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import orjson

from thetahat.errors import shorten_value
from thetahat.values.json_values import JsonValue
from thetahat_service.errors import FieldError, InvalidRequest
from thetahat_service.states import FINISHED
from thetahat_service.storage import evaluations
from thetahat_service.storage.unit_of_work import reading

MAY_DIFFER: Final = frozenset({"kind", "extends", "repetitions", "name", "labels", "seed"})
"""Fields that may differ from the earlier request."""


def complete_from_earlier(
    owner_id: UUID, value: Mapping[str, JsonValue], kind: str
) -> dict[str, JsonValue]:
    """Return the request with the other fields and the seed of the earlier study.

    Raises ``InvalidRequest`` if the earlier evaluation does not exist, belongs to another owner, is
    of another kind or has not ended, or if a field differs from it.
    """
    identifier = _parse_id(value["extends"])
    with reading() as session:
        earlier = evaluations.get_request_of_owner(session, owner_id, identifier)
    if earlier is None:
        raise _refuse("extends", f"The evaluation {identifier} does not exist.", value["extends"])
    if earlier.kind != kind:
        raise _refuse("extends", f"The evaluation {identifier} is not a {kind}.", value["extends"])
    if earlier.status not in FINISHED:
        raise _refuse(
            "extends",
            f"The evaluation {identifier} is {earlier.status}; wait for it, or cancel it first.",
            value["extends"],
        )
    before = {"kind": kind, **orjson.loads(earlier.request)}
    if "seed" in value and value["seed"] != earlier.seed:
        raise _refuse(
            "seed",
            f"The extended study has the seed {earlier.seed}. Leave out seed.",
            value["seed"],
        )
    for name, item in value.items():
        if name not in MAY_DIFFER and before.get(name) != item:
            raise _refuse(
                name,
                f"The field {name} differs from the extended study. Leave it out.",
                shorten_value(item),
            )
    return {**before, **value, "seed": earlier.seed}


def _parse_id(value: Any) -> UUID:
    try:
        return UUID(value)
    except (ValueError, AttributeError, TypeError):
        raise _refuse(
            "extends",
            f"The field extends must be the id of an evaluation, and is {value!r}.",
            value,
        ) from None


def _refuse(field: str, message: str, value: Any) -> InvalidRequest:
    return InvalidRequest(message, (FieldError((field,), message, value),))
