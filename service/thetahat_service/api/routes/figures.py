"""The figures of a result, as specifications and as images."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, Final, Literal

import orjson
from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import FiniteFloat

from thetahat_service.api.blocking_calls import run_in_thread
from thetahat_service.api.documents import build_figure_list
from thetahat_service.api.media_types import choose_media_type
from thetahat_service.api.problem_responses import NO_RESULT, Responses, describe_problems
from thetahat_service.api.request_parts import EvaluationId, OwnerId
from thetahat_service.errors import ResourceNotFound
from thetahat_service.figures.drawing import draw
from thetahat_service.figures.rendering import FigureFormat
from thetahat_service.figures.style import NARROWEST, USUAL_WIDTH, WIDEST, Json, Style, Theme
from thetahat_service.jobs.figures import read_figure, read_figures
from thetahat_service.schemas.evaluation import FigureList

router = APIRouter(prefix="/v1/evaluations/{evaluation_id}/figures", tags=["evaluations"])

ThemeQuery = Annotated[Theme, Query(description="Colours for a light or a dark page.")]
WidthQuery = Annotated[
    int, Query(ge=NARROWEST, le=WIDEST, description="Width of the picture in pixels.")
]
CaptionQuery = Annotated[bool, Query(description="Whether the caption is part of the picture.")]


async def _read_style(
    *, theme: ThemeQuery = "light", width: WidthQuery = USUAL_WIDTH, caption: CaptionQuery = False
) -> Style:
    return Style(theme=theme, width=width, has_caption=caption)


StyleQuery = Annotated[Style, Depends(_read_style)]
"""How a figure is drawn."""
JSON: Final = "json"
MEDIA_TYPES: Final[dict[Literal["svg", "png", "pdf", "json"], str]] = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
    JSON: "application/json",
}
HEADERS: Final = {
    "Cache-Control": "private, max-age=60",
    "Vary": "Authorization, Accept",
    # an image that is opened by itself runs nothing and loads nothing
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
}
FIGURE_RESPONSES: Final[Responses] = {
    200: {
        "description": "The figure.",
        "content": {
            media_type: {"schema": {"type": "string", "format": "binary"}}
            for form, media_type in MEDIA_TYPES.items()
            if form != JSON
        }
        | {"application/json": {"schema": {"type": "object"}}},
    },
    **describe_problems(406, (503, "The figure cannot be drawn now.")),
}
_DRAWING: Final = ThreadPoolExecutor(2, thread_name_prefix="figures")
"""Threads that wait for the drawing process, so that figures delay neither uploads nor losses."""


@router.get("", response_model=FigureList, responses=NO_RESULT)
async def list_figures(owner_id: OwnerId, evaluation_id: EvaluationId) -> dict[str, Any]:
    """List the figures of a result, with their captions and paths."""
    return build_figure_list(
        evaluation_id, await run_in_thread(read_figures, owner_id, evaluation_id)
    )


@router.get(
    "/{file_name}",
    responses={**FIGURE_RESPONSES, **NO_RESULT},
)
async def get_figure(  # noqa: PLR0913 - one argument for each parameter of the query
    request: Request,
    owner_id: OwnerId,
    evaluation_id: EvaluationId,
    file_name: str,
    *,
    theme: ThemeQuery = "light",
    width: WidthQuery = USUAL_WIDTH,
    caption: CaptionQuery = False,
    axis_from: Annotated[
        FiniteFloat | None,
        Query(description="A value that the horizontal axis of a forest plot reaches at least."),
    ] = None,
    axis_to: Annotated[
        FiniteFloat | None,
        Query(description="The same at the other end; send both for figures side by side."),
    ] = None,
) -> Response:
    """Return one figure: ``NAME.svg``, ``.png``, ``.pdf`` or ``.json``, or NAME with Accept.

    JSON is the Vega-Lite specification that the images are drawn from.
    """
    name, form = split_file_name(file_name, request.headers.get("accept"))
    figure = await run_in_thread(read_figure, owner_id, evaluation_id, name)
    axis = None if axis_from is None or axis_to is None else (axis_from, axis_to)
    spec = figure.build_spec(Style(theme=theme, width=width, has_caption=caption, x_domain=axis))
    return await build_figure_response(spec, form)


async def build_figure_response(spec: Json, form: Literal["svg", "png", "pdf", "json"]) -> Response:
    """Return a specification as JSON or as an image."""
    if form == JSON:
        return Response(orjson.dumps(spec), media_type=MEDIA_TYPES[form], headers=HEADERS)
    image = await _draw(spec, form)
    return Response(image, media_type=MEDIA_TYPES[form], headers=HEADERS)


def split_file_name(
    file_name: str, accept: str | None
) -> tuple[str, Literal["svg", "png", "pdf", "json"]]:
    """Return the name of a figure and its format, by the suffix or by the Accept header."""
    name, dot, ending = file_name.rpartition(".")
    if not dot:
        media_type = choose_media_type(accept, tuple(MEDIA_TYPES.values()))
        return file_name, next(name for name, value in MEDIA_TYPES.items() if value == media_type)
    form = next((suffix for suffix in MEDIA_TYPES if suffix == ending), None)
    if form is None:
        raise ResourceNotFound(
            f"A figure is NAME.svg, NAME.png, NAME.pdf or NAME.json, not {file_name[:80]!r}."
        )
    return name, form


async def _draw(spec: Json, form: FigureFormat) -> bytes:
    return await asyncio.get_running_loop().run_in_executor(_DRAWING, draw, spec, form)
