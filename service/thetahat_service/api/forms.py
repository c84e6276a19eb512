"""The fields of forms that pages send."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import RedirectResponse

from thetahat_service.api.blocking_calls import write_database
from thetahat_service.api.page_responses import is_form_token
from thetahat_service.errors import Forbidden, MalformedRequest, TooLarge, UnsupportedMedia
from thetahat_service.settings import get_settings

FORM_TYPE: Final = "application/x-www-form-urlencoded"
MOST_FIELDS: Final = 60_000
SEE_OTHER: Final = 303
TOKEN_FIELD: Final = "form_token"  # noqa: S105 - the name of a field


async def read_form(request: Request) -> Mapping[str, list[str]]:
    """Return the values of a form by field; ``Forbidden`` unless a page of ours has sent it."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != FORM_TYPE:
        raise UnsupportedMedia(f"The body must be {FORM_TYPE}, as forms of a page send it.")
    limit, body = get_settings().max_json_bytes, b""
    async for piece in request.stream():
        body += piece
        if len(body) > limit:
            raise TooLarge(f"The form is over the limit of {limit} bytes.")
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MOST_FIELDS,
        )
    except ValueError:
        raise MalformedRequest("The form is not encoded as forms are.") from None
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    check_form_token(request, fields.get(TOKEN_FIELD, [""])[-1])
    return fields


async def act_from_page(
    request: Request, path: str, action: Callable[..., object], *arguments: object
) -> RedirectResponse:
    """Do what a form without fields asks for, and go on to a page."""
    await read_form(request)
    await write_database(action, *arguments)
    return RedirectResponse(path, SEE_OTHER)


def check_form_token(request: Request, token: str) -> None:
    """Refuse a form that was not made for this browser."""
    if not is_form_token(request, token):
        raise Forbidden(
            "The form does not belong to this browser, or its page is out of date. Load the page "
            "again, and send the form once more."
        )
