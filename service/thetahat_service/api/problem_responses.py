"""What OpenAPI says of the errors that routes answer with."""

from __future__ import annotations

from typing import Any, Final

from thetahat_service.schemas.problem import ProblemDocument

Responses = dict[int | str, dict[str, Any]]


def describe_problems(*statuses: int | tuple[int, str]) -> Responses:
    """Return the responses of errors by their statuses; a status may have a description."""
    responses: Responses = {}
    for entry in statuses:
        status, *text = entry if isinstance(entry, tuple) else (entry,)
        described = {"description": text[0]} if text else {}
        responses[int(status)] = {"model": ProblemDocument, **described}
    return responses


BODY: Final = describe_problems(400, 413, 415, 422)
"""A body that is too large, of another type, or invalid."""
LIMITED_BODY: Final = describe_problems(400, 413, 415, 422, 429)
"""The same where an owner may not send as many as he likes."""
NO_RESULT: Final = describe_problems(
    404, (409, "result_not_ready, or no_result if there will be none.")
)
UNREADABLE: Final = describe_problems((500, "The stored file is missing or damaged."))
