"""What computes the result of an evaluation again: its bundle, and a notebook."""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import ExitStack
from typing import IO, Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response

from thetahat_service.api.blocking_calls import run_in_thread
from thetahat_service.api.documents import parse_id
from thetahat_service.api.loss_responses import CountedResponse, OpenFileResponse
from thetahat_service.api.routes.reports import NO_RESULT, NOT_NOW, RENDERING, describe_content
from thetahat_service.api.routes.results import CACHED, DOWNLOADS
from thetahat_service.figures.drawing import draw
from thetahat_service.jobs.recomputation import build_notebook, open_bundle
from thetahat_service.jobs.reports import read_report_source
from thetahat_service.reports.building import build_report
from thetahat_service.reports.html import render_html
from thetahat_service.schemas.problem import ProblemDocument
from thetahat_service.settings import get_settings

router = APIRouter(prefix="/v1/evaluations/{evaluation_id}", tags=["evaluations"])

ZIP, NOTEBOOK = "application/zip", "application/x-ipynb+json"
REFUSED: Final[dict[int | str, dict[str, Any]]] = {
    404: NO_RESULT[404],
    409: {
        **NO_RESULT[409],
        "description": "result_not_ready, no_result, or parts_not_kept if the numbers do not "
        "follow from what is kept.",
    },
}


@router.get(
    "/bundle.zip",
    response_class=Response,
    responses={
        200: {"description": "The bundle.", **describe_content(ZIP, "binary")},
        **REFUSED,
        503: NOT_NOW,
    },
)
async def get_bundle(
    request: Request,
    evaluation_id: str,
    *,
    report: Annotated[
        bool, Query(description="Whether the report as HTML is one of its files.")
    ] = False,
) -> Response:
    """Return request, result, losses and a statement about them, for `thetahat verify`.

    The statement is signed if the service has a key. The same result gives the same bytes.
    """
    owner_id: UUID = request.scope["owner_id"]
    identifier = parse_id(evaluation_id, "evaluation")
    content = await _render_report(owner_id, identifier) if report else None
    with ExitStack() as stack:
        stack.enter_context(DOWNLOADS.count(owner_id, get_settings().max_downloads))
        file = await run_in_thread(open_bundle, owner_id, identifier, content)
        # of the bytes, because the temporary file is another one at each request
        headers = {**CACHED, "ETag": await run_in_thread(_compute_etag, file)}
        name = f"thetahat-{identifier}.zip"
        response = OpenFileResponse(file, media_type=ZIP, headers=headers, filename=name)
        return CountedResponse(response, stack.pop_all())


def _compute_etag(file: IO[bytes]) -> str:
    digest = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    file.seek(0)
    return f'"{digest}"'


async def _render_report(owner_id: UUID, evaluation_id: UUID) -> bytes:
    source = await run_in_thread(read_report_source, owner_id, evaluation_id)
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(RENDERING, lambda: render_html(build_report(source), draw))


@router.get(
    "/notebook.ipynb",
    response_class=Response,
    responses={
        200: {
            "description": "The notebook, as JSON.",
            "content": {NOTEBOOK: {"schema": {"type": "object"}}},
        },
        **REFUSED,
        413: {"model": ProblemDocument, "description": "The losses are too many for a notebook."},
    },
)
async def get_notebook(request: Request, evaluation_id: str) -> Response:
    """Return a notebook with the losses, which computes the result again with the library."""
    owner_id: UUID = request.scope["owner_id"]
    identifier = parse_id(evaluation_id, "evaluation")
    content = await run_in_thread(build_notebook, owner_id, identifier)
    name = f'attachment; filename="thetahat-{identifier}.ipynb"'
    return Response(content, media_type=NOTEBOOK, headers={**CACHED, "Content-Disposition": name})
