"""Advice before an evaluation: which scheme fits, and what it will show."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter, Request, Response

from thetahat.advice import Advice, advise
from thetahat.values.json_values import to_json
from thetahat_service.api.blocking_calls import run_in_thread
from thetahat_service.api.documents import build_json_response
from thetahat_service.api.problem_responses import BODY
from thetahat_service.api.validation import read_valid_body
from thetahat_service.schemas.advice import AdviceSituation
from thetahat_service.schemas.base import Schema

router = APIRouter(prefix="/v1/advice", tags=["methods"])

BODIES: Final[dict[str, type[Schema]]] = {"/v1/advice": AdviceSituation}
"""The bodies of POST requests, for the OpenAPI document."""
ANSWERS: Final[dict[str, type]] = {"/v1/advice": Advice}
"""The answers to POST requests that are dataclasses, likewise."""


@router.post("", responses=BODY)
async def get_advice(request: Request) -> Response:
    """Return which scheme fits the data, the question and the budget; nothing is stored."""
    body = await read_valid_body(request, AdviceSituation)
    return build_json_response(await run_in_thread(_advise, body))


def _advise(body: AdviceSituation) -> Any:
    return to_json(advise(**body.list_known()))
