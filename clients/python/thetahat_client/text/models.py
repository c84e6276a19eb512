"""The models of a result as a table: their means, and the recommended interval for each target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from thetahat_client.result_types import ModelsResult, find_unit
from thetahat_client.results import (
    BlockNounDict,
    CurvePointDict,
    IntervalDict,
    MetricResultDict,
    ModelResultDict,
)
from thetahat_client.text.group_letters import group_letters
from thetahat_client.text.model_order import MOST_MODELS, is_higher_better, sort_models
from thetahat_client.text.page import Page, format_interval, format_level, format_number

TARGETS: Final = {
    "these_sources": (
        "data like these",
        "the expected {value} on more data from the same {blocks}",
    ),
    "new_source": ("a new {block}", "the expected {value} on one {block} that is not in the data"),
    "new_population": ("the target population", "the expected {value} in the target population"),
    "these_models": ("these trained models", "the {value} of the models as they are trained now"),
}
"""Name and meaning of each target as format strings, in the order in which they are shown."""

PREDICTION_WORDS: Final = "one new {block}'s mean"

RecommendingPart: TypeAlias = CurvePointDict | MetricResultDict | ModelResultDict
"""A part of a result that has a recommended interval for each target."""


def build_models_table(result: ModelsResult, page: Page, *, show_all: bool = True) -> str:
    """Return one row per model, the best first: its means and the recommended intervals.

    There is one column of intervals for each target. A prediction interval, which is for one new
    source's own mean, has a column of its own. Without ``show_all`` the best 15 models are shown.
    Of many models that were tested together, letters show which do not differ.
    """
    models: Mapping[str, ModelResultDict] = result["models"]
    order = sort_models(result)
    shown = order if show_all else order[:MOST_MODELS]
    targets = _list_targets(models)
    level = _find_common_level(models)
    means = _choose_means(models)
    header = ["model", *(f"{mean} mean" if len(means) > 1 else "mean" for mean in means)]
    header += [f"{level}{describe_target(target, page)}" for target in targets]
    has_predictions = any(find_prediction(model) for model in models.values())
    if has_predictions:
        header.append(f"{level}{PREDICTION_WORDS.format(block=page.block)}")
    letters, letters_note = group_letters(result)
    if letters:
        header.append("groups")
    rows = []
    for name in shown:
        model = models[name]
        intervals = find_recommended_intervals(model)
        row = [name, *(format_number(model["mean"].get(mean)) for mean in means)]
        row += [format_interval(intervals.get(target)) for target in targets]
        if has_predictions:
            row.append(format_interval(find_prediction(model)))
        rows.append([*row, *([letters[name]] if letters else [])])
    value = "score" if is_higher_better(result) else "loss"
    notes = list(_iterate_notes(models, targets, find_unit(result), value, page))
    if letters:
        notes.append(letters_note)
    if len(shown) < len(order):
        notes.insert(0, f"and {len(order) - len(shown)} more models: {page.all_option}")
    return page.format_table(header, rows, notes)


def _choose_means(models: Mapping[str, ModelResultDict]) -> list[Literal["macro", "pooled"]]:
    """Return the means to show: one where both are the same number for every model."""
    same = all(
        format_number(model["mean"].get("macro")) == format_number(model["mean"].get("pooled"))
        for model in models.values()
    )
    return ["macro"] if same else ["macro", "pooled"]


def find_recommended_intervals(part: RecommendingPart) -> Mapping[str, IntervalDict]:
    """Return the recommended interval for each target of a model, a metric or a point."""
    if "recommended" in part:
        return part["recommended"]
    # A result of an older release marks them in the list.
    intervals: Sequence[IntervalDict] = part.get("intervals", ())
    return {i["target"]: i for i in intervals if i.get("recommended")}


def find_prediction(model: ModelResultDict) -> IntervalDict | None:
    """Return the interval for the mean loss that one new source will have; None without one."""
    return model.get("prediction")


def describe_target(target: str, page: Page) -> str:
    """Return a target in words."""
    if target not in TARGETS:
        return target.replace("_", " ")
    return TARGETS[target][0].format(block=page.block)


def _list_targets(models: Mapping[str, ModelResultDict]) -> list[str]:
    present = {target for model in models.values() for target in find_recommended_intervals(model)}
    return [target for target in TARGETS if target in present] + sorted(present - set(TARGETS))


def _find_common_level(models: Mapping[str, ModelResultDict]) -> str:
    levels = {i["level"] for m in models.values() for i in find_recommended_intervals(m).values()}
    return f"{format_level(levels.pop())}, " if len(levels) == 1 else ""


def _iterate_notes(
    models: Mapping[str, ModelResultDict],
    targets: list[str],
    unit: BlockNounDict | None,
    value: str,
    page: Page,
) -> Iterator[str]:
    """Yield the notes below the table: the number of instances, and the method for each target."""
    sizes = {(model.get("n"), model.get("blocks")) for model in models.values()}
    if len(sizes) == 1:
        n, blocks = sizes.pop()
        noun = unit or {"singular": "block", "plural": "blocks"}
        yield f"{n} instances in {blocks} {noun['singular' if blocks == 1 else 'plural']}"
    for target in targets:
        intervals = [find_recommended_intervals(model).get(target) for model in models.values()]
        methods = dict.fromkeys(_describe_method(i) for i in intervals if i is not None)
        words = {"block": page.block, "blocks": page.blocks, "value": value}
        meaning = f" ({TARGETS[target][1].format(**words)})" if target in TARGETS else ""
        coverage = _describe_coverage([i for i in intervals if i is not None])
        yield f"{describe_target(target, page)}{meaning}: {', or '.join(methods)}{coverage}"


def _describe_coverage(intervals: Sequence[IntervalDict]) -> str:
    """Return how often such intervals covered in the kept studies; empty if not studied.

    The studied intervals have two sides and one level: the share is not that of others.
    """
    studied = [
        expected["coverage"]
        for interval in intervals
        if (expected := interval.get("expected_coverage")) is not None
        and (expected["level"], "two_sided") == (interval["level"], interval["alternative"])
    ]
    shares = sorted({round(share, 3) for share in studied})
    if not shares:
        return ""
    words = " to ".join(dict.fromkeys(format_level(share) for share in (shares[0], shares[-1])))
    return f"; covers in {words} of simulated samples"


def _describe_method(interval: IntervalDict) -> str:
    words = str(interval["method"])
    if interval.get("variance"):
        words += f" on {interval['variance']}"
    if interval.get("degrees_of_freedom") is not None:
        words += f", {interval['degrees_of_freedom']:g} degrees of freedom"
    if mean := interval.get("mean"):
        words += f", about the {mean} mean"
    return words
