"""What computes the result of an evaluation again: its bundle, and a notebook."""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import ExitStack
from typing import IO, Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query, Response

from thetahat_service.api.blocking_calls import run_in_thread
from thetahat_service.api.loss_responses import CountedResponse, OpenFileResponse
from thetahat_service.api.problem_responses import describe_problems
from thetahat_service.api.request_parts import EvaluationId, OwnerId
from thetahat_service.api.routes.reports import NOT_NOW, RENDERING, describe_content
from thetahat_service.api.routes.results import CACHED, DOWNLOADS
from thetahat_service.figures.drawing import draw
from thetahat_service.jobs.recomputation import build_notebook, open_bundle
from thetahat_service.jobs.reports import read_report_source
from thetahat_service.reports.building import build_report
from thetahat_service.reports.html import render_html
from thetahat_service.settings import get_settings

router = APIRouter(prefix="/v1/evaluations/{evaluation_id}", tags=["evaluations"])

ZIP, NOTEBOOK = "application/zip", "application/x-ipynb+json"
NOT_AGAIN: Final = (
    "result_not_ready, no_result, or parts_not_kept if the numbers do not follow from what is kept."
)
REFUSED: Final = describe_problems(404, (409, NOT_AGAIN))


@router.get(
    "/bundle.zip",
    response_class=Response,
    responses={
        200: {"description": "The bundle.", **describe_content(ZIP, "binary")},
        **REFUSED,
        **NOT_NOW,
    },
)
async def get_bundle(
    owner_id: OwnerId,
    evaluation_id: EvaluationId,
    *,
    report: Annotated[
        bool, Query(description="Whether the report as HTML is one of its files.")
    ] = False,
) -> Response:
    """Return request, result, losses and a statement about them, for `thetahat verify`.

    The statement is signed if the service has a key. The same result gives the same bytes.
    """
    content = await _render_report(owner_id, evaluation_id) if report else None
    with ExitStack() as stack:
        stack.enter_context(DOWNLOADS.count(owner_id, get_settings().max_downloads))
        file = await run_in_thread(open_bundle, owner_id, evaluation_id, content)
        # of the bytes, because the temporary file is another one at each request; so is its time
        headers = {**CACHED, "ETag": await run_in_thread(_compute_etag, file)}
        name = f"thetahat-{evaluation_id}.zip"
        response = OpenFileResponse(file, media_type=ZIP, headers=headers, filename=name)
        del response.headers["Last-Modified"]
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
        **describe_problems((413, "The losses are too many for a notebook.")),
    },
)
async def get_notebook(owner_id: OwnerId, evaluation_id: EvaluationId) -> Response:
    """Return a notebook with the losses, which computes the result again with the library."""
    content = await run_in_thread(build_notebook, owner_id, evaluation_id)
    name = f'attachment; filename="thetahat-{evaluation_id}.ipynb"'
    return Response(content, media_type=NOTEBOOK, headers={**CACHED, "Content-Disposition": name})
