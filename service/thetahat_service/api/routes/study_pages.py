"""Pages of the kept studies, and their figures."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request, Response

from thetahat_service.api.blocking_calls import run_in_thread
from thetahat_service.api.catalogue import read_family
from thetahat_service.api.page_responses import build_page_response
from thetahat_service.api.routes.figures import StyleQuery, build_figure_response, split_file_name
from thetahat_service.errors import ResourceNotFound
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.figures.figure import Figure
from thetahat_service.pages.coverage_tables import MEASURED_TABLES, describe_measured_table
from thetahat_service.pages.kept_studies import read_kept_study
from thetahat_service.pages.method_page import describe_method
from thetahat_service.pages.study_page import describe_kept_study

router = APIRouter(include_in_schema=False)

AN_HOUR: Final = "private, max-age=3600"


@router.get("/studies/{name}")
async def show_kept_study(request: Request, name: str) -> Response:
    """Return the page of a kept study, or of a table that results refer to."""
    if name in MEASURED_TABLES:
        table = await run_in_thread(describe_measured_table, name)
        return build_page_response(request, "measured_table.html", study=table)
    result = await run_in_thread(read_kept_study, name)
    presets = {item["name"]: item for item in read_family("presets")["items"]}
    return build_page_response(
        request,
        "study.html",
        name=name,
        method=describe_method(presets[name], "presets") if name in presets else None,
        study=await run_in_thread(describe_kept_study, result),
        figures=list_figures(result),
        figure_base=f"/studies/{name}/figures",
    )


@router.get("/studies/{name}/figures/{file_name}")
async def get_figure_of_kept_study(
    request: Request, name: str, file_name: str, style: StyleQuery
) -> Response:
    """Return a figure of a kept study, as those of evaluations are returned."""
    figure_name, form = split_file_name(file_name, request.headers.get("accept"))
    figure = await run_in_thread(_find_figure, name, figure_name)
    answer = await build_figure_response(figure.build_spec(style), form)
    answer.headers["Cache-Control"] = AN_HOUR
    return answer


def _find_figure(study: str, name: str) -> Figure:
    figures = {figure.name: figure for figure in list_figures(read_kept_study(study))}
    if name not in figures:
        raise ResourceNotFound(f"The study has no figure {name[:80]!r}.")
    return figures[name]
