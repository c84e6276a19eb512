"""The page that says which scheme fits the data, the question and the budget."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError

from thetahat.advice import advise
from thetahat.errors import EvaluationError
from thetahat_service.api.blocking_calls import run_in_thread
from thetahat_service.api.page_responses import build_page_response
from thetahat_service.api.validation import convert_validation_error
from thetahat_service.pages.advice_page import (
    FIELD_OF_PATH,
    AdviceForm,
    AdviceView,
    build_situation,
    describe_advice,
)
from thetahat_service.pages.sent_form import FormProblems, sort_problems
from thetahat_service.schemas.advice import AdviceSituation

router = APIRouter(include_in_schema=False)


@router.get("/advice")
async def show_advice(request: Request) -> Response:
    """Return the form, with the advice for what was sent; errors are beside their fields."""
    values: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        values.setdefault(name, []).append(value)
    if not values:
        return build_page_response(request, "advice.html", form=AdviceForm(), advice=None)
    answer = await run_in_thread(_answer, build_situation(values))
    if isinstance(answer, FormProblems):
        form = AdviceForm(values=values, problems=answer)
        return build_page_response(request, "advice.html", 422, form=form, advice=None)
    return build_page_response(
        request, "advice.html", form=AdviceForm(values=values), advice=answer
    )


def _answer(situation: dict[str, Any]) -> AdviceView | FormProblems:
    """Return the advice on a situation, or what is wrong with the situation."""
    try:
        body = AdviceSituation.model_validate(situation)
    except ValidationError as error:
        invalid = convert_validation_error(error, situation, AdviceSituation)
        errors = [(tuple(each.loc), each.message) for each in invalid.errors]
        return sort_problems(errors, invalid.message, FIELD_OF_PATH)
    try:
        return describe_advice(advise(**body.list_known()))
    except EvaluationError as error:
        return sort_problems([(error.loc, error.message)], error.message, FIELD_OF_PATH)
