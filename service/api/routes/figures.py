"""The figures of a result, as images."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter, Request, Response

from service.api.blocking_calls import run_in_thread
from service.api.documents import build_figure_list, parse_id
from service.errors import ResourceNotFound
from service.figures.drawing import FigureFormat
from service.jobs import figures
from service.schemas.evaluation import FigureList
from service.schemas.problem import ProblemDocument

router = APIRouter(prefix="/v1/evaluations/{evaluation_id}/figures", tags=["evaluations"])

MEDIA_TYPES: Final[dict[FigureFormat, str]] = {"svg": "image/svg+xml", "png": "image/png"}
HEADERS: Final = {
    "Cache-Control": "private, max-age=60",
    "Vary": "Authorization",
    # an image that is opened by itself runs nothing and loads nothing
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
}
NO_RESULT: Final[dict[int | str, dict[str, Any]]] = {
    404: {"model": ProblemDocument},
    409: {
        "model": ProblemDocument,
        "description": "result_not_ready, or no_result if there will be none.",
    },
}


@router.get("", response_model=FigureList, responses=NO_RESULT)
async def list_figures(request: Request, evaluation_id: str) -> dict[str, Any]:
    """List the figures of a result, with their paths."""
    owner_id: UUID = request.scope["owner_id"]
    wanted = parse_id(evaluation_id, "evaluation")
    found = await run_in_thread(figures.list_figures, owner_id, wanted)
    return build_figure_list(wanted, found)


@router.get(
    "/{file_name}",
    responses={
        200: {
            "description": "The figure.",
            "content": {
                media_type: {"schema": {"type": "string", "format": "binary"}}
                for media_type in MEDIA_TYPES.values()
            },
        },
        **NO_RESULT,
    },
)
async def get_figure(request: Request, evaluation_id: str, file_name: str) -> Response:
    """Return one figure of a result, ``NAME.svg`` or ``NAME.png``."""
    owner_id: UUID = request.scope["owner_id"]
    wanted = parse_id(evaluation_id, "evaluation")
    name, _, ending = file_name.rpartition(".")
    form = next((known for known in MEDIA_TYPES if known == ending), None)
    if form is None:
        raise ResourceNotFound(f"A figure is NAME.svg or NAME.png, not {file_name[:80]!r}.")
    image = await run_in_thread(figures.draw_figure, owner_id, wanted, name, form)
    return Response(image, media_type=MEDIA_TYPES[form], headers=HEADERS)
