"""Learning curves, and whether more rows would help."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from thetahat_presentation.captions import phrase, write_level
from thetahat_presentation.numbers import count
from thetahat_presentation.targets import name_target
from thetahat_presentation.wording import describe_size, find_source_words, find_value_word
from thetahat_service.figures.by_source import MOST_FIGURES, build_numbered_name
from thetahat_service.figures.differences import build_reference_marks
from thetahat_service.figures.figure import Figure, Result
from thetahat_service.figures.lines import Line, LinePlot, build_line_view, needs_log
from thetahat_service.figures.marks import build_layer, build_lines, build_number_axis, build_rows
from thetahat_service.figures.style import Json, Style

if TYPE_CHECKING:
    from thetahat_client.results import CurveDict, SaturationDict

MOST_LEARNERS: Final = 8
"""Learners of one figure: there are as many colours."""
ROW: Final = 26


def build_learning_curves(result: Result) -> Iterator[Figure]:
    """Yield the curves of all learners, eight a figure, and the saturation of each learner."""
    curves = result.get("curves")
    if not curves:
        return
    names = sorted(curves, key=lambda name: _find_last(curves[name]))
    for place, start in enumerate(range(0, len(names), MOST_LEARNERS), start=1):
        part = names[start : start + MOST_LEARNERS]
        title = "Would more rows help?"
        if len(part) < len(names):
            title += f" Learners {start + 1} to {start + len(part)} of {len(names)}"
        yield _build(result, part, place, title)
    with_sizes = [name for name in names if len(curves[name]["saturation"]["sizes"]) > 1]
    for place, name in enumerate(with_sizes[:MOST_FIGURES], start=1):
        yield _build_saturation(result, name, place)


def _choose_target(result: Result) -> str | None:
    """Return what the intervals of a curve are about: the question, where it has intervals."""
    recommended = [
        point["recommended"] for curve in result["curves"].values() for point in curve["points"]
    ]
    wanted: str = result["summary"]["target"]
    if any(wanted in each for each in recommended):
        return wanted
    return next((target for each in recommended for target in each), None)


def _find_last(curve: CurveDict) -> float:
    means: list[float | None] = [*curve["figure"]["y"]]
    return next((mean for mean in reversed(means) if mean is not None), float("inf"))


def _build(result: Result, names: list[str], place: int, title: str) -> Figure:
    curves = {name: result["curves"][name] for name in names}
    target = _choose_target(result)
    lines: list[Line] = []
    for colour, (name, curve) in enumerate(curves.items()):
        drawn, saturation = curve["figure"], curve["saturation"]
        intervals = [point["recommended"].get(target) for point in curve["points"]]
        sizes = [point["size"] for point in curve["points"]]
        enough = saturation["from_size"]
        lines.append(
            Line(
                name=name,
                x=drawn["x"],
                y=drawn["y"],
                lower=[None if each is None else each["lower"] for each in intervals],
                upper=[None if each is None else each["upper"] for each in intervals],
                ringed=(sizes.index(enough),) if enough in sizes else (),
                colour=colour,
            )
        )
    for colour, (name, curve) in enumerate(curves.items()):
        law = curve["figure"]["law"]
        if law is not None:
            lines.append(
                Line(
                    name=f"{name}, power law",
                    x=law["x"],
                    y=law["y"],
                    is_dashed=True,
                    has_points=False,
                    colour=colour,
                )
            )
    values = [x for line in lines for x in line.x]
    quantity = find_value_word(result)
    shown = LinePlot(
        lines=lines,
        x_title="rows to learn from",
        y_title=quantity,
        is_log=needs_log(values),
        intervals="bars",
    )
    first = next(iter(curves.values()))["points"][0]
    caption = (
        f"Each point is the {quantity} over {describe_size(result, first)} after learning from so "
        "many rows, on average over the splits."
    )
    if target is not None:
        level = write_level(result["summary"]["level"])
        caption += (
            f" Bars are the recommended {level} confidence intervals for "
            f"{name_target(target, find_source_words(result))}."
        )
        if len(curves) > 1:
            caption += " Points of one size are drawn beside one another."
    if any(curve["figure"]["law"] for curve in curves.values()):
        caption += " Dashed lines are power laws that were fitted to the points, to look ahead."
    if any(line.ringed for line in lines):
        caption += (
            " A ring is the smallest size that loses no more than the margin against the largest."
        )
    ends = [f"{name} ends at {phrase(_find_last(curve))}" for name, curve in curves.items()]
    return Figure(
        name=build_numbered_name("learning_curve", place),
        title=title,
        caption=caption,
        alt=f"Learning curves of {count(len(names), 'learner')}: {', '.join(ends)}.",
        about=tuple(names) if len(result["curves"]) > len(names) else (),
        view=lambda style: build_line_view(shown, style),
    )


def _build_saturation(result: Result, name: str, place: int) -> Figure:
    saturation = result["curves"][name]["saturation"]
    quantity = find_value_word(result)
    caption = (
        f"Each row is a training size: what {name} loses there against the largest size, by the "
        f"{quantity}. The bar ends at the one-sided upper limit of that loss; without one its "
        f"variance is not known. {saturation['reason']}"
    )
    if saturation["margin"]:
        caption += f" The line on the right of 0 is the margin, {phrase(saturation['margin'])}."
    return Figure(
        name=build_numbered_name("saturation", place),
        title=f"{name}: how many rows are enough?",
        caption=caption,
        alt=f"{saturation['reason']}".rstrip(".") + ".",
        about=(name,),
        view=lambda style: _build_saturation_view(saturation, quantity, style),
    )


def _build_saturation_view(saturation: SaturationDict, quantity: str, style: Style) -> Json:
    palette, margin = style.palette, saturation["margin"]
    rows = [
        {
            "size": f"{size['n_train']} rows",
            "difference": size["difference"],
            "upper": size["upper"],
            "to": size["difference"] if size["upper"] is None else size["upper"],
            "enough": margin is not None and size["upper"] is not None and size["upper"] <= margin,
        }
        for size in saturation["sizes"]
    ]
    x = build_number_axis(f"{quantity} minus that at the largest size")
    shared: Json = {
        "y": build_rows("size", [str(row["size"]) for row in rows], grid=True, labelPadding=8),
        "color": {
            "condition": {"test": "datum.enough", "value": palette.green},
            "value": palette.blue,
        },
        "tooltip": [
            {"field": "size", "title": "rows to learn from"},
            {"field": "difference", "format": ".4~g"},
            {"field": "upper", "title": "upper limit", "format": ".4~g"},
        ],
    }
    layers = build_reference_marks(None, None, x, palette)
    if margin:
        layers.append(build_lines("margin", x, margin, color=palette.green, strokeDash=[5, 3]))
    at: Json = {**shared, "x": {"field": "difference", **x}}
    layers += [
        build_layer("rule", {**at, "x2": {"field": "to"}}, strokeWidth=2.5),
        build_layer("point", at, filled=True, size=70, opacity=1),
    ]
    return {**style.fit_height(ROW * len(rows)), "data": {"values": rows}, "layer": layers}
