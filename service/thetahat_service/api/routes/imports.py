"""Importing data sets by URL, from hosts that the operator has listed."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Final

from fastapi import APIRouter, Request, Response

from thetahat_service.api.blocking_calls import write_database
from thetahat_service.api.documents import (
    build_dataset_path,
    build_json_response,
    read_dataset_documents,
)
from thetahat_service.api.parser_calls import run_parser
from thetahat_service.api.problem_responses import LIMITED_BODY, describe_problems
from thetahat_service.api.request_parts import OwnerId
from thetahat_service.api.uploads import ALIASES, check_name, count_upload, parse_media_type
from thetahat_service.api.validation import read_valid_body
from thetahat_service.data.formats import FORMATS
from thetahat_service.jobs import datasets, imports
from thetahat_service.jobs.datasets import Upload
from thetahat_service.jobs.imports import FetchedFile
from thetahat_service.schemas.base import Schema
from thetahat_service.schemas.dataset import DatasetImport, DatasetRead
from thetahat_service.storage.open_files import open_file_store

router = APIRouter(prefix="/v1/datasets", tags=["data sets"])

BODIES: Final[dict[str, type[Schema]]] = {"/v1/datasets/import": DatasetImport}
"""The bodies of POST requests, for the OpenAPI document."""
_FETCHING: Final = ThreadPoolExecutor(4, thread_name_prefix="import")
"""Threads that wait for other hosts, so that slow ones delay nothing else."""


@router.post(
    "/import",
    status_code=201,
    response_model=DatasetRead,
    responses={
        200: {"model": DatasetRead, "description": "The same bytes were uploaded before."},
        **describe_problems((502, "The host did not send the file.")),
        **LIMITED_BODY,
    },
)
async def import_dataset(request: Request, owner_id: OwnerId) -> Response:
    """Receive a data set from a URL; its host must be one that the operator has listed."""
    body = await read_valid_body(request, DatasetImport)
    loop, store = asyncio.get_running_loop(), open_file_store()
    with count_upload(owner_id), store.open_upload() as file, store.open_upload() as table:
        fetched = await loop.run_in_executor(
            _FETCHING, copy_context().run, imports.fetch_file, body.url, file
        )
        media_type = _choose_type(body.media_type, fetched)
        name = check_name(body.name or fetched.file_name or None)
        upload = Upload(file, table, media_type, fetched.sha256, fetched.size, name)
        row, is_new = await run_parser(owner_id, datasets.store_upload, owner_id, upload)
    await write_database(imports.note_import, owner_id, row.id)
    headers = {"Location": build_dataset_path(row.id)}
    (document,) = await read_dataset_documents(owner_id, [row])
    return build_json_response(document, 201 if is_new else 200, headers)


def _choose_type(requested: str | None, fetched: FetchedFile) -> str:
    """Return the type of the request, of the answer, or of the ending, whichever is known first."""
    if requested is not None:
        return parse_media_type(requested, None)
    sent_type = fetched.content_type.partition(";")[0].strip().lower()
    is_known = sent_type in FORMATS or sent_type in ALIASES
    return parse_media_type(fetched.content_type if is_known else "", fetched.file_name or None)
