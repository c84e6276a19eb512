"""Pages of one evaluation, and of two side by side."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Final
from urllib.parse import urlencode

import orjson
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import ValidationError

from thetahat_presentation.wording import find_value_word
from thetahat_service.api.blocking_calls import read_database, run_in_thread, write_database
from thetahat_service.api.documents import parse_id
from thetahat_service.api.forms import SEE_OTHER, act_from_page, read_form
from thetahat_service.api.loss_responses import open_losses
from thetahat_service.api.page_responses import build_page_response
from thetahat_service.api.query_parameters import Include
from thetahat_service.api.request_parts import EvaluationId, OwnerId
from thetahat_service.api.routes.explorer import A_YEAR
from thetahat_service.api.validation import convert_validation_error
from thetahat_service.errors import DamagedFile, PartsNotKept, ResourceNotFound, Unavailable
from thetahat_service.figures.browser_library import find_library_name, read_library
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.figures.figure import Figure
from thetahat_service.jobs import progress, read, result_parts
from thetahat_service.jobs.cancel import cancel
from thetahat_service.jobs.delete import delete
from thetahat_service.jobs.differences import InstanceQuery, read_differences
from thetahat_service.jobs.reports import list_newest_sign_offs
from thetahat_service.jobs.sign_offs import Signature, compute_digest, sign_result
from thetahat_service.pages.comparison_page import Side, compare, describe_agreement
from thetahat_service.pages.evaluation_list import describe_entry
from thetahat_service.pages.evaluation_page import (
    PlacedFigures,
    list_facts,
    list_used_methods,
    place_figures,
)
from thetahat_service.pages.instance_differences import ShownDifferences, show_differences
from thetahat_service.pages.rendering import read_static
from thetahat_service.pages.request_texts import write_command, write_request
from thetahat_service.pages.shown_results import show_result
from thetahat_service.pages.texts import describe_outcome
from thetahat_service.recomputation.sources import OF_HISTORY, OF_LOSSES
from thetahat_service.reports.building import tabulate_sign_offs
from thetahat_service.schemas.sign_off import SignOffRequest
from thetahat_service.states import EvaluationStatus, SignOffDecision
from thetahat_service.storage.evaluations import EvaluationRow, Filters

router = APIRouter(include_in_schema=False)

INSTANCES: Final = 20
"""Instances of a page of the differences."""
OFFERED: Final = 50
"""Evaluations that the page of a comparison offers."""
MOST_SENTENCES: Final = 200
"""Sentences of many verdicts that a page has; the result as JSON has all."""
NOT_MODIFIED: Final = 304


@router.get("/evaluations/{evaluation_id}")
async def show_evaluation(  # noqa: PLR0913 - the parameters of the query
    request: Request,
    owner_id: OwnerId,
    evaluation_id: EvaluationId,
    a: Annotated[str | None, Query(max_length=200)] = None,
    b: Annotated[str | None, Query(max_length=200)] = None,
    search: Annotated[str, Query(max_length=200)] = "",
    offset: Annotated[int, Query(alias="from", ge=0, le=10**9)] = 0,
    include: Include = None,
) -> Response:
    """Return the page of an evaluation; ``a`` and ``b`` are the models compared by source.

    Parts that its request did not include are computed from the losses that are kept.
    """
    row = await read_database(read.get, owner_id, evaluation_id)
    pair = (a, b) if a is not None and b is not None else None
    parts = [] if include is None else include.split(",")
    context = await run_in_thread(build_evaluation_context, row, pair, parts)
    differences = await run_in_thread(_read_differences, row, pair, search, offset)
    context["differences"] = differences
    needs_key = request.scope["caller"].key_id is not None
    command = write_command(
        context.pop("request"), str(request.base_url).rstrip("/"), needs_key=needs_key
    )
    return build_page_response(request, "evaluation.html", command=command, **context)


def build_evaluation_context(
    row: EvaluationRow, pair: tuple[str, str] | None, include: Sequence[str] = ()
) -> dict[str, Any]:
    """Return what the page of an evaluation shows, with further parts of its result."""
    sent = read.get_request(row)
    detailed = progress.read_progress(row)
    result, digest, signed = None, "", []
    if row.status == EvaluationStatus.SUCCEEDED:
        text = read.read_result(row)
        digest = compute_digest(text)  # of what is kept, which is what people sign
        if include:
            text = result_parts.get_result(row.owner_id, row.id, include)
        result = orjson.loads(text)
        signed = list_newest_sign_offs(row.id)
    document = None if result is None else show_result(result, sent, pair)
    figures = PlacedFigures()
    if result is not None and document is not None:
        figures = place_figures(list_figures(result), document)
    request_text, is_whole = write_request(sent)
    finished, started = row.finished_at, row.started_at
    return {
        "entry": describe_entry(row),
        "seconds": (finished - started).total_seconds() if finished and started else None,
        "learners": detailed.parts,
        "seconds_left": detailed.seconds_left,
        "error": row.error,
        "result": document,
        "most_sentences": MOST_SENTENCES,
        "used": [] if result is None else list_used_methods(result),
        "differences": None,
        "figures": figures,
        "figure_base": f"/v1/evaluations/{row.id}/figures",
        "sign_offs": tabulate_sign_offs(signed, digest) if signed else None,
        "result_sha256": digest,
        "decisions": [(str(each), describe_outcome(each)) for each in SignOffDecision],
        "has_losses": result is not None and "models" in result,
        "has_bundle": result is not None and row.kind not in OF_HISTORY,
        "has_notebook": result is not None
        and row.kind in OF_LOSSES
        and not any("judge" in model for model in result.get("models", {}).values()),
        "more_parts": [] if result is None else result_parts.list_parts_to_come(result),
        "facts": list_facts(row, sent, result),
        "request": sent,
        "request_text": request_text,
        "request_is_whole": is_whole,
    }


def _read_differences(
    row: EvaluationRow, pair: tuple[str, str] | None, search: str, offset: int
) -> ShownDifferences | None:
    """Return the instances on which two models differ most; None where no two are compared."""
    if row.status != EvaluationStatus.SUCCEEDED or row.summary is None:
        return None
    summary: Any = row.summary
    names = [str(model["name"]) for model in summary["models"]]
    if len(names) < 2:
        return None
    result = orjson.loads(read.read_result(row))
    gate = result.get("gate")
    of_gate = (names[0], names[1]) if gate is None else (gate["model"], gate["against"])
    a, b = pair or of_gate
    query = InstanceQuery(a=a, b=b, search=search, offset=offset, limit=INSTANCES)
    find = partial(read.find_losses_file, row.owner_id, row.id)
    try:
        found = open_losses(find, lambda path: read_differences(path, query))
    except (ResourceNotFound, PartsNotKept, DamagedFile, Unavailable) as error:
        return ShownDifferences(pair=(a, b), names=names, search=search, problem=str(error))
    return show_differences(found, names, result, search)


@router.get("/compare")
async def show_comparison(request: Request, owner_id: OwnerId) -> Response:
    """Return the page with two evaluations side by side."""
    query = request.query_params
    ticked = query.getlist("of")  # in the list of evaluations
    if len(ticked) > 2:
        together = urlencode([("of", each) for each in ticked])
        return RedirectResponse(f"/leaderboard?{together}", SEE_OTHER)
    named = ticked[:2] or [query[name] for name in ("a", "b") if query.get(name)]
    wanted = [parse_id(name, "evaluation") for name in named]
    chosen = [await read_database(read.get, owner_id, each) for each in wanted]
    filters = Filters(status=EvaluationStatus.SUCCEEDED)
    rows, _ = await read_database(read.list_evaluations, owner_id, filters, None, OFFERED)
    offered = {row.id: row for row in (*chosen, *rows) if row.summary is not None}
    context: dict[str, Any] = {
        "sides": [],
        "tables": [],
        "sentence": "",
        "has_figures": False,
        "problem": "",
    }
    unknown = next((name for name in query if name not in {"a", "b", "of"}), None)
    if unknown is not None and not named:
        context["problem"] = (
            f"This page has no parameter {unknown}. Choose two evaluations here, or name them as "
            "a and b."
        )
    elif len(ticked) not in {0, 2}:
        context["problem"] = (
            f"{len(ticked)} evaluation was chosen. Choose two to compare them, or more to rank all "
            "their models together."
        )
    elif any(row.summary is None for row in chosen):
        context["problem"] = "Only evaluations with models and a result can be compared."
    elif len(chosen) == 2:
        context |= await run_in_thread(build_comparison, *chosen)
    return build_page_response(
        request,
        "compare.html",
        entries=[describe_entry(row) for row in offered.values()],
        first=describe_entry(chosen[0]) if chosen else None,
        second=describe_entry(chosen[1]) if len(chosen) > 1 else None,
        **context,
    )


def build_comparison(first: EvaluationRow, second: EvaluationRow) -> dict[str, object]:
    """Return the tables of two evaluations side by side."""
    requests = [read.get_request(row) for row in (first, second)]
    results = [orjson.loads(read.read_result(row)) for row in (first, second)]
    sides = [
        Side(
            title=describe_entry(row).title,
            data_sha256=row.data_sha256,
            request=sent,
            document=show_result(result, sent),
            names=list(result["models"]),
        )
        for row, sent, result in zip((first, second), requests, results, strict=True)
    ]
    figures = [
        figure for result in results for figure in list_figures(result) if figure.name == "forest"
    ]
    return {
        "sides": sides,
        "tables": compare(*sides),
        "sentence": describe_agreement(*sides),
        "has_figures": len(figures) == len(sides),
        "axis": _write_shared_axis(figures) if len({*map(find_value_word, results)}) == 1 else "",
    }


def _write_shared_axis(figures: Sequence[Figure]) -> str:
    """Return the parameters of the query with which all figures have the same horizontal axis."""
    domains = [figure.x_domain for figure in figures if figure.x_domain is not None]
    if not domains:
        return ""
    ends = {
        "axis_from": min(low for low, _ in domains),
        "axis_to": max(high for _, high in domains),
    }
    return urlencode({name: f"{end:.6g}" for name, end in ends.items()})


@router.get("/evaluations/{evaluation_id}/request.json")
async def download_request(owner_id: OwnerId, evaluation_id: EvaluationId) -> Response:
    """Return the request of an evaluation as a file."""
    row = await read_database(read.get, owner_id, evaluation_id)
    text = orjson.dumps(await read_database(read.get_request, row), option=orjson.OPT_INDENT_2)
    headers = {"Cache-Control": "no-store", "Content-Disposition": "inline"}
    return Response(text, media_type="application/json", headers=headers)


@router.post("/evaluations/{evaluation_id}/cancel")
async def cancel_from_page(
    request: Request, owner_id: OwnerId, evaluation_id: EvaluationId
) -> Response:
    """Cancel an evaluation, and return to its page."""
    path = f"/evaluations/{evaluation_id}"
    return await act_from_page(request, path, cancel, owner_id, evaluation_id)


@router.post("/evaluations/{evaluation_id}/sign-offs")
async def sign_from_page(
    request: Request, owner_id: OwnerId, evaluation_id: EvaluationId
) -> Response:
    """Sign the result of an evaluation, and return to its page."""
    form = await read_form(request)
    fields = {name: form.get(name, [""])[-1] for name in SignOffRequest.model_fields}
    fields["comment"] = fields["comment"].replace("\r\n", "\n")
    try:
        sent = SignOffRequest.model_validate(fields)
    except ValidationError as error:
        raise convert_validation_error(error, fields, SignOffRequest) from None
    signature = Signature(**sent.model_dump())
    await write_database(sign_result, owner_id, evaluation_id, signature)
    return RedirectResponse(f"/evaluations/{evaluation_id}#sign-offs", SEE_OTHER)


@router.post("/evaluations/{evaluation_id}/delete")
async def delete_from_page(
    request: Request, owner_id: OwnerId, evaluation_id: EvaluationId
) -> Response:
    """Delete an evaluation, and return to the list."""
    return await act_from_page(request, "/", delete, owner_id, evaluation_id)


@router.get("/static/vega-{digest}.js")
async def get_browser_library(request: Request, digest: str) -> Response:
    """Return the JavaScript that draws figures in a browser; its name changes with its content."""
    if f"vega-{digest}.js" != find_library_name():
        raise ResourceNotFound(
            "This release of the library for figures is not here. Load the page again."
        )
    library = await run_in_thread(read_library)
    headers = {"Cache-Control": A_YEAR, "ETag": library.etag, "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == library.etag:
        return Response(status_code=NOT_MODIFIED, headers=headers)
    content = library.content
    if "gzip" in request.headers.get("accept-encoding", ""):
        content, headers["Content-Encoding"] = library.compressed, "gzip"
    return Response(content, media_type="text/javascript; charset=utf-8", headers=headers)


@router.get("/static/{name}")
async def get_static_file(name: str) -> Response:
    """Return a style sheet, script or image of the pages."""
    found = read_static(name)
    if found is None:
        raise ResourceNotFound(f"There is no file {name[:80]!r}.")
    content, media_type = found
    return Response(content, media_type=media_type, headers={"Cache-Control": A_YEAR})
