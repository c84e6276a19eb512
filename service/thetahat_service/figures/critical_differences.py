"""Critical difference diagrams: the scores of all models, and which do not differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from thetahat_presentation.captions import phrase, write_level
from thetahat_presentation.numbers import count
from thetahat_presentation.wording import find_block_word, name_method
from thetahat_service.figures.figure import Figure, Result, clean_name
from thetahat_service.figures.marks import build_layer, build_number_axis, build_rows
from thetahat_service.figures.style import Json, Style

if TYPE_CHECKING:
    from thetahat_client.results import CriticalDifferenceDiagramDict, PostHocOmnibusResultDict

ROW: Final = 20
LOW_ROW: Final = 15
MANY: Final = 40
MOST_GROUPS: Final = 40
"""Groups whose bars have room; of more, those of the best models are drawn."""


def build_critical_differences(result: Result) -> Iterator[Figure]:
    """Yield a diagram for each test of all models that has one."""
    for name, test in (result.get("omnibus") or {}).items():
        diagram = test.get("diagram")
        if diagram:
            yield _build(result, name, test, diagram)


def _build(
    result: Result,
    name: str,
    test: PostHocOmnibusResultDict,
    diagram: CriticalDifferenceDiagramDict,
) -> Figure:
    scores = diagram["values"]
    order = sorted(scores, key=lambda model: scores[model])
    score = diagram["score"].replace("_", " ")
    groups = [group for group in diagram["groups"] if len(group) > 1]
    rows = test.get("rows")
    unit = test["unit"] if test["unit"] != "block" else find_block_word(result)
    units = (
        f" over {rows} {unit if rows == 1 else find_block_word(result, 2)}"
        if rows and (test["unit"] == "block")
        else (f" over {rows} {test['unit']}s" if rows else "")
    )
    critical = diagram["critical_difference"]
    caption = (
        f"Each row is a model with its {score}{units}, the best one on top. Models that a bar "
        f"connects do not differ at {write_level(diagram['alpha'])}, each bar being a largest "
        "group of neighbours without a difference: they are not told apart, which does not mean "
        "that they are equal."
    )
    if critical is not None:
        caption += f" Two models differ if their scores are {phrase(critical)} apart or more."
    if len(groups) > MOST_GROUPS:
        caption += f" Of {len(groups)} groups the first {MOST_GROUPS} are drawn."
    tied = len(groups[0]) if groups and order[0] in groups[0] else 1
    return Figure(
        name=f"critical_differences_{clean_name(name)}",
        title=f"Groups that do not differ, by {name_method(name)}",
        caption=caption,
        alt=(
            f"Critical difference diagram of {len(order)} models by {score}, from {order[0]} with "
            f"{phrase(scores[order[0]])} to {order[-1]} with {phrase(scores[order[-1]])}; "
            f"{count(len(groups), 'group')}, and the first one has {count(tied, 'model')}."
        ),
        view=lambda style: _build_view(order, scores, groups[:MOST_GROUPS], score, style),
    )


def _build_view(
    order: list[str],
    scores: Mapping[str, float],
    groups: list[list[str]],
    score: str,
    style: Style,
) -> Json:
    palette = style.palette
    is_long = len(order) > MANY
    step = LOW_ROW if is_long else ROW
    best = set(groups[0]) if groups and order[0] in groups[0] else {order[0]}
    values = [{"model": model, "score": scores[model], "first": model in best} for model in order]
    bars = [
        {
            "group": place,
            "first": min(group, key=order.index),
            "last": max(group, key=order.index),
            "size": len(group),
            "is_best": order[0] in group,
        }
        for place, group in enumerate(groups)
    ]
    size = 10 if is_long else 12
    y = build_rows("model", order, grid=True, labelLimit=style.label_limit, labelFontSize=size)
    y["scale"] = {"domain": order}
    longest = max(map(len, order)) * (5.5 if is_long else 6.5)
    legend_width = max(24, min(10 * len(bars) + 14, round(0.3 * style.width)))
    room = style.width - min(style.label_limit, longest) - legend_width - 60
    axis = {"orient": "top" if is_long else "bottom"}
    colour: Json = {
        "condition": {"test": "datum.is_best || datum.first === true", "value": palette.blue},
        "value": palette.faint,
    }
    plot = build_layer(
        "point",
        {
            "y": y,
            "x": {
                "field": "score",
                **build_number_axis(
                    f"{score} (lower is better)", scale={"zero": False, "padding": 12}, axis=axis
                ),
            },
            "color": colour,
            "tooltip": [{"field": "model"}, {"field": "score", "format": ".4~g"}],
        },
        values=values,
        filled=True,
        size=60,
        opacity=1,
    )
    bare = {**axis, "labels": False, "ticks": False, "grid": False, "domain": False}
    legend = build_layer(
        "rule",
        {
            "y": {**y, "field": "first", "axis": None},
            "y2": {"field": "last"},
            "x": {
                "field": "group",
                **build_number_axis(
                    "groups",
                    scale={"domain": [-0.5, max(1, len(bars)) - 0.5], "nice": False},
                    axis=bare,
                ),
            },
            "color": colour,
            "tooltip": [
                {"field": "size", "title": "models in the group"},
                {"field": "first", "title": "from"},
                {"field": "last", "title": "to"},
            ],
        },
        values=bars or [{"group": 0, "first": order[0], "last": order[0]}],
        strokeWidth=4 if len(bars) <= 20 else 2,
        strokeCap="round",
    )
    return {
        "spacing": 6,
        "hconcat": [
            {"width": max(120, round(room)), "height": {"step": step}, **plot},
            {"width": legend_width, "height": {"step": step}, **legend},
        ],
        "resolve": {"scale": {"y": "shared"}},
    }
