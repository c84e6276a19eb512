"""The forest plot: one row for each model, with its mean and its intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from thetahat.metrics import METRICS
from thetahat.values.types import Target
from thetahat_presentation.captions import SIDES, phrase, write_level
from thetahat_presentation.parts.metrics import choose_mean
from thetahat_presentation.targets import TARGETS, name_target
from thetahat_presentation.wording import (
    capitalise,
    describe_size,
    find_block_word,
    find_source_words,
    find_value_word,
    is_higher_better,
    join_words,
)
from thetahat_service.figures.figure import Figure, Result
from thetahat_service.figures.marks import build_layer, build_number_axis, build_rows
from thetahat_service.figures.ranges import CUT, Bar, build_arrowheads, cut_bar, find_domain, is_cut
from thetahat_service.figures.result_types import has_models
from thetahat_service.figures.style import Json, Style, choose_target_colour

if TYPE_CHECKING:
    from thetahat_client.results import IntervalDict, MetricResultDict, ModelResultDict
    from thetahat_service.figures.result_types import ModelsResult

ModelInterval: TypeAlias = "tuple[str, Bar, IntervalDict | None]"
"""The target of an interval, its bar and the interval; empty and None if there is none."""

ROW: Final = 13
"""Height of one interval in pixels; a model has one for each target."""
GAP: Final = 9
"""Pixels between two models."""
MANY: Final = 40
"""Models from which on rows are lower, and the axis is on top as well."""
LOW_ROW: Final = 8
LOW_GAP: Final = 6
LOWEST: Final = 15
"""Height of a row whose label overprints no other."""
PREDICTION: Final = "prediction"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestRow:
    """One interval of one model."""

    model: str
    """Name of the model."""
    target: str
    """What the interval is about, a target or ``prediction``; empty if there is no interval."""
    bar: Bar
    """The estimate with its interval."""
    method: str
    """Name of the interval."""
    size: str
    """The rows, blocks and repeats that it rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """The rows of a forest plot, in order, and its words."""

    models: tuple[str, ...]
    """The models, the best one first."""
    rows: tuple[ForestRow, ...]
    """Their intervals."""
    targets: tuple[str, ...]
    """The targets that have intervals, in the order of the rows of a model."""
    words: Mapping[str, str]
    """The legend entry of each target."""
    axis: str
    """Title of the horizontal axis."""


def build_forest(result: Result) -> Iterator[Figure]:
    """Yield the forest plot of the models, and one for each metric."""
    if not has_models(result):
        return
    models = result["models"]
    quantity = find_value_word(result)
    entries = {name: _collect_loss(model) for name, model in models.items()}
    yield _build_figure(
        result,
        entries,
        name="forest",
        title=f"{capitalise(quantity)} of each model",
        quantity=quantity,
        higher=is_higher_better(result),
    )
    metrics = list(dict.fromkeys(key for m in models.values() for key in m.get("metrics") or {}))
    for key in metrics:
        entries = {
            name: _collect_metric(model["metrics"][key])
            for name, model in models.items()
            if key in (model.get("metrics") or {})
        }
        entries = {name: rows for name, rows in entries.items() if rows}
        if not entries:
            continue
        higher = next(models[name]["metrics"][key]["higher_is_better"] for name in entries)
        title = METRICS[key].info.title if key in METRICS else key
        # A title that begins with a name, such as Matthews or F1, keeps its capital letter.
        is_name = title.split()[0].lower() == key
        quantity = title if is_name else f"{title[:1].lower()}{title[1:]}"
        yield _build_figure(
            result,
            entries,
            name=f"metric_{key}",
            title=title,
            quantity=quantity if key in METRICS else key,
            higher=higher,
        )


def _collect_loss(model: ModelResultDict) -> list[ModelInterval]:
    """Return the recommended intervals of a model's loss, or only its mean if it has none."""
    intervals: dict[str, IntervalDict] = dict(model["recommended"])
    prediction = model.get("prediction")
    if prediction:
        intervals[PREDICTION] = prediction
    if not intervals:
        return [("", Bar(model["mean"]["macro"], None, None), None)]
    return [(target, _make_bar(interval), interval) for target, interval in intervals.items()]


def _make_bar(interval: IntervalDict) -> Bar:
    return Bar(interval["estimate"], interval["lower"], interval["upper"])


def _collect_metric(metric: MetricResultDict) -> list[ModelInterval]:
    """Return the recommended intervals of a metric, or only its value if it has none."""
    if metric["recommended"]:
        return [
            (target, _make_bar(interval), interval)
            for target, interval in metric["recommended"].items()
        ]
    value = choose_mean(metric)
    return [] if value is None else [("", Bar(value, None, None), None)]


def _build_figure(  # noqa: PLR0913 - the words of a figure
    result: ModelsResult,
    entries: Mapping[str, list[ModelInterval]],
    *,
    name: str,
    title: str,
    quantity: str,
    higher: bool,
) -> Figure:
    sign = -1 if higher else 1
    order = sorted(entries, key=lambda model: sign * entries[model][0][1].estimate)
    sizes = {model: describe_size(result, result["models"][model]) for model in order}
    rows = [
        ForestRow(
            model=model,
            target=target,
            bar=bar,
            method="" if interval is None else interval["method"],
            size=sizes[model],
        )
        for model in order
        for target, bar, interval in entries[model]
    ]
    present = {row.target for row in rows}
    targets = tuple(t for t in (*TARGETS, PREDICTION, "") if t in present)
    words: dict[str, str] = {t: _write_legend(t, result) for t in targets}
    intervals = [i for all_rows in entries.values() for _, _, i in all_rows if i is not None]
    forest = Forest(
        models=tuple(order),
        rows=tuple(rows),
        targets=targets,
        words=words,
        axis=f"{quantity} ({'higher' if higher else 'lower'} is better)",
    )
    return Figure(
        name=name,
        title=title,
        caption=_write_caption(result, forest, intervals, quantity),
        alt=_describe(forest, quantity),
        x_domain=_find_domain(forest),
        view=lambda style: _build_view(forest, style),
    )


def _write_legend(target: str, result: ModelsResult) -> str:
    if target == PREDICTION:
        return f"one more {find_block_word(result)}, by itself"
    return name_target(target, find_source_words(result)) if target else "no interval"


def _write_caption(
    result: ModelsResult, forest: Forest, intervals: Sequence[IntervalDict], quantity: str
) -> str:
    first = next(iter(result["models"].values()))
    size = describe_size(result, first)
    text = [f"Each row is a model, the best one on top. A dot is its {quantity} over {size}."]
    if intervals:
        level, side = write_level(intervals[0]["level"]), SIDES[intervals[0]["alternative"]]
        words = [forest.words[t] for t in forest.targets if t not in (PREDICTION, "")]
        bar = f"A bar is the recommended {level} confidence interval{side}"
        text.append(
            f"{bar} for {words[0]}."
            if len(words) == 1
            else f"{bar}; its colour says what it is about: {join_words(words)}."
        )
    if PREDICTION in forest.targets:
        word = find_block_word(result)
        text.append(
            f"The pale bar is where the mean of one more {word} will lie; the interval for a new "
            f"{word} is about the average over all of them."
        )
    if "" in forest.targets:
        text.append("A dot without a bar has no interval.")
    if any(is_cut(row.bar, _find_domain(forest)) for row in forest.rows):
        text.append(CUT)
    if len(forest.models) > 1 and intervals:
        text.append(
            "Two models whose intervals overlap may still differ clearly: the figure of the "
            "differences shows which do."
        )
    return " ".join(text)


def _describe(forest: Forest, quantity: str) -> str:
    best = forest.rows[0]
    of_last = [row for row in forest.rows if row.model == forest.models[-1]]
    # Estimates of different targets may be different means, which are not compared here.
    worst = next((row for row in of_last if row.target == best.target), of_last[-1])
    if len(forest.models) == 1:
        return f"The {quantity} of {best.model} is {phrase(best.bar.estimate)}."
    return (
        f"Forest plot of {len(forest.models)} models by {quantity}: from {best.model} with "
        f"{phrase(best.bar.estimate)} to {worst.model} with {phrase(worst.bar.estimate)}."
    )


def _build_view(forest: Forest, style: Style) -> Json:
    palette = style.palette
    domain = _find_domain(forest)
    if style.x_domain is not None:
        domain = min(domain[0], style.x_domain[0]), max(domain[1], style.x_domain[1])
    values = [
        {
            "model": row.model,
            "target": forest.words[row.target],
            "slot": forest.words[_find_slot(row.target, forest.targets)],
            "predicted": row.target == PREDICTION,
            "method": row.method or "none",
            "size": row.size,
            **cut_bar(row.bar, domain),
        }
        for row in forest.rows
    ]
    words = [forest.words[t] for t in forest.targets]
    slots = list(dict.fromkeys(value["slot"] for value in values))
    slots.sort(key=words.index)
    is_long = len(forest.models) > MANY
    row, gap = (LOW_ROW, LOW_GAP) if is_long else (ROW, GAP)
    step = max(row * len(slots) + gap, LOWEST)
    labels = style.shorten_labels(are_small=is_long)
    shared: Json = {
        "y": {
            **build_rows("model", forest.models, grid=True, labelPadding=8, **labels),
            "scale": {"paddingInner": gap / step, "paddingOuter": gap / step / 2},
        },
        "yOffset": {"field": "slot", "type": "nominal", "sort": slots},
        "color": style.colour_bars(
            "target", words, [_choose_colour(t, style) for t in forest.targets]
        ),
        "tooltip": [
            {"field": "model", "title": "model"},
            {"field": "target", "title": "about"},
            {"field": "estimate", "title": "estimate", "format": ".4~g"},
            {"field": "interval", "title": "interval"},
            {"field": "size", "title": "over"},
            {"field": "method", "title": "method"},
        ],
    }
    x = build_number_axis(
        forest.axis,
        scale={"domain": list(domain), "nice": False, "zero": False},
        axis={"orient": "top" if is_long else "bottom"},
    )
    bar: Json = {**shared, "x": {"field": "from", **x}, "x2": {"field": "to"}}
    return {
        **style.fit_height(len(forest.models) * step),
        "data": {"values": values},
        "layer": [
            build_layer("rule", bar, where="datum.predicted", strokeWidth=row - 3),
            build_layer("rule", bar, where="!datum.predicted", strokeWidth=2.5),
            *build_arrowheads(values, shared, x),
            build_layer(
                "point",
                {**shared, "x": {"field": "estimate", **x}},
                where="!datum.predicted",
                filled=True,
                size=30 if is_long else 55,
                opacity=1,
                stroke=palette.paper,
                strokeWidth=0.5,
            ),
        ],
    }


def _find_domain(forest: Forest) -> tuple[float, float]:
    """Return the ends of the axis; the long intervals for one more source are never cut."""
    bars = [row.bar for row in forest.rows if row.target != PREDICTION]
    long = [row.bar for row in forest.rows if row.target == PREDICTION]
    ends = [end for bar in long for end in (bar.lower, bar.upper) if end is not None]
    return find_domain(bars or long, ends)


def _find_slot(target: str, targets: Sequence[str]) -> str:
    """Return the target whose row an interval is drawn in."""
    return Target.NEW_SOURCE if target == PREDICTION and Target.NEW_SOURCE in targets else target


def _choose_colour(target: str, style: Style) -> str:
    if target == PREDICTION:
        return style.palette.lighten(choose_target_colour(Target.NEW_SOURCE, style.palette))
    return choose_target_colour(target, style.palette) if target else style.palette.ink
