"""Refusing query parameters that an operation does not have."""

from __future__ import annotations

from typing import Any, Final

from fastapi import Request
from fastapi.dependencies.utils import request_params_to_args
from fastapi.routing import APIRoute

from thetahat.similar_names import suggest_name
from thetahat_service.api.errors import build_parameter_errors
from thetahat_service.api.shortening import shorten_text
from thetahat_service.errors import FieldError, InvalidRequest

CHECKED: Final = "/v1/"
"""Pages ignore parameters that they do not know: links from elsewhere may carry some."""
SHOWN_LENGTH: Final = 80


async def refuse_unknown_parameters(request: Request) -> None:
    """Raise ``InvalidRequest`` for query parameters that the operation does not have.

    The faults of the parameters that it has are named, too. This runs before every operation.
    """
    route = request.scope.get("route")
    if not request.scope["query_string"] or not isinstance(route, APIRoute):
        return
    if not request.url.path.startswith(CHECKED):
        return
    known = list_query_parameters(route)
    unknown = [name for name in request.query_params if name not in known]
    if not unknown:
        return
    _, invalid = request_params_to_args(_list_declared(route), request.query_params)
    errors = (
        *(
            FieldError(("query", name), _describe(name, known), request.query_params[name])
            for name in unknown
        ),
        *build_parameter_errors(invalid),
    )
    raise InvalidRequest(errors[0].message, errors)


def list_query_parameters(route: APIRoute) -> list[str]:
    """Return the names of an operation's query parameters, also of those that it reads itself."""
    declared = [field.alias for field in _list_declared(route)]
    added = (route.openapi_extra or {}).get("parameters", ())
    return [*declared, *(each["name"] for each in added if each["in"] == "query")]


def _list_declared(route: APIRoute) -> list[Any]:
    """Return the query parameters of an operation and of what it depends on."""
    whole = route.dependant
    return [field for part in (whole, *whole.dependencies) for field in part.query_params]


def _describe(name: str, known: list[str]) -> str:
    sentence = f"There is no query parameter {shorten_text(name, SHOWN_LENGTH)}"
    if not known:
        return f"{sentence}. This operation has none."
    return f"{sentence}{suggest_name(name, known)}. The parameters are {', '.join(known)}."
