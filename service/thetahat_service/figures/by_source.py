"""The difference of two models in every block, which shows whether few blocks make it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thetahat_presentation.captions import phrase
from thetahat_presentation.wording import (
    find_block_word,
    find_value_word,
    is_higher_better,
    name_block,
)
from thetahat_service.figures.differences import build_reference_marks, find_margin
from thetahat_service.figures.figure import Figure, Result
from thetahat_service.figures.marks import (
    DASHED,
    build_categories,
    build_layer,
    build_lines,
    build_number_axis,
    build_rows,
)
from thetahat_service.figures.result_types import has_models
from thetahat_service.figures.style import Json, Style

if TYPE_CHECKING:
    from thetahat_service.figures.result_types import ComparisonJson, ModelsResult

MOST_FIGURES: Final = 10
"""Pairs that have a figure of their own; of more pairs, those of the best models do."""
MOST_LABELLED: Final = 80
"""Blocks up to which each has a row with its label; more are columns without labels."""
ROW: Final = 16
HEIGHT: Final = 260


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockDifferences:
    """The differences of two models by block, the smallest first."""

    a: str
    b: str
    """The models; a difference is a minus b."""
    blocks: tuple[str, ...]
    """Labels of the blocks."""
    differences: tuple[float, ...]
    """Mean loss of a minus that of b in each block."""
    mean: float
    """Their average."""
    margin: float | None
    """Largest difference that does not matter."""


def build_by_source(result: Result) -> Iterator[Figure]:
    """Yield the figure of each pair of models; none if there are fewer than three blocks."""
    if not has_models(result):
        return
    comparisons: Sequence[ComparisonJson] = result["comparisons"]
    labels = result.get("block_labels") or ()
    if len(labels) < 3 or not comparisons:
        return
    for place, comparison in enumerate(choose_pairs(result, comparisons), start=1):
        a, b = _put_better_first(result, comparison["a"], comparison["b"])
        blocks = _subtract(result, a, b, labels)
        if blocks is not None:
            yield _build_figure(result, build_numbered_name("by_source", place), blocks)


def build_numbered_name(name: str, place: int) -> str:
    """Return the name of the figure at a place: the first one has no number."""
    return name if place == 1 else f"{name}_{place}"


def choose_pairs(
    result: ModelsResult, comparisons: Sequence[ComparisonJson]
) -> Sequence[ComparisonJson]:
    """Return the pairs that have a figure of their own, the most interesting one first."""
    best = [model["name"] for model in result["summary"]["models"]]
    ranks = {name: rank for rank, name in enumerate(best)}
    ranked = sorted(
        comparisons,
        key=lambda pair: ranks.get(pair["a"], len(best)) + ranks.get(pair["b"], len(best)),
    )
    return ranked[:MOST_FIGURES]


def _put_better_first(result: ModelsResult, a: str, b: str) -> tuple[str, str]:
    """Return two models, the one with the better mean first, as the sentence of the page."""
    mean_a, mean_b = (result["models"][name]["mean"]["macro"] for name in (a, b))
    is_worse = mean_a < mean_b if is_higher_better(result) else mean_a > mean_b
    return (b, a) if is_worse else (a, b)


def _subtract(
    result: ModelsResult, a: str, b: str, labels: Sequence[object]
) -> BlockDifferences | None:
    means_a: Sequence[float | None] = result["models"][a]["mean"].get("blocks") or ()
    means_b: Sequence[float | None] = result["models"][b]["mean"].get("blocks") or ()
    if not len(means_a) == len(means_b) == len(labels):
        return None
    pairs = [
        (first - second, str(label))
        for first, second, label in zip(means_a, means_b, labels, strict=True)
        if first is not None and second is not None
    ]
    if len(pairs) < 3:
        return None
    pairs.sort()
    differences = tuple(difference for difference, _ in pairs)
    return BlockDifferences(
        a=a,
        b=b,
        blocks=tuple(label for _, label in pairs),
        differences=differences,
        mean=sum(differences) / len(differences),
        margin=find_margin(result),
    )


def _build_figure(result: ModelsResult, name: str, blocks: BlockDifferences) -> Figure:
    word, words = find_block_word(result), find_block_word(result, 2)
    n = len(blocks.differences)
    higher = is_higher_better(result)
    n_better = sum((d > 0) if higher else (d < 0) for d in blocks.differences)
    n_worse = sum((d < 0) if higher else (d > 0) for d in blocks.differences)
    largest = max(range(n), key=lambda i: abs(blocks.differences[i]))
    place, largest_difference = (
        name_block(word, blocks.blocks[largest]),
        phrase(blocks.differences[largest]),
    )
    quantity = find_value_word(result)
    caption = (
        f"Each bar is one of {n} {words}: the {quantity} of {blocks.a} there minus that "
        f"of {blocks.b}. {blocks.a} is better in {n_better} and worse in {n_worse} of them. The "
        f"dashed line is the average of the {words}, {phrase(blocks.mean)}. The largest difference "
        f"is {largest_difference}, in {place}. Bars have no intervals: a {word} with few rows "
        "differs much by chance."
    )
    if blocks.margin:
        caption += f" The band is the margin, {phrase(blocks.margin)}."
    return Figure(
        name=name,
        title=f"{blocks.a} and {blocks.b} by {word}: a few {words}, or most?",
        caption=caption,
        alt=(
            f"{blocks.a} is better than {blocks.b} in {n_better} of {n} {words} and worse in "
            f"{n_worse}; differences go from {phrase(blocks.differences[0])} to "
            f"{phrase(blocks.differences[-1])}, {phrase(blocks.mean)} on average."
        ),
        about=(blocks.a, blocks.b),
        view=lambda style: _build_view(blocks, style, word=word, quantity=quantity, up=higher),
    )


def _build_view(
    blocks: BlockDifferences, style: Style, *, word: str, quantity: str, up: bool
) -> Json:
    palette = style.palette
    values = [
        {
            "block": block,
            "difference": difference,
            "better": blocks.a if (difference > 0) == up else blocks.b if difference else "neither",
        }
        for block, difference in zip(blocks.blocks, blocks.differences, strict=True)
    ]
    names = [blocks.a, blocks.b, "neither"]
    is_labelled = len(values) <= MOST_LABELLED
    amount = build_number_axis(
        f"{quantity}: {blocks.a} minus {blocks.b}", axis={"titleLimit": style.width - 60}
    )
    labels: Json = {"labels": is_labelled, "labelLimit": style.label_limit, "labelFontSize": 10}
    place = build_rows("block", blocks.blocks, word, **labels)
    place["scale"] = {"paddingInner": 0.25 if is_labelled else 0.05}
    colour = build_categories(
        "better",
        names,
        [palette.blue, palette.vermilion, palette.faint],
        "better there:",
        legend={"values": names[:2], "labelLimit": round(style.width / 3)},
    )
    tooltip = [
        {"field": "block", "title": word},
        {"field": "difference", "format": ".4~g"},
    ]
    along, across = ("x", "y") if is_labelled else ("y", "x")
    marks = build_reference_marks(blocks.margin, None, amount, palette)
    bar: Json = {along: {"field": "difference", **amount}, across: place}
    return {
        **style.fit_height(ROW * len(values) if is_labelled else HEIGHT),
        "data": {"values": values},
        "layer": [
            *(marks if is_labelled else [_swap_axes(mark) for mark in marks]),
            build_layer("bar", {**bar, "color": colour, "tooltip": tooltip}),
            build_lines("mean", amount, blocks.mean, along=along, color=palette.ink, **DASHED),
        ],
    }


def _swap_axes(layer: Json) -> Json:
    """Return a layer with its horizontal position as its vertical one."""
    axes = {"x": "y", "x2": "y2"}
    encoding = {axes.get(channel, channel): value for channel, value in layer["encoding"].items()}
    return {**layer, "encoding": encoding}
