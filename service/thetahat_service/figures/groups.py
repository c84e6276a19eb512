"""The forest plot of models by group: one row for each group and model, the whole as a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from thetahat_presentation.captions import phrase, write_level
from thetahat_presentation.parts.groups import TOO_FEW, write_group
from thetahat_presentation.wording import capitalise, find_value_word, is_higher_better
from thetahat_service.figures.figure import Figure, Result
from thetahat_service.figures.marks import DASHED, build_layer, build_number_axis, build_rows
from thetahat_service.figures.ranges import CUT, Bar, build_arrowheads, cut_bar, find_domain, is_cut
from thetahat_service.figures.result_types import has_models
from thetahat_service.figures.style import Json, Style

MOST_MODELS: Final = 6
"""Models of one figure, the best ones: there are as many colours that are told apart."""
ROW: Final = 13
GAP: Final = 9
MANY: Final = 40
"""Groups from which on labels are smaller."""
_OTHER: Final = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """One model in one group."""

    group: str
    """The group in words."""
    model: str
    """Name of the model."""
    bar: Bar
    """The mean with its interval."""
    n: int
    """Instances of the group."""
    too_few: bool
    """Whether they are too few to say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupForest:
    """The rows of the figure of one column."""

    groups: tuple[str, ...]
    """The groups, in the order of their labels."""
    rows: tuple[GroupRow, ...]
    """Each model in each of them."""
    whole: Mapping[str, float]
    """Mean over all instances, by model."""
    axis: str
    """Title of the horizontal axis."""

    @property
    def domain(self) -> tuple[float, float]:
        """Ends of the horizontal axis."""
        return find_domain([row.bar for row in self.rows], self.whole.values())


def build_groups(result: Result) -> Iterator[Figure]:
    """Yield a figure for each column, and intersection of columns, of groups."""
    if not has_models(result):
        return
    models: Mapping[str, Mapping[str, Any]] = result["models"]
    ranked = [each["name"] for each in result["summary"]["models"] if each["name"] in models]
    names = [name for name in ranked if models[name].get("groups")][:MOST_MODELS]
    if not names:
        return
    used: set[str] = set()
    for key in models[names[0]]["groups"]:
        name = _choose_name(key, used)
        used.add(name)
        parts = {model: models[model]["groups"][key] for model in names}
        if figure := _build_figure(result, name, key, parts):
            yield figure


def _choose_name(key: str, used: set[str]) -> str:
    """Return the name of the figure of a column, whose other characters become underscores."""
    stem = f"groups_{_OTHER.sub('_', key.lower()).strip('_')}"
    name, number = stem, 1
    while name in used:
        number += 1
        name = f"{stem}_{number}"
    return name


def _build_figure(
    result: Result, name: str, key: str, parts: Mapping[str, Mapping[str, Any]]
) -> Figure | None:
    quantity, higher = find_value_word(result), is_higher_better(result)
    rows = [
        GroupRow(
            group=write_group(item["group"]),
            model=model,
            bar=_make_bar(item),
            n=item["n"],
            too_few=item["too_few"],
        )
        for model, groups in parts.items()
        for item in groups["items"]
        if item.get("mean") is not None
    ]
    if not rows:
        return None
    level = next(iter(parts.values()))["simultaneous"]
    forest = GroupForest(
        groups=tuple(dict.fromkeys(row.group for row in rows)),
        rows=tuple(rows),
        whole={model: groups["whole"] for model, groups in parts.items()},
        axis=f"{quantity} ({'higher' if higher else 'lower'} is better)",
    )
    worst = {model: groups["worst"] for model, groups in parts.items() if groups.get("worst")}
    caption = (
        f"Each row is a group by {key}. A dot is the {quantity} of a model, a bar its interval; "
        f"those of all {level['groups']} groups hold at once at {write_level(level['level'])}. A "
        f"dashed line is the {quantity} over all instances. A pale bar has too few rows to say."
    )
    if any(row.bar.lower is None for row in rows):
        caption += " A dot without a bar has no interval."
    if any(is_cut(row.bar, forest.domain) for row in rows):
        caption += f" {CUT}"
    found = "; ".join(
        f"of {model} it is {write_group(each['group'])} with {phrase(each['mean'])}"
        for model, each in worst.items()
    )
    return Figure(
        name=name,
        title=f"{capitalise(quantity)} by {key}",
        caption=caption,
        alt=f"Forest plot of {len(forest.groups)} groups by {key}. The worst group: {found}.",
        x_domain=forest.domain,
        view=lambda style: _build_view(forest, style),
    )


def _make_bar(item: Mapping[str, Any]) -> Bar:
    interval = item.get("interval") or {}
    return Bar(item["mean"], interval.get("lower"), interval.get("upper"))


def _build_view(forest: GroupForest, style: Style) -> Json:
    palette, names = style.palette, list(forest.whole)
    domain = forest.domain
    if style.x_domain is not None:
        domain = min(domain[0], style.x_domain[0]), max(domain[1], style.x_domain[1])
    values = [
        {
            "group": row.group,
            "model": row.model,
            "n": row.n,
            "opacity": 0.4 if row.too_few else 1.0,
            "enough": TOO_FEW if row.too_few else "",
            **cut_bar(row.bar, domain),
        }
        for row in forest.rows
    ]
    step = ROW * len(names) + GAP
    x = build_number_axis(forest.axis, scale={"domain": list(domain), "nice": False, "zero": False})
    colour = style.colour_bars("model", names, palette.series[: len(names)])
    is_long = len(forest.groups) > MANY
    labels = style.shorten_labels(are_small=is_long)
    shared: Json = {
        "y": {
            **build_rows("group", forest.groups, grid=True, labelPadding=8, **labels),
            "scale": {"paddingInner": GAP / step, "paddingOuter": GAP / step / 2},
        },
        "yOffset": {"field": "model", "type": "nominal", "sort": names},
        "color": colour,
        "tooltip": [
            {"field": "group", "title": "group"},
            {"field": "model", "title": "model"},
            {"field": "estimate", "title": "mean", "format": ".4~g"},
            {"field": "interval", "title": "interval"},
            {"field": "n", "title": "instances"},
            {"field": "enough", "title": "note"},
        ],
    }
    opacity: Json = {"field": "opacity", "type": "quantitative", "scale": None}
    bar: Json = {**shared, "x": {"field": "from", **x}, "x2": {"field": "to"}}
    return {
        **style.fit_height(len(forest.groups) * step),
        "data": {"values": values},
        "layer": [
            build_layer(
                "rule",
                {"x": {"field": "whole", **x}, "color": colour},
                values=[{"model": model, "whole": mean} for model, mean in forest.whole.items()],
                **DASHED,
            ),
            build_layer("rule", {**bar, "opacity": opacity}, strokeWidth=2.5),
            *build_arrowheads(values, shared, x),
            build_layer(
                "point",
                {**shared, "x": {"field": "estimate", **x}},
                filled=True,
                size=55,
                opacity=1,
            ),
        ],
    }
