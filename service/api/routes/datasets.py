"""Data sets over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from service.api.calls import ask, change, labour
from service.api.cursors import place, read_place, seal, unseal
from service.api.documents import dataset_document, dataset_path, identifier, json_response
from service.api.uploads import ALIASES, FORM, receive
from service.data.formats import FORMATS
from service.jobs import datasets
from service.schemas.dataset import DatasetPage, DatasetPreview, DatasetRead
from service.schemas.problem import ProblemDocument
from service.settings import settings
from service.storage.files import FileStore

FILTERS = "datasets"
BINARY: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
FILE_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        **dict.fromkeys([*FORMATS, *ALIASES], BINARY),
        FORM: {
            "schema": {
                "type": "object",
                "required": ["file"],
                "properties": {
                    "file": {"type": "string", "format": "binary"},
                    "name": {"type": "string", "maxLength": 200},
                },
            }
        },
    },
}

router = APIRouter(prefix="/v1/datasets", tags=["data sets"])


@router.post(
    "",
    status_code=201,
    response_model=DatasetRead,
    openapi_extra={"requestBody": FILE_BODY},
    responses={
        200: {"model": DatasetRead, "description": "The same bytes were sent before."},
        400: {"model": ProblemDocument},
        413: {"model": ProblemDocument},
        415: {"model": ProblemDocument},
        422: {"model": ProblemDocument},
    },
)
async def upload(
    request: Request,
    name: Annotated[str | None, Query(description="What to call it, for a plain body.")] = None,
) -> Response:
    """Keep a file of data: the body itself, or the one file of a form."""
    del name  # read with the body, where a form's own name stands too
    owner_id = request.scope["owner_id"]
    store = FileStore.open()
    with store.new_upload() as file, store.new_upload() as table:
        arrived = await receive(request, file, table, settings().max_upload_bytes)
        row, is_new = await labour(datasets.keep, owner_id, arrived)
    headers = {"Location": dataset_path(row.id)}
    return json_response(dataset_document(row), 201 if is_new else 200, headers)


@router.get("", response_model=DatasetPage, responses={422: {"model": ProblemDocument}})
async def list_datasets(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(max_length=500)] = None,
) -> Response:
    """List data sets, newest first."""
    inner = unseal(cursor, FILTERS)
    before = None if inner is None else read_place(inner)
    rows, more = await ask(datasets.page, request.scope["owner_id"], before, limit)
    end = place(rows[-1].created_at, rows[-1].id) if more else None
    return json_response({"items": [dataset_document(r) for r in rows], "next": seal(end, FILTERS)})


@router.get(
    "/{dataset_id}", response_model=DatasetRead, responses={404: {"model": ProblemDocument}}
)
async def get_dataset(request: Request, dataset_id: str) -> Response:
    """Return what is known of a data set."""
    wanted = identifier(dataset_id, "data set")
    row = await ask(datasets.get, request.scope["owner_id"], wanted)
    return json_response(dataset_document(row))


@router.get(
    "/{dataset_id}/preview",
    response_model=DatasetPreview,
    responses={404: {"model": ProblemDocument}, 422: {"model": ProblemDocument}},
)
async def preview(
    request: Request,
    dataset_id: str,
    rows: Annotated[int, Query(ge=1, le=1000, description="How many rows.")] = 20,
) -> Response:
    """Return the first rows, and what was understood of the file."""
    wanted = identifier(dataset_id, "data set")
    return json_response(await labour(datasets.preview, request.scope["owner_id"], wanted, rows))


@router.delete(
    "/{dataset_id}",
    status_code=204,
    responses={404: {"model": ProblemDocument}, 409: {"model": ProblemDocument}},
)
async def delete_dataset(request: Request, dataset_id: str) -> Response:
    """Remove a data set that no queued or running evaluation reads."""
    wanted = identifier(dataset_id, "data set")
    await change(datasets.delete, request.scope["owner_id"], wanted)
    return Response(status_code=204)
