"""Pages that submit an evaluation: a form for a data set, and a request as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

import orjson
from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from thetahat.errors import EvaluationError
from thetahat_service.api.blocking_calls import read_database, run_in_thread
from thetahat_service.api.catalogue import read_family
from thetahat_service.api.dataset_pages import describe_file, understand
from thetahat_service.api.documents import parse_id
from thetahat_service.api.errors import find_status
from thetahat_service.api.forms import SEE_OTHER, read_form
from thetahat_service.api.page_responses import build_page_response
from thetahat_service.api.request_parts import OwnerId
from thetahat_service.api.submission import accept_request
from thetahat_service.errors import ServiceError, list_field_errors
from thetahat_service.jobs import datasets, read
from thetahat_service.json_types import MethodDescription
from thetahat_service.pages.form_proposals import build_proposals
from thetahat_service.pages.new_evaluation import (
    FIELD_OF_PATH,
    build_form,
    build_request,
    find_omissions,
)
from thetahat_service.pages.sent_form import FormProblems, sort_problems
from thetahat_service.storage.datasets import ROWS

router = APIRouter(include_in_schema=False)

PREVIEW_ROWS: Final = 5
OFFERED: Final = 20
"""Data sets that the page offers."""
LARGEST_TEXT: Final = 500_000
"""Characters of a request that the page puts into a field."""
OFFERED_FAMILIES: Final = ("learners", "schemes", "losses")


@router.get("/evaluations/new")
async def show_new_evaluation(request: Request, owner_id: OwnerId) -> Response:
    """Return the form for a data set, or the page that asks for data."""
    query = request.query_params
    if "dataset" in query:
        return await _show_form(request, query["dataset"])
    text = ""
    if "request" in query:
        wanted = parse_id(query["request"], "evaluation")
        row = await read_database(read.get, owner_id, wanted)
        sent = await read_database(read.get_request, row)
        text = orjson.dumps(sent, option=orjson.OPT_INDENT_2).decode()
        if len(text) > LARGEST_TEXT:
            text = orjson.dumps(sent).decode()
    return await _show_start(request, text)


@router.post("/evaluations/new")
async def submit_form(request: Request, owner_id: OwnerId) -> Response:
    """Submit the request that a form makes; errors are shown beside the fields they are about."""
    values = await read_form(request)
    dataset = values.get("dataset", [""])[-1]
    row = await read_database(ROWS.fetch, owner_id, parse_id(dataset, "data set"))
    proposals = build_proposals(await understand(owner_id, row), row.columns)
    omissions = find_omissions(values, proposals)
    if omissions.by_field:
        return await _show_form(request, dataset, values, omissions)
    wanted = build_request(values, str(row.id), row.columns, proposals)
    try:
        submitted = await accept_request(owner_id, orjson.dumps(wanted), None, is_awaited=True)
    except (ServiceError, EvaluationError) as error:
        if not _is_about_request(error):
            raise
        faults = [(each.loc, each.message) for each in list_field_errors(error)]
        problems = sort_problems(faults, error.message, FIELD_OF_PATH)
        return await _show_form(request, dataset, values, problems)
    return RedirectResponse(f"/evaluations/{submitted.evaluation_id}", SEE_OTHER)


@router.post("/evaluations/new/json")
async def submit_json(request: Request, owner_id: OwnerId) -> Response:
    """Submit a request that was written as JSON."""
    values = await read_form(request)
    text = values.get("request", [""])[-1]
    try:
        submitted = await accept_request(owner_id, text.encode(), None, is_awaited=True)
    except (ServiceError, EvaluationError) as error:
        if not _is_about_request(error):
            raise
        problems = [
            f"{'.'.join(map(str, each.loc))}: {each.message}" if each.loc else each.message
            for each in list_field_errors(error)
        ]
        return await _show_start(request, text, problems or [error.message])
    return RedirectResponse(f"/evaluations/{submitted.evaluation_id}", SEE_OTHER)


def _is_about_request(error: ServiceError | EvaluationError) -> bool:
    """Return whether another request would be accepted: the status is 400 or 422."""
    return find_status(type(error)) in {400, 422}


async def _show_form(
    request: Request,
    dataset: str,
    values: Mapping[str, list[str]] | None = None,
    problems: FormProblems | None = None,
) -> Response:
    owner_id: UUID = request.scope["owner_id"]
    row = await read_database(ROWS.fetch, owner_id, parse_id(dataset, "data set"))
    catalogue = await run_in_thread(_read_catalogue)
    understood = await understand(owner_id, row)
    proposals = build_proposals(understood, row.columns)
    form = build_form(row.columns, catalogue, proposals, values, problems)
    status = 200 if problems is None else 422
    return build_page_response(
        request,
        "new_evaluation.html",
        status,
        form=form,
        **await describe_file(owner_id, row, understood, PREVIEW_ROWS),
    )


def _read_catalogue() -> dict[str, list[MethodDescription]]:
    return {name: read_family(name)["items"] for name in OFFERED_FAMILIES}


async def _show_start(request: Request, text: str, problems: Sequence[str] = ()) -> Response:
    owner_id: UUID = request.scope["owner_id"]
    rows, _ = await read_database(datasets.list_datasets, owner_id, None, OFFERED)
    return build_page_response(
        request,
        "new_evaluation.html",
        422 if problems else 200,
        form=None,
        items=rows,
        json_text=text,
        json_problems=problems,
    )
