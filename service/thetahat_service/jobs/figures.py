"""The figures of a stored result."""

from __future__ import annotations

from uuid import UUID

import orjson

from thetahat_service.errors import ResourceNotFound
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.figures.figure import Figure
from thetahat_service.jobs import read, result_parts


def read_figures(owner_id: UUID, evaluation_id: UUID) -> tuple[Figure, ...]:
    """Return the figures of an evaluation's result."""
    return list_figures(orjson.loads(read.get_result(owner_id, evaluation_id)))


def read_figure(owner_id: UUID, evaluation_id: UUID, name: str) -> Figure:
    """Return one figure of an evaluation's result, or raise ``ResourceNotFound``.

    Figures of parts that its request did not include are made of parts that are computed now.
    """
    text = read.get_result(owner_id, evaluation_id)
    result = orjson.loads(text)
    figures = {figure.name: figure for figure in list_figures(result)}
    more = result_parts.list_parts_to_come(result)
    if name not in figures and more:
        text = result_parts.get_result(owner_id, evaluation_id, more)
        figures = {figure.name: figure for figure in list_figures(orjson.loads(text))}
    if name not in figures:
        names = ", ".join(figures) or "none"
        raise ResourceNotFound(f"The result has no figure {name[:80]!r}; its figures are: {names}.")
    return figures[name]
