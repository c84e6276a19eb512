"""The figures of an evaluation, drawn."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter, Request, Response

from service.api.calls import labour
from service.api.documents import figures_document, identifier
from service.errors import ResourceNotFound
from service.figures.drawing import Format
from service.jobs.figures import drawn, listed
from service.schemas.evaluation import FigureList
from service.schemas.problem import ProblemDocument

router = APIRouter(prefix="/v1/evaluations/{evaluation_id}/figures", tags=["evaluations"])

TYPES: Final[dict[Format, str]] = {"svg": "image/svg+xml", "png": "image/png"}
HEADERS: Final = {
    "Cache-Control": "private, max-age=60",
    "Vary": "Authorization",
    # a picture opened by itself runs nothing and loads nothing
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
}


@router.get(
    "",
    response_model=FigureList,
    responses={
        404: {"model": ProblemDocument},
        409: {"model": ProblemDocument, "description": "result_not_ready, or no_result for ever."},
    },
)
async def get_figures(request: Request, evaluation_id: str) -> dict[str, Any]:
    """Return the names of a result's figures, and where each is drawn."""
    owner_id: UUID = request.scope["owner_id"]
    wanted = identifier(evaluation_id, "evaluation")
    found = await labour(listed, owner_id, wanted)
    return figures_document(wanted, found)


@router.get(
    "/{file_name}",
    responses={
        200: {"description": "The figure.", "content": {kind: {} for kind in TYPES.values()}},
        404: {"model": ProblemDocument},
        409: {"model": ProblemDocument, "description": "result_not_ready, or no_result for ever."},
    },
)
async def get_figure(request: Request, evaluation_id: str, file_name: str) -> Response:
    """Return one figure of a result, ``NAME.svg`` or ``NAME.png``; ``figures`` names them."""
    owner_id: UUID = request.scope["owner_id"]
    wanted = identifier(evaluation_id, "evaluation")
    name, _, ending = file_name.rpartition(".")
    form = next((known for known in TYPES if known == ending), None)
    if form is None:
        raise ResourceNotFound(f"A figure is NAME.svg or NAME.png, and not {file_name[:80]!r}.")
    picture = await labour(drawn, owner_id, wanted, name, form)
    return Response(picture, media_type=TYPES[form], headers=HEADERS)
