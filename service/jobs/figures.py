"""The figures of a result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import orjson

from service.errors import ResourceNotFound
from service.figures.drawing import FigureFormat, draw
from service.jobs import read


def list_figures(owner_id: UUID, evaluation_id: UUID) -> list[tuple[str, str]]:
    """Return the name and title of each figure of a result, in its order."""
    figures = figures_by_name(orjson.loads(read.get_result(owner_id, evaluation_id)))
    return [(name, figure["title"]) for name, figure in figures.items()]


def draw_figure(owner_id: UUID, evaluation_id: UUID, name: str, form: FigureFormat) -> bytes:
    """Return one figure of a result as an image, or raise ``ResourceNotFound``."""
    figures = figures_by_name(orjson.loads(read.get_result(owner_id, evaluation_id)))
    if name not in figures:
        known = ", ".join(figures) or "none"
        raise ResourceNotFound(f"The result has no figure {name[:80]!r}; its figures are: {known}.")
    return draw(figures[name], form)


def figures_by_name(result: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the figures of a result by name."""
    return {figure["name"]: figure for figure in result.get("figures", ())}
