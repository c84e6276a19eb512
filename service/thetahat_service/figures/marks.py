"""The parts that the specifications of all figures are put together from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from thetahat_service.figures.style import Json

DASHED: Final[Json] = {"strokeDash": [5, 3], "strokeWidth": 1.5}
"""The look of a line that marks a value."""


def build_layer(
    mark: str,
    encoding: Json,
    *,
    values: Sequence[Json] | None = None,
    where: str | Json | None = None,
    **look: Any,
) -> Json:
    """Return a layer of marks.

    Parameters
    ----------
    mark : str
        The type of the marks: rule, point, bar, ...
    values : sequence of mapping or None
        Rows of its own, in the place of those of the figure.
    where : str, mapping or None
        Which rows are drawn.
    **look
        Further properties of the marks.
    """
    layer: Json = {} if values is None else {"data": {"values": values}}
    if where is not None:
        layer["transform"] = [{"filter": where}]
    return {**layer, "mark": {"type": mark, **look}, "encoding": encoding}


def build_lines(field: str, axis: Json, *places: float, along: str = "x", **look: Any) -> Json:
    """Return a layer with a line across the plot at each place of an axis."""
    values = [{field: place} for place in places]
    return build_layer("rule", {along: {"field": field, **axis}}, values=values, **look)


def build_number_axis(title: str, **options: Any) -> Json:
    """Return the axis of numbers; a channel adds its field."""
    return {"type": "quantitative", "title": title, **options}


def build_rows(field: str, names: Sequence[str], title: str | None = None, **axis: Any) -> Json:
    """Return the channel with a row for each name, in this order, without a line of the axis."""
    return {
        "field": field,
        "type": "nominal",
        "sort": list(names),
        "title": title,
        "axis": {"ticks": False, "domain": False, **axis},
    }


def build_categories(
    field: str, names: Sequence[str], looks: Sequence[Any], title: str | None = None, **options: Any
) -> Json:
    """Return the channel that gives each name of a field its colour, shape or dash."""
    return {
        "field": field,
        "type": "nominal",
        "title": title,
        "scale": {"domain": list(names), "range": list(looks)},
        **options,
    }
