"""The error of learners at each training size, and whether more data would help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from thetahat_presentation.document import (
    Cell,
    Document,
    Interval,
    Json,
    Name,
    Number,
    Section,
    Table,
)
from thetahat_presentation.kinds.base import ModelPair, Presentation
from thetahat_presentation.numbers import format_interval, format_number
from thetahat_presentation.parts.cautions import Place, place_cautions
from thetahat_presentation.parts.documents import build_models_document, build_other_document
from thetahat_presentation.parts.metrics import choose_mean
from thetahat_presentation.parts.models import (
    ModelsResult,
    build_interval,
    count_not_shown,
    find_recommended,
)
from thetahat_presentation.targets import sort_targets
from thetahat_presentation.wording import capitalise, join_words, list_names

MOST_ROWS: Final = 200
MOST_CURVES: Final = 5
"""Learners up to which each has sentences about its learning curve."""
DECISIONS: Final = {
    "saturated": "more rows would not help",
    "not_saturated": "more rows would still help",
    "no_improvement_seen": "no improvement was seen, which shows nothing",
    "undecided": "undecided",
}
COUNTS: Final = {
    "saturated": "more rows would not help",
    "not_saturated": "more rows would still help",
    "no_improvement_seen": "the last step showed no improvement",
    "undecided": "it is undecided whether more rows would help",
}
"""The same decisions, as how many learners have them."""
HEADLINES: Final = {
    "not_saturated": "More rows would still help {names}",
    "saturated": "More rows would not help {names}",
    "no_improvement_seen": "The last step showed no improvement of {names}, which shows nothing",
    "undecided": "It is undecided whether more rows would help {names}",
}
WHOLE: Final = "1"
"""The size that is all of a training part."""


def view(result: Json, request: Json, pair: ModelPair | None) -> Document:
    """Return the curves, and the models at the largest size."""
    shown = ModelsResult(result, request)
    main = Section(name="main", title="Learning curve", tables=[_tabulate(result, shown)])
    outcome = list(_describe(result))
    headline = _write_headline(result)
    if not shown.models:
        return build_other_document(result, [headline, *outcome], main)
    placed = [
        each
        for name, curve in result["curves"].items()
        for each in place_cautions(curve.get("cautions"), Place(name))
    ]
    if len(shown.names) > 1:
        headline = f"{headline} {shown.write_verdict()}"
    return build_models_document(
        result, request, pair, headline=headline, outcome=outcome, main=main, more_cautions=placed
    )


def ask(result: Json, request: Json) -> list[str]:
    """Return the question."""
    del request
    names = list_names(list(result["curves"]), 6)
    return [f"How does the error of {names} fall with more training data, and would more help?"]


def _write_headline(result: Json) -> str:
    """Return for which learners more rows would help."""
    by_decision: dict[str, list[str]] = {}
    for name, curve in result["curves"].items():
        by_decision.setdefault(str(curve["saturation"]["decision"]), []).append(name)
    parts = [
        sentence.format(names=list_names(by_decision[decision]))
        for decision, sentence in HEADLINES.items()
        if decision in by_decision
    ]
    return "".join(f"{part}. " for part in parts).rstrip()


def _tabulate(result: Json, shown: ModelsResult) -> Table:
    """Return one row for each learner and size: training rows, mean, intervals and metrics."""
    curves: Mapping[str, Json] = result["curves"]
    points = [point for curve in curves.values() for point in curve["points"]]
    targets = sort_targets(target for point in points for target in find_recommended(point))
    metrics = list(dict.fromkeys(name for point in points for name in point.get("metrics") or ()))
    order = [name for name in shown.names if name in curves]
    rows: list[list[Cell]] = []
    for name in (*order, *(name for name in curves if name not in order)):
        for point in curves[name]["points"]:
            intervals = [find_recommended(point).get(target) for target in targets]
            first = next((each for each in intervals if each is not None), {})
            mean = point["mean"]["macro"]
            row: list[Cell] = [
                Name(name),
                Name("1 (all)" if str(point["size"]) == WHOLE else str(point["size"])),
                Number(_round(point["n_train"].get("mean"))),
                Number(mean, first.get("standard_error")),
            ]
            row += map(build_interval, intervals)
            rows.append([*row, *(_build_metric(point, metric, targets) for metric in metrics)])
    quantity = capitalise(shown.quantity)
    columns = ["Learner", "Size", "Training rows", quantity]
    columns += [f"{shown.level} interval {shown.about(target)}".strip() for target in targets]
    return Table(
        caption=f"{quantity} at each training size",
        columns=[*columns, *metrics],
        rows=rows[:MOST_ROWS],
        notes=[
            "The learner with the best value at the largest size is first.",
            *count_not_shown(len(rows), MOST_ROWS),
        ],
    )


def _build_metric(point: Json, name: str, targets: list[str]) -> Cell:
    """Return a metric of a point with the interval for the first target that has one."""
    metric = (point.get("metrics") or {}).get(name)
    if metric is None:
        return Number(None)
    recommended = find_recommended(metric)
    interval = next((recommended[each] for each in targets if each in recommended), None)
    value = choose_mean(metric)
    if interval is None:
        return Number(value, metric.get("standard_error"))
    error = metric.get("standard_error")
    return Interval(interval["lower"], interval["upper"], error, value)


def _round(mean: float | None) -> int | None:
    """Return the mean number of rows over the splits, as a whole number."""
    return None if mean is None else round(mean)


def _describe(result: Json) -> Iterator[str]:
    """Yield the sentences about each learner; of many, how many have which decision."""
    curves = result["curves"]
    if len(curves) > MOST_CURVES:
        decisions = [curve["saturation"]["decision"] for curve in curves.values()]
        parts = [
            f"{words} for {decisions.count(decision)}"
            for decision, words in COUNTS.items()
            if decision in decisions
        ]
        yield f"Of {len(decisions)} learners, {join_words(parts)}."
        return
    for name, curve in curves.items():
        saturation = curve["saturation"]
        words = DECISIONS.get(saturation["decision"], "")
        yield f"{name}: {words}. {str(saturation['reason']).removesuffix('.')}."
        law = curve.get("power_law")
        if law is not None:
            yield (
                f"{name}: the power law {law['formula']} predicts an error of "
                f"{_predict(law['at_all_rows'])} and of {_predict(law['at_twice_as_many'])}."
            )


def _predict(prediction: Json) -> str:
    lower, upper = prediction["lower"], prediction["upper"]
    estimate, rows = prediction["estimate"], prediction["n"]
    if lower is None or upper is None:
        return f"{format_number(estimate)} from {rows} rows"
    text, ends = format_interval(estimate, lower, upper)
    return f"{text} ({ends}) from {rows} rows"


PRESENTATION = Presentation(name="learning_curve", title="Learning curve", view=view, ask=ask)
