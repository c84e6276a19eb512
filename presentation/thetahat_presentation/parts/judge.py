"""What the grades of a judge added to the labels of people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from thetahat_presentation.document import Cell, Json, Name, Number, Pair, Section, Table
from thetahat_presentation.numbers import format_count
from thetahat_presentation.parts.models import ModelsResult, build_estimate
from thetahat_presentation.parts.pairs import list_first_pairs

MOST_SENTENCES: Final = 3
"""Sentences about the judge that stand below the verdict."""


def build_judge_section(shown: ModelsResult) -> Section | None:
    """Return the tables about the judge; None for a result without one."""
    parts = list(_list_parts(shown))
    if not parts:
        return None
    return Section(
        name="judge",
        title="What did the judge add to the labels?",
        tables=[_tabulate(parts, shown.level), _tabulate_agreement(shown)],
    )


def describe_judge(shown: ModelsResult) -> list[str]:
    """Return what the judge added, in a sentence for each model; none for many models."""
    found = [(name, model["judge"]) for name, model in shown.models.items() if "judge" in model]
    if len(found) > MOST_SENTENCES:
        return []
    alone = len(found) == 1
    sentences = [
        judge["sentence"] if alone else f"{name}: {judge['sentence']}" for name, judge in found
    ]
    plans = [
        judge["plan"]["sentence"] if alone else f"{name}: {judge['plan']['sentence']}"
        for name, judge in found
        if "plan" in judge
    ]
    return [*dict.fromkeys(sentences), *plans]


def _list_parts(shown: ModelsResult) -> Iterator[tuple[Cell, Json]]:
    """Yield the parts about the judge of models and of the first pairs."""
    for name, model in shown.models.items():
        if "judge" in model:
            yield Name(name), model["judge"]
    for pair in list_first_pairs(shown):
        if "judge" in pair:
            yield Pair(pair["a"], pair["b"]), pair["judge"]


def _tabulate(parts: list[tuple[Cell, Json]], level: str) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "Model or pair": subject,
            "Labels alone": build_estimate(judge["labels_only"]),
            "Labels and judge": build_estimate(judge.get("prediction_powered")),
            "Weight of the judge": Number(judge.get("lambda")),
            "Worth labels": _count(judge.get("effective_labels")),
            "Judge alone": Number(
                judge["judge_only"]["estimate"], judge["labels_only"].get("standard_error")
            ),
            "Bias of the judge": build_estimate(judge["judge_only"]["bias"]),
        }
        for subject, judge in parts
    ]
    first = parts[0][1]
    count = (
        f"{format_count(first['labelled'])} rows have labels, and the judge graded "
        f"{format_count(first['unlabelled'])} more."
    )
    notes = [
        count,
        f"Labels and bias have t intervals ({level}), with the estimate before them.",
        "Bias is the mean of grade minus label.",
    ]
    if any(not judge["is_used"] for _, judge in parts):
        notes.append("Where the caution says so, the recommended interval is that of the labels.")
    return Table.of_rows("Labels alone, labels with the judge, and the judge alone", rows, notes)


def _tabulate_agreement(shown: ModelsResult) -> Table:
    rows: list[list[Cell]] = []
    for name, model in shown.models.items():
        agreement = (model.get("judge") or {}).get("agreement")
        if agreement is not None:
            rates = (agreement[key] for key in ("kappa", "sensitivity", "specificity"))
            observed = Number(agreement["observed"], None)
            rows.append([Name(name), observed, *map(build_estimate, rates)])
    return Table(
        caption="Agreement of judge and labels",
        columns=["Model", "Agreement", "Kappa", "Sensitivity", "Specificity"],
        rows=rows,
        notes=[
            "Sensitivity: the share of grades 1 among labels 1. Specificity: of 0 among labels 0.",
            "Kappa depends on how common each label is.",
        ],
    )


def _count(effective: float | None) -> Cell:
    return "" if effective is None else format_count(int(effective))
