"""Two evaluations side by side, such as the same learners under two schemes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from thetahat_presentation.document import Cell, Name, Number, Table
from thetahat_presentation.numbers import format_level, format_number
from thetahat_presentation.parts.models import ModelsResult, build_interval, find_recommended
from thetahat_presentation.wording import capitalise

Json = Mapping[str, Any]

MAX_PAIRS: Final = 100
COMPARED: Final = ("kind", "dataset", "task", "scheme", "blocks", "loss", "margin", "level")
"""Fields of a request that are compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two evaluations."""

    title: str
    """Its name, or its kind."""
    data_sha256: str
    """The digest of its data."""
    shown: ModelsResult
    """Its result."""


def compare(first: Side, second: Side) -> list[Table]:
    """Return what differs between the requests, the models, and the pairs of two evaluations."""
    tables = [_compare_requests(first, second)]
    names = [name for name in first.shown.names if name in second.shown.models]
    if names:
        tables.append(_compare_models(first, second, names))
    pairs = _compare_pairs(first, second)
    if pairs.rows:
        tables.append(pairs)
    return tables


def describe_agreement(first: Side, second: Side) -> str:
    """Return in a sentence whether two evaluations are about the same models and data."""
    shared = set(first.shown.models) & set(second.shown.models)
    if not shared:
        return "The two evaluations have no model with the same name, so nothing can be compared."
    data = "the same data" if first.data_sha256 == second.data_sha256 else "different data"
    targets = [side.shown.summary["target"] for side in (first, second)]
    models = "1 model is" if len(shared) == 1 else f"{len(shared)} models are"
    text = f"{models} in both evaluations, which rest on {data}."
    if targets[0] != targets[1]:
        text += (
            " They answer different questions: the first is about the error "
            f"{first.shown.about(targets[0])}, the second about the error "
            f"{second.shown.about(targets[1])}."
        )
    return text


def _compare_requests(first: Side, second: Side) -> Table:
    rows: list[list[Cell]] = []
    for field in COMPARED:
        values = [_write_field(side.shown.request.get(field)) for side in (first, second)]
        if values[0] != values[1]:
            rows.append([capitalise(field), *values])
    targets = [side.shown.about(side.shown.summary["target"]) for side in (first, second)]
    rows.append(["About the error", *targets])
    return Table(caption="What differs", columns=["Field", first.title, second.title], rows=rows)


def _compare_models(first: Side, second: Side, names: Sequence[str]) -> Table:
    rows = []
    for name in names:
        cells: list[Cell] = [Name(name)]
        means = []
        for side in (first, second):
            model = side.shown.models[name]
            interval = find_recommended(model).get(side.shown.summary["target"])
            error = None if interval is None else interval["standard_error"]
            means.append(model["mean"]["macro"])
            cells += [Number(means[-1], error), build_interval(interval)]
        rows.append([*cells, Number(means[1] - means[0], error)])
    return Table(
        caption=f"{capitalise(first.shown.quantity)} of each model",
        columns=[
            "Model",
            first.title,
            _name_interval(first),
            second.title,
            _name_interval(second),
            "Second minus first",
        ],
        rows=rows,
        notes=[
            "The intervals are those of each evaluation.",
            "The last column has no interval, because the two were not computed together.",
        ],
    )


def _name_interval(side: Side) -> str:
    """Return the level of the intervals of an evaluation, and what they are about."""
    summary = side.shown.summary
    return f"{format_level(summary['level'])} interval {side.shown.about(summary['target'])}"


def _compare_pairs(first: Side, second: Side) -> Table:
    verdicts = [
        {frozenset({pair["a"], pair["b"]}): pair for pair in side.shown.comparisons}
        for side in (first, second)
    ]
    rows: list[list[Cell]] = []
    for key, pair in verdicts[0].items():
        second_verdict = verdicts[1].get(key)
        if second_verdict is not None and len(rows) < MAX_PAIRS:
            a, b = pair["a"], pair["b"]
            words = [_write_verdict(pair), _write_verdict(second_verdict)]
            rows.append([Name(f"{a}, {b}"), *words, "yes" if words[0] == words[1] else "no"])
    return Table(
        caption="Verdict on each pair",
        columns=["Pair", first.title, second.title, "Same"],
        rows=rows,
    )


def _write_verdict(pair: Json) -> str:
    """Return the verdict on a pair in words that do not depend on the order of its models."""
    decision, a, b = pair["verdict"]["decision"], pair["a"], pair["b"]
    if decision == "worse":
        return f"{b} is better"
    words = {"better": f"{a} is better", "not_worse": f"{a} is not worse"}
    return words.get(decision, str(decision))


def _write_field(value: Any) -> str:
    if isinstance(value, Mapping):
        parameters = value.get("params") or {}
        inside = ", ".join(f"{key} = {value}" for key, value in parameters.items())
        return f"{value.get('name', '')} ({inside})" if inside else str(value.get("name", ""))
    return format_number(value)
