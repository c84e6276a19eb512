"""The histogram of importance weights, with the effective sample size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from thetahat.values.number_text import format_count, format_percent
from thetahat_presentation.captions import phrase
from thetahat_service.figures.figure import Figure, Result
from thetahat_service.figures.marks import (
    DASHED,
    build_categories,
    build_layer,
    build_lines,
    build_number_axis,
)
from thetahat_service.figures.style import Json, Style

BINS: Final = 30
HEIGHT: Final = 260
ROWS: Final = "share of the rows"
WEIGHT: Final = "share of the total weight"


def build_weights(result: Result) -> Iterator[Figure]:
    """Yield the histogram, if the result has weights."""
    weights = result.get("weights")
    if not isinstance(weights, dict) or not weights.get("values"):
        return
    n, effective = weights["n"], weights["effective_sample_size"]
    largest = format_percent(round(weights["largest_share"], 3))
    yield Figure(
        name="weights",
        title=f"Importance weights: {format_count(n)} rows count like {round(effective)}",
        caption=(
            f"The bars show how the weights of {format_count(n)} rows are distributed: blue is the "
            "share of the rows whose weight is in the range, orange the share of the total weight "
            "that these rows have. Where orange is far above blue on the right, few rows decide. "
            f"The effective sample size is {phrase(effective)}: an unweighted mean of that many "
            f"rows would be as certain. The largest weight, {phrase(weights['largest'])}, is "
            f"{largest} of the total. The line is the mean weight, {phrase(weights['mean'])}."
        ),
        alt=(
            f"Histogram of {format_count(n)} weights with mean {phrase(weights['mean'])}, largest "
            f"{phrase(weights['largest'])} and effective sample size {phrase(effective)}."
        ),
        view=lambda style: _build_view(count_weights(weights["values"]), weights["mean"], style),
    )


def count_weights(values: list[float]) -> list[Json]:
    """Return, for each bin, its ends, the share of the rows and the share of the weight in it."""
    array = np.asarray(values, dtype=np.float64)
    top = float(array.max()) or 1.0
    edges = np.linspace(0.0, top, BINS + 1)
    place = np.minimum(np.searchsorted(edges, array, side="right") - 1, BINS - 1)
    rows = np.bincount(place, minlength=BINS) / len(array)
    total = float(array.sum()) or 1.0
    weight = np.bincount(place, weights=array, minlength=BINS) / total
    half = float(edges[1] - edges[0]) / 2
    bars: list[dict[str, Any]] = []
    for left, share, part in zip(edges[:-1].tolist(), rows.tolist(), weight.tolist(), strict=True):
        bars += [
            {"series": ROWS, "left": left, "right": left + half, "from": left, "share": share},
            {
                "series": WEIGHT,
                "left": left + half,
                "right": left + 2 * half,
                "from": left,
                "share": part,
            },
        ]
    return [{**row, "to": row["from"] + 2 * half} for row in bars]


def _build_view(rows: list[Json], mean: float, style: Style) -> Json:
    palette = style.palette
    x = build_number_axis("weight")
    y = build_number_axis("share", axis={"format": ".0%"}, scale={"zero": True})
    columns = {"columns": style.count_legend_columns((ROWS, WEIGHT))}
    colours = [palette.blue, palette.vermilion]
    encoding: Json = {
        "x": {"field": "left", **x},
        "x2": {"field": "right"},
        "y": {"field": "share", **y},
        "y2": {"datum": 0},
        "color": build_categories("series", [ROWS, WEIGHT], colours, legend=columns),
        "tooltip": [
            {"field": "series"},
            {"field": "from", "title": "weights from", "format": ".3~g"},
            {"field": "to", "title": "to", "format": ".3~g"},
            {"field": "share", "format": ".2%"},
        ],
    }
    return {
        **style.fit_height(HEIGHT),
        "data": {"values": rows},
        "layer": [
            build_layer("rect", encoding),
            build_lines("mean", x, mean, **DASHED),
        ],
    }
