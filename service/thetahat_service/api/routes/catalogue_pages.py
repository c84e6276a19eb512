"""Pages of methods, studies and data sets."""

from __future__ import annotations

from contextlib import suppress
from typing import Final
from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from thetahat_service.api.blocking_calls import read_database, run_in_thread
from thetahat_service.api.catalogue import FAMILIES, read_family
from thetahat_service.api.cursors import decode_cursor, encode_cursor
from thetahat_service.api.dataset_pages import describe_file, understand
from thetahat_service.api.forms import SEE_OTHER, TOKEN_FIELD, act_from_page, check_form_token
from thetahat_service.api.page_responses import build_page_response
from thetahat_service.api.paged_lists import PAGE_LENGTH
from thetahat_service.api.parser_calls import run_parser
from thetahat_service.api.request_parts import DatasetId, OwnerId
from thetahat_service.api.uploads import count_upload, receive
from thetahat_service.errors import ServiceError, Unavailable
from thetahat_service.jobs import datasets, read
from thetahat_service.pages.coverage_tables import TITLES
from thetahat_service.pages.evaluation_list import describe_entry
from thetahat_service.pages.kept_studies import list_kept_studies
from thetahat_service.pages.method_page import ShownMethod, describe_family, describe_method
from thetahat_service.settings import get_settings
from thetahat_service.storage.datasets import ROWS
from thetahat_service.storage.evaluations import Filters
from thetahat_service.storage.open_files import open_file_store

router = APIRouter(include_in_schema=False)

PREVIEW_ROWS: Final = 10
LIST_FILTERS: Final = "data set pages"
"""The filters in the cursors of the list of data sets, which has none."""


@router.get("/methods")
async def show_methods(request: Request) -> Response:
    """Return the page with the families of methods."""
    families = await run_in_thread(_list_families)
    return build_page_response(request, "methods.html", families=families)


def _list_families() -> list[tuple[str, str, str, int]]:
    return [(name, *describe_family(name), len(read_family(name)["items"])) for name in FAMILIES]


@router.get("/methods/{family_name}")
async def show_method_family(request: Request, family_name: str) -> Response:
    """Return the page with the methods of a family."""
    items = await run_in_thread(_describe_family, family_name)
    title, text = describe_family(family_name)
    return build_page_response(request, "method_family.html", title=title, text=text, items=items)


def _describe_family(name: str) -> list[ShownMethod]:
    return [describe_method(item, name) for item in read_family(name)["items"]]


@router.get("/studies")
async def show_studies(request: Request, owner_id: OwnerId) -> Response:
    """Return the page with the presets and the studies of the owner."""
    filters = Filters(kind="study")
    rows, _ = await read_database(read.list_evaluations, owner_id, filters, None, PAGE_LENGTH)
    items = await run_in_thread(_describe_family, "presets")
    entries = [describe_entry(row) for row in rows]
    return build_page_response(
        request,
        "studies.html",
        items=items,
        entries=entries,
        kept=list_kept_studies(),
        measured=TITLES,
    )


@router.get("/data-sets")
async def show_datasets(request: Request) -> Response:
    """Return the page with the list of data sets."""
    return await _show_list(request)


async def _show_list(request: Request, error: ServiceError | None = None) -> Response:
    owner_id: UUID = request.scope["owner_id"]
    before = decode_cursor(request.query_params.get("cursor"), LIST_FILTERS)
    rows, end = await read_database(datasets.list_datasets, owner_id, before, PAGE_LENGTH)
    cursor = encode_cursor(end, LIST_FILTERS)
    return build_page_response(
        request,
        "datasets.html",
        200 if error is None else 422,
        items=rows,
        problem="" if error is None else error.message,
        next=None if cursor is None else f"/data-sets?cursor={cursor}",
    )


@router.post("/data-sets")
async def upload_from_page(request: Request, owner_id: OwnerId) -> Response:
    """Store the file of a form, and go on to what was understood of it."""
    check_form_token(request, request.query_params.get(TOKEN_FIELD, ""))
    store = open_file_store()
    try:
        with count_upload(owner_id), store.open_upload() as file, store.open_upload() as table:
            received = await receive(request, file, table, get_settings().max_upload_bytes)
            row, _ = await run_parser(owner_id, datasets.store_upload, owner_id, received)
    except Unavailable:
        raise
    except ServiceError as error:
        with suppress(RuntimeError):  # the whole file was received
            async for _ in request.stream():  # a browser first sends all, then shows the answer
                pass
        return await _show_list(request, error)
    is_for_new = request.query_params.get("next") == "new"
    path = f"/evaluations/new?dataset={row.id}" if is_for_new else f"/data-sets/{row.id}"
    return RedirectResponse(path, SEE_OTHER)


@router.get("/data-sets/{dataset_id}")
async def show_dataset(request: Request, owner_id: OwnerId, dataset_id: DatasetId) -> Response:
    """Return the page of a data set."""
    row = await read_database(ROWS.fetch, owner_id, dataset_id)
    understood = await understand(owner_id, row)
    uses = await read_database(datasets.read_uses, owner_id, [row])
    return build_page_response(
        request,
        "dataset.html",
        uses=uses[row.sha256],
        **await describe_file(owner_id, row, understood, PREVIEW_ROWS),
    )


@router.post("/data-sets/{dataset_id}/delete")
async def delete_dataset_from_page(
    request: Request, owner_id: OwnerId, dataset_id: DatasetId
) -> Response:
    """Delete a data set, and return to the list."""
    return await act_from_page(request, "/data-sets", datasets.delete, owner_id, dataset_id)
