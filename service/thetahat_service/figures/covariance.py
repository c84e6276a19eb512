"""The block covariance diagram: Figure 1 of the paper on several sources, with numbers.

The losses of block k have the variance sigma_k^2, losses of one block the covariance omega_k, and
losses of the blocks k and l the covariance gamma_kl. One data set holds no covariances, only
products: the cell of two blocks shows the product of their deviations from the overall mean, whose
expectation is gamma_kl if all blocks have one mean.

Source: geras2013 (Figure 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from thetahat_presentation.captions import phrase
from thetahat_presentation.wording import describe_size, find_block_word, is_higher_better
from thetahat_service.figures.by_source import MOST_FIGURES, build_numbered_name
from thetahat_service.figures.figure import Figure, Result
from thetahat_service.figures.marks import build_layer, build_rows
from thetahat_service.figures.style import Json, Style

FEWEST: Final = 3
LABELLED: Final = 40
"""Blocks up to which rows and columns have labels."""
BESIDE: Final = 285
"""Pixels of the strip, of both scales and of the gaps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CovarianceCells:
    """The cells of the diagram of one model."""

    labels: tuple[str, ...]
    """Labels of the blocks."""
    products: tuple[tuple[float, ...], ...]
    """(K, K) products of deviations; on the diagonal without the variance inside the block; NaN
    where one is undefined."""
    within: tuple[float | None, ...]
    """(K,) variance of the losses inside each block."""


def build_covariance(result: Result) -> Iterator[Figure]:
    """Yield the diagram of the best models, if the result has their moments."""
    moments = (result.get("covariance") or {}).get("models") or {}
    best = [model["name"] for model in (result.get("summary") or {}).get("models", ())]
    order = [name for name in best if name in moments]
    order += [name for name in moments if name not in order]
    shown = [name for name in order if len(moments[name]["blocks"]) >= FEWEST][:MOST_FIGURES]
    for place, name in enumerate(shown, start=1):
        yield _build(result, name, centre(moments[name]), place)


def centre(moments: Mapping[str, Any]) -> CovarianceCells:
    """Return the second moments about the average of the block means."""
    means = moments["mean"]
    middle = sum(means) / len(means)
    n = len(means)
    products = tuple(
        tuple(
            math.nan
            if moments["moments"][k][j] is None
            else moments["moments"][k][j] - middle * (means[k] + means[j]) + middle**2
            for j in range(n)
        )
        for k in range(n)
    )
    return CovarianceCells(
        labels=tuple(str(label) for label in moments["blocks"]),
        products=products,
        within=tuple(moments["within_variance"]),
    )


def _build(result: Result, name: str, cells: CovarianceCells, place: int) -> Figure:
    word, words = find_block_word(result), find_block_word(result, 2)
    values = "scores" if is_higher_better(result) else "losses"
    defined_values = [value for value in cells.within if value is not None]
    inside = sum(defined_values) / len(defined_values) if defined_values else None
    diagonal = [row[k] for k, row in enumerate(cells.products) if not math.isnan(row[k])]
    omega = sum(diagonal) / len(diagonal) if diagonal else None
    n = len(cells.labels)
    repeat = result["covariance"].get("repeat")
    size = describe_size(result, result["models"][name])
    note = "" if repeat is None else " The first repeat of several is shown."
    return Figure(
        name=build_numbered_name("covariance", place),
        title=f"{name}: how {values} of one {word} and of two {words} vary together",
        caption=(
            f"Rows and columns are the {n} {words} of {name}, {size}. "
            f"A cell off the diagonal is the product of the deviations of two {words} from the "
            f"overall mean: blue where both are on one side of it. On the diagonal is the "
            f"covariance of two {values} of one {word} (omega), {phrase(omega)} on average. The "
            f"strip on the left is the variance inside each {word} (sigma squared), "
            f"{phrase(inside)} on average, on its own scale. These are products from one data set "
            f"and not covariances: a single cell says little, a pattern may.{note}"
        ),
        alt=(
            f"Covariance diagram of {n} {words} of {name}: {phrase(inside)} inside a {word}, "
            f"{phrase(omega)} between two {values} of one {word}."
        ),
        about=(name,),
        view=lambda style: _build_view(cells, word, style),
    )


def _build_view(cells: CovarianceCells, word: str, style: Style) -> Json:
    palette = style.palette
    n = len(cells.labels)
    values = [
        {"row": cells.labels[k], "column": cells.labels[j], "product": value}
        for k, row in enumerate(cells.products)
        for j, value in enumerate(row)
        if not math.isnan(value)
    ]
    inside = [
        {"row": label, "within": value}
        for label, value in zip(cells.labels, cells.within, strict=True)
        if value is not None
    ]
    products = [value for row in cells.products for value in row if not math.isnan(value)]
    largest = max(map(abs, products), default=1.0) or 1.0
    labelled = n <= LABELLED
    longest = min(style.label_limit / 2, 6 * max(map(len, cells.labels))) if labelled else 10
    side = max(120, min(round(style.width - longest - BESIDE), 560))
    look: Json = {
        "labels": labelled,
        "labelFontSize": min(11, max(7, round(0.75 * side / n))),
        "labelLimit": round(style.label_limit / 2),
    }
    no_gap: Json = {"scale": {"paddingInner": 0, "paddingOuter": 0}}
    y: Json = build_rows("row", cells.labels, word, **look) | no_gap
    x: Json = build_rows("column", cells.labels, labelAngle=-60, **look) | no_gap
    return {
        "spacing": 8,
        "hconcat": [
            {
                "width": 18,
                "height": side,
                **build_layer(
                    "rect",
                    {
                        "y": y,
                        "color": _build_shades(
                            "within",
                            ["inside a", f"{word}, σ²"],
                            {"range": [palette.paper, palette.green], "zero": True},
                            90,
                        ),
                        "tooltip": [
                            {"field": "row", "title": word},
                            {
                                "field": "within",
                                "title": f"variance inside the {word}",
                                "format": ".4~g",
                            },
                        ],
                    },
                    values=inside or [{"row": cells.labels[0], "within": 0}],
                ),
            },
            {
                "width": side,
                "height": side,
                **build_layer(
                    "rect",
                    {
                        "y": {**y, "axis": None},
                        "x": x,
                        "color": _build_shades(
                            "product",
                            ["together:", "ω on the diagonal,", "γ beside it"],
                            {
                                "domain": [-largest, 0, largest],
                                "range": [palette.vermilion, palette.paper, palette.blue],
                            },
                            120,
                        ),
                        "tooltip": [
                            {"field": "row"},
                            {"field": "column"},
                            {"field": "product", "format": ".4~g"},
                        ],
                    },
                    values=values,
                ),
            },
        ],
        "resolve": {"scale": {"color": "independent", "y": "independent"}},
    }


def _build_shades(field: str, title: list[str], scale: Json, length: int) -> Json:
    """Return the colour channel of a number, with a legend of this length beside the cells."""
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {**scale, "interpolate": "rgb"},
        "legend": {
            "orient": "right",
            "direction": "vertical",
            "gradientLength": length,
            "format": ".2~g",
        },
    }
