"""Uploading, reading, previewing, understanding and deleting data sets."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from thetahat_service.api.blocking_calls import read_database, write_database
from thetahat_service.api.cursors import decode_cursor, encode_cursor
from thetahat_service.api.documents import (
    build_dataset_path,
    build_json_response,
    read_dataset_documents,
)
from thetahat_service.api.parser_calls import run_parser
from thetahat_service.api.problem_responses import LIMITED_BODY, describe_problems
from thetahat_service.api.query_parameters import NO_NUL, Cursor, Limit
from thetahat_service.api.request_parts import DatasetId, OwnerId
from thetahat_service.api.uploads import ALIASES, FORM, MAX_NAME_LENGTH, count_upload, receive
from thetahat_service.data.formats import FORMATS
from thetahat_service.jobs import datasets
from thetahat_service.schemas.dataset import (
    DatasetPage,
    DatasetPreview,
    DatasetRead,
    DatasetUnderstanding,
)
from thetahat_service.settings import get_settings
from thetahat_service.storage.datasets import ROWS
from thetahat_service.storage.open_files import open_file_store

FILTERS = "datasets"
"""The filters in the cursors of this list; a fixed word, because the list has no filters."""
BINARY: dict[str, object] = {"schema": {"type": "string", "format": "binary"}}
FILE_BODY: dict[str, object] = {
    "required": True,
    "content": {
        **dict.fromkeys([*FORMATS, *ALIASES], BINARY),
        FORM: {
            "schema": {
                "title": "DatasetUpload",
                "type": "object",
                "required": ["file"],
                "additionalProperties": False,
                "properties": {
                    "file": {"type": "string", "format": "binary", "description": "The file."},
                    "name": {
                        "type": "string",
                        "maxLength": 200,
                        "description": "Name of the data set; the file's name if it is left out.",
                    },
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
        200: {"model": DatasetRead, "description": "The same bytes were uploaded before."},
        **LIMITED_BODY,
    },
)
async def upload_dataset(
    request: Request,
    owner_id: OwnerId,
    name: Annotated[
        str | None,
        Query(
            description="Name of the data set, if the body is the file.",
            json_schema_extra={"maxLength": MAX_NAME_LENGTH, **NO_NUL},
        ),
    ] = None,
) -> Response:
    """Upload a file of data: as the body itself, or as the file of a form."""
    del name  # read together with the body, because a form has its name there
    store = open_file_store()
    with count_upload(owner_id), store.open_upload() as file, store.open_upload() as table:
        received = await receive(request, file, table, get_settings().max_upload_bytes)
        row, is_new = await run_parser(owner_id, datasets.store_upload, owner_id, received)
    headers = {"Location": build_dataset_path(row.id)}
    (document,) = await read_dataset_documents(owner_id, [row])
    return build_json_response(document, 201 if is_new else 200, headers)


@router.get("", response_model=DatasetPage, responses=describe_problems(422))
async def list_datasets(
    owner_id: OwnerId,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """List data sets, newest first."""
    before = decode_cursor(cursor, FILTERS)
    rows, end = await read_database(datasets.list_datasets, owner_id, before, limit)
    items = await read_dataset_documents(owner_id, rows)
    return build_json_response({"items": items, "next": encode_cursor(end, FILTERS)})


@router.get("/{dataset_id}", response_model=DatasetRead, responses=describe_problems(404))
async def get_dataset(owner_id: OwnerId, dataset_id: DatasetId) -> Response:
    """Return the columns and the format of a data set."""
    row = await read_database(ROWS.fetch, owner_id, dataset_id)
    (document,) = await read_dataset_documents(owner_id, [row])
    return build_json_response(document)


@router.get(
    "/{dataset_id}/preview",
    response_model=DatasetPreview,
    responses=describe_problems(404, 422),
)
async def preview_dataset(
    owner_id: OwnerId,
    dataset_id: DatasetId,
    rows: Annotated[int, Query(ge=1, le=1000, description="How many rows.")] = 20,
) -> Response:
    """Return the first rows of a data set."""
    return build_json_response(
        await run_parser(owner_id, datasets.preview, owner_id, dataset_id, rows)
    )


@router.get(
    "/{dataset_id}/understood",
    response_model=DatasetUnderstanding,
    responses=describe_problems(404, 422),
)
async def understand_dataset(owner_id: OwnerId, dataset_id: DatasetId) -> Response:
    """Return what each column seems to be for, and which questions the file can answer."""
    return build_json_response(
        await run_parser(owner_id, datasets.understand, owner_id, dataset_id)
    )


@router.delete(
    "/{dataset_id}",
    status_code=204,
    responses=describe_problems(404, 409),
)
async def delete_dataset(owner_id: OwnerId, dataset_id: DatasetId) -> Response:
    """Delete a data set that no queued or running evaluation reads."""
    await write_database(datasets.delete, owner_id, dataset_id)
    return Response(status_code=204)
