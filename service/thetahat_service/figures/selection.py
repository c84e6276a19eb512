"""Choosing among candidates: internal values, what is chosen, and what the choice is worth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from thetahat_presentation.captions import phrase
from thetahat_presentation.wording import find_block_word, name_block, name_method
from thetahat_service.figures.figure import Figure, Result, clean_name
from thetahat_service.figures.lines import Line, LinePlot, build_line_view, needs_log
from thetahat_service.figures.marks import (
    build_categories,
    build_layer,
    build_number_axis,
    build_rows,
)
from thetahat_service.figures.ranges import Bar, find_domain
from thetahat_service.figures.risk_curves import place_values
from thetahat_service.figures.style import Json, Style

if TYPE_CHECKING:
    from thetahat_client.results import ParameterProfileDict

MOST_CANDIDATES: Final = 60
"""Candidates that are shown: of more, the best ones."""
MOST_SPLITS: Final = 100
ROW: Final = 20
LOW_ROW: Final = 15
SPLIT_ROW: Final = 32
"""Height of an external split: two points, and the name of the chosen candidate above."""
INTERNAL: Final = "internal, by which it is chosen"
EXTERNAL: Final = "external, on rows not used to choose"


def build_selection(result: Result) -> Iterator[Figure]:
    """Yield the candidates, the external splits, and the internal value along each grid."""
    chosen = result.get("chosen")
    if not chosen or "internal" not in result:
        return
    yield _build_candidates(result)
    external = result.get("external")
    if external and external.get("splits"):
        yield _build_splits(result)
    for grid, profile in (result.get("grids") or {}).items():
        for parameter, along in profile["parameters"].items():
            if len(along["values"]) > 1 and sum(m is not None for m in along["mean"]) > 1:
                yield _build_profile(result, grid, parameter, along)


def _find_quantity(result: Result) -> tuple[str, bool]:
    """Return what candidates are chosen by, and whether higher values of it are better."""
    chosen = result["chosen"]
    quantity = "mean loss" if chosen["by"] == "error" else name_method(chosen["by"])
    return quantity, chosen["higher_is_better"]


def _build_candidates(result: Result) -> Figure:
    quantity, higher = _find_quantity(result)
    chosen = result["chosen"]
    candidates = {
        name: candidate
        for name, candidate in result["internal"].items()
        if candidate["mean"] is not None
    }
    order = sorted(
        candidates,
        key=lambda name: -candidates[name]["mean"] if higher else candidates[name]["mean"],
    )
    shown = order[:MOST_CANDIDATES]
    if chosen["name"] not in shown and chosen["name"] in candidates:
        shown.append(chosen["name"])
    wins = (result.get("external") or {}).get("wins") or {}
    rows = []
    for name in shown:
        mean, error = candidates[name]["mean"], candidates[name]["standard_error"]
        rows.append(
            {
                "candidate": name,
                "mean": mean,
                "low": None if error is None else mean - error,
                "high": None if error is None else mean + error,
                "chosen": "chosen" if name == chosen["name"] else "not chosen",
                "wins": wins.get(name),
            }
        )
    splits = next(iter(candidates.values()))["splits"] if candidates else None
    scope = f" over {len(splits)} internal splits" if splits else ""
    caption = (
        f"Each row is a candidate with its internal {quantity}{scope}, the best one on top; bars "
        f"are one standard error. {chosen['name']} is chosen by the rule "
        f"{chosen['rule'].replace('_', ' ')}, on {chosen['chosen_on']}. The internal value of the "
        "chosen candidate is too good, because it is the best of several."
    )
    if len(candidates) > len(shown):
        caption += f" Of {len(candidates)} candidates the best {MOST_CANDIDATES} are shown."
    return Figure(
        name="candidates",
        title="Which candidate is chosen?",
        caption=caption,
        alt=(
            f"Internal {quantity} of {len(shown)} candidates; {chosen['name']} is chosen with "
            f"{phrase(chosen['internal']['mean'])}."
        ),
        view=lambda style: _build_candidate_view(rows, f"internal {quantity}", style),
    )


def _build_candidate_view(rows: list[Json], title: str, style: Style) -> Json:
    palette = style.palette
    bars = [Bar(row["mean"], row["low"], row["high"]) for row in rows]
    domain = find_domain(bars)
    is_long = len(rows) > 40
    x = build_number_axis(
        title,
        scale={"domain": list(domain), "nice": False, "zero": False},
        axis={"orient": "top" if is_long else "bottom"},
    )
    labels = style.shorten_labels(are_small=is_long)
    states = ["chosen", "not chosen"]
    shared: Json = {
        "y": build_rows("candidate", [row["candidate"] for row in rows], grid=True, **labels),
        "color": build_categories("chosen", states, [palette.vermilion, palette.blue]),
        "tooltip": [
            {"field": "candidate"},
            {"field": "mean", "title": title, "format": ".4~g"},
            {"field": "wins", "title": "chosen in external splits"},
        ],
    }
    return {
        **style.fit_height(len(rows) * (LOW_ROW if is_long else ROW)),
        "data": {"values": rows},
        "layer": [
            build_layer(
                "rule",
                {**shared, "x": {"field": "low", **x}, "x2": {"field": "high"}},
                where="isValid(datum.low)",
                strokeWidth=2,
                clip=True,
            ),
            build_layer(
                "point",
                {
                    **shared,
                    "x": {"field": "mean", **x},
                    "shape": build_categories("chosen", states, ["diamond", "circle"]),
                },
                filled=True,
                size=60,
                opacity=1,
            ),
        ],
    }


def _build_splits(result: Result) -> Figure:
    quantity, _ = _find_quantity(result)
    splits, word = result["external"]["splits"], find_block_word(result)
    several = len({split["repeat"] for split in splits}) > 1
    rows: list[Json] = []
    for split in splits[:MOST_SPLITS]:
        label = name_block(word, str(split["block"]))
        if several:
            label += f", repeat {split['repeat'] + 1}"
        for series, value in ((INTERNAL, split["internal"]), (EXTERNAL, split["external"])):
            rows.append(
                {"split": label, "winner": split["winner"], "series": series, "value": value}
            )
    bias = result["bias"]["estimate"]
    caption = (
        f"Each row is one of {len(splits)} external splits, in which a candidate is chosen on the "
        f"training part alone: hollow is its internal {quantity}, filled its {quantity} on the "
        "test part. The name of the chosen candidate is above it. Where the filled point is worse "
        "in most rows, the internal value is too good."
    )
    average = ""
    if bias is not None:
        average = f" On average the external {quantity} minus the internal one is {phrase(bias)}."
        caption += average
    if len(splits) > MOST_SPLITS:
        caption += f" The first {MOST_SPLITS} are shown."
    winners = {split["winner"] for split in splits}
    return Figure(
        name="nested_selection",
        title="What is the choice worth on rows that it has not seen?",
        caption=caption,
        alt=(
            f"Internal and external {quantity} of the chosen candidate in {len(splits)} splits, in "
            f"which {len(winners)} different candidates are chosen.{average}"
        ),
        view=lambda style: _build_split_view(rows, quantity, style),
    )


def _build_split_view(rows: list[Json], quantity: str, style: Style) -> Json:
    palette = style.palette
    x = build_number_axis(quantity, scale={"zero": False, "padding": 10})
    splits = list(dict.fromkeys(row["split"] for row in rows))
    y = build_rows("split", splits, grid=True, labelLimit=style.label_limit)
    series = [INTERNAL, EXTERNAL]
    legend = {"columns": 1 if style.width < 600 else 2}
    place: Json = {"y": y, "x": {"field": "value", **x}}
    colours = [palette.blue, palette.vermilion]
    fills = [palette.paper, palette.vermilion]
    return {
        **style.fit_height(SPLIT_ROW * len(splits)),
        "data": {"values": rows},
        "layer": [
            build_layer(
                "line",
                {**place, "detail": {"field": "split"}},
                color=palette.faint,
                strokeWidth=1.5,
            ),
            build_layer(
                "point",
                {
                    **place,
                    "color": build_categories("series", series, colours, legend=legend),
                    "fill": build_categories("series", series, fills, legend=legend),
                    "tooltip": [
                        {"field": "split"},
                        {"field": "winner", "title": "chosen"},
                        {"field": "series"},
                        {"field": "value", "title": quantity, "format": ".4~g"},
                    ],
                },
                size=70,
                opacity=1,
                strokeWidth=2,
            ),
            build_layer(
                "text",
                {**place, "text": {"field": "winner"}},
                where={"field": "series", "equal": EXTERNAL},
                align="left",
                baseline="bottom",
                dx=-4,
                dy=-6,
                fontSize=10,
                color=palette.faint,
                limit=160,
            ),
        ],
    }


def _build_profile(
    result: Result, grid: str, parameter: str, along: ParameterProfileDict
) -> Figure:
    quantity, higher = _find_quantity(result)
    x, categories = place_values(along["values"])
    means = along["mean"]
    errors = along["standard_error"]
    defined_means = {place: mean for place, mean in enumerate(means) if mean is not None}
    best = (max if higher else min)(defined_means, key=lambda place: defined_means[place])
    pairs = list(zip(means, errors, strict=True))
    lines = [
        Line(
            name=f"internal {quantity}",
            x=x,
            y=means,
            lower=[None if m is None or e is None else m - e for m, e in pairs],
            upper=[None if m is None or e is None else m + e for m, e in pairs],
            ringed=(best,),
        )
    ]
    if along["external"] is not None:
        lines.append(
            Line(name=f"external {quantity}", x=x, y=along["external"], colour=1, is_dashed=True)
        )
    is_log = not categories and needs_log(x)
    drawn = LinePlot(
        lines=lines,
        x_title=parameter,
        y_title=quantity,
        is_log=is_log,
        intervals="bars",
        categories=categories,
    )
    return Figure(
        name=f"profile_{clean_name(f'{grid}_{parameter}')}",
        title=f"{grid}: {quantity} along {parameter}",
        caption=(
            f"Each point is the best candidate of {grid} with this value of {parameter}, over its "
            "other parameters; bars are one standard error of the internal value. The ring is the "
            "best value."
            + (
                " The dashed line is the mean over the external splits."
                if along["external"] is not None
                else ""
            )
        ),
        alt=(
            f"Internal {quantity} along {len(x)} values of {parameter}; the best is "
            f"{along['values'][best]} with {phrase(means[best])}."
        ),
        about=(grid,),
        view=lambda style: build_line_view(drawn, style),
    )
