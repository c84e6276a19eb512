"""Quality against cost: one point for each model, with the models that remain joined by a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from thetahat_presentation.captions import write_ends, write_level
from thetahat_presentation.wording import capitalise, find_value_word, is_higher_better, list_names
from thetahat_service.figures.figure import Figure, Result
from thetahat_service.figures.lines import needs_log
from thetahat_service.figures.log_ticks import log_ticks
from thetahat_service.figures.marks import build_layer, build_number_axis
from thetahat_service.figures.result_types import has_models
from thetahat_service.figures.style import Json, Style

HEIGHT: Final = 320
MOST_LABELS: Final = 12
"""Models up to which names stand beside the points; of more only those that remain are named."""
MOST_NAMED: Final = 6


def build_quality_cost(result: Result) -> Iterator[Figure]:
    """Yield the figure of a result whose models have costs."""
    cost: Mapping[str, Any] | None = result.get("cost")
    if cost is None or not has_models(result) or len(result["models"]) < 2:
        return
    rows = [_build_row(result, cost, name) for name in result["models"]]
    quantity, higher = find_value_word(result), is_higher_better(result)
    unit = f" ({cost['unit']})" if cost.get("unit") else ""
    x_title = f"{'mean cost' if cost['measured'] else 'cost'}{unit}"
    y_title = f"{quantity} ({'higher' if higher else 'lower'} is better)"
    level = write_level(result["summary"]["level"])
    bars = "Bars are" if cost["measured"] else "Upright bars are"
    remain = list_names(list(cost["pareto"]), MOST_NAMED)
    yield Figure(
        name="quality_cost",
        title=f"{capitalise(quantity)} and cost of each model",
        caption=(
            f"Each point is a model: what it costs, and its {quantity}. {bars} {level} confidence "
            "intervals of one model alone. Full points remain to choose from: no other model of "
            "them is shown to be cheaper and better, equivalent, or not worse by the margin; "
            "the line joins them. Empty points are dominated by one of them."
        ),
        alt=f"Quality against cost of {len(rows)} models. To choose from remain {remain}.",
        view=lambda style: _build_view(rows, x_title, y_title, style),
    )


def _build_row(result: Result, cost: Mapping[str, Any], name: str) -> Json:
    model: Mapping[str, Any] = result["models"][name]
    interval: Mapping[str, Any] = model["recommended"].get(result["summary"]["target"]) or {}
    of_cost: Mapping[str, Any] = model["cost"].get("interval") or {}
    by = cost["dominated"].get(name)
    return {
        "model": name,
        "cost": model["cost"]["mean"],
        "cost_lower": of_cost.get("lower"),
        "cost_upper": of_cost.get("upper"),
        "cost_interval": write_ends(of_cost.get("lower"), of_cost.get("upper")),
        "mean": interval.get("estimate", model["mean"]["macro"]),
        "lower": interval.get("lower"),
        "upper": interval.get("upper"),
        "interval": write_ends(interval.get("lower"), interval.get("upper")),
        "remains": by is None,
        "beside": "remains" if by is None else f"dominated by {by['by']}",
    }


def _build_view(rows: list[Json], x_title: str, y_title: str, style: Style) -> Json:
    palette = style.palette
    drawn = [row[key] for row in rows for key in ("cost", "cost_lower", "cost_upper")]
    costs = [each for each in drawn if each is not None]
    x = build_number_axis(x_title, scale={"zero": False, "padding": 18})
    if needs_log(costs):
        low, high = min(costs) / 1.3, max(costs) * 1.3
        x["scale"] = {"type": "log", "domain": [low, high], "nice": False}
        x["axis"] = {"values": log_ticks(low, high), "format": ".6~g"}
    y = build_number_axis(y_title, scale={"zero": False, "padding": 18})
    position: Json = {"x": {"field": "cost", **x}, "y": {"field": "mean", **y}}
    colour: Json = {
        "condition": {"test": "datum.remains", "value": palette.blue},
        "value": palette.faint,
    }
    tooltip = [
        {"field": "model", "title": "model"},
        {"field": "cost", "title": x_title, "format": ".4~g"},
        {"field": "cost_interval", "title": "interval of the cost"},
        {"field": "mean", "title": y_title, "format": ".4~g"},
        {"field": "interval", "title": "interval"},
        {"field": "beside", "title": "choice"},
    ]
    bar: Json = {"strokeWidth": 1.5, "opacity": 0.8}
    point: Json = {"size": 80, "strokeWidth": 2, "opacity": 1, "filled": True}
    upright: Json = {"x": position["x"], "y": {**y, "field": "lower"}, "y2": {"field": "upper"}}
    level: Json = {"x": {**x, "field": "cost_lower"}, "x2": {"field": "cost_upper"}}
    return {
        **style.fit_height(HEIGHT),
        "data": {"values": rows},
        "layer": [
            build_layer(
                "line",
                {**position, "order": {"field": "cost"}},
                where="datum.remains",
                color=palette.grid,
                strokeWidth=2,
            ),
            build_layer(
                "rule",
                {**upright, "color": colour},
                where="isValid(datum.lower) && isValid(datum.upper)",
                **bar,
            ),
            build_layer(
                "rule",
                {**level, "y": position["y"], "color": colour},
                where="isValid(datum.cost_lower) && isValid(datum.cost_upper)",
                **bar,
            ),
            build_layer(
                "point",
                {
                    **position,
                    "fill": {**colour, "value": palette.paper},
                    "stroke": colour,
                    "tooltip": tooltip,
                },
                **point,
            ),
            build_layer(
                "text",
                {**position, "text": {"field": "model"}},
                where="true" if len(rows) <= MOST_LABELS else "datum.remains",
                align="left",
                dx=8,
                dy=-9,
                limit=160,
            ),
        ],
    }
