"""Which questions a table of losses can answer, and what the others would need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from thetahat.roles.contents import Contents
from thetahat.roles.further_questions import (
    ask_about_raters,
    list_further_questions,
    list_further_questions_of_long_table,
)
from thetahat.roles.long_tables import LongColumns
from thetahat.roles.names import NAMED_LABELS, is_label_name, is_name_of
from thetahat.roles.proposals import Proposal, Role, list_of
from thetahat.tables.labels import list_names
from thetahat.tables.missing_codes import find_missing_code
from thetahat.tables.totals import find_computed_total, find_named_total
from thetahat.values.types import FloatArray


def list_questions(
    proposals: Mapping[str, Proposal],
    rows: int,
    contents: Contents,
    numbers: Mapping[str, FloatArray],
) -> list[str]:
    """Return a sentence on each question, for a table with a row for each test instance.

    ``numbers`` are the (n,) values of the columns that are proposed as models, by name.
    """
    faults = [*_list_faults(proposals, numbers)]
    if contents.kind != "losses":
        return [*faults, *_describe_other_kind(proposals, contents)]
    models = [proposal.name for proposal in list_of(proposals, Role.MODEL)]
    sentences = [
        *faults,
        *_describe_gaps(list_of(proposals, Role.MODEL)),
        *_describe_models(models),
        *_describe_doubts(list_of(proposals, Role.FAULTY, Role.UNCLEAR)),
    ]
    used = [name for name in NAMED_LABELS if name in proposals]
    sentences += [
        f"thetahat compare FILE takes column {name!r} as the {name} of each row, by its name."
        for name in used
    ]
    labels = [
        label
        for label in list_of(proposals, Role.LABEL)
        if not (is_name_of("group", label.name) or is_name_of("time", label.name))
        and label.name not in used
    ]
    sentences += [
        (
            f"Whether this holds for a new {label.name}: name it as the block; if rows with the "
            f"same {label.name} only depend on each other, name it as the cluster."
        )
        for label in labels
    ]
    if not (labels or {"block", "cluster"} & {*used}):
        sentences.append(
            f"Whether this holds elsewhere: no. No column says which rows belong together, and the "
            f"{rows} rows are taken as independent. A column with the source of each row, such as "
            "a school or a document, would be needed."
        )
    return [*sentences, *list_further_questions(proposals)]


def _list_faults(
    proposals: Mapping[str, Proposal], numbers: Mapping[str, FloatArray]
) -> Iterator[str]:
    """Yield sentences on rows and numbers that seem to be no observations."""
    total = find_named_total(proposal.column for proposal in proposals.values())
    total = total or find_computed_total([*numbers.values()])
    if total is not None:
        yield f"Row {total.row} seems to sum up other rows: {total.reason}."
    code = find_missing_code(numbers)
    if code is not None:
        yield (
            f"Column {code.name!r} has {code.code} in row {code.row} ({code.n} rows), and "
            f"{code.low:g} to {code.high:g} in the others: such numbers often stand for missing "
            "values."
        )


def _describe_gaps(models: list[Proposal]) -> Iterator[str]:
    """Yield a sentence on the first model without a value in some rows."""
    gaps = [(p.name, p.column.first_missing) for p in models if p.column.first_missing is not None]
    for name, row in gaps[:1]:
        others = f", and {len(gaps) - 1} more models lack values" if gaps[1:] else ""
        yield (
            f"Model {name!r} has no value in row {row}{others}: fill them in, or say that such "
            "rows are left out (--missing leave_out)."
        )


def _describe_other_kind(proposals: Mapping[str, Proposal], contents: Contents) -> list[str]:
    """Return what predictions, or data to learn from, can answer."""
    if contents.lacking:
        needed = f"Columns with {contents.lacking} would be needed"
        remedy = "If a column has losses or scores, name it (thetahat compare FILE --model COLUMN)"
        sentences = [f"How good a model is: no. {needed}. {remedy}."]
        use = "name it as the block"
    elif contents.kind == "predictions":
        sentences = [
            "How good each model is, and which is better, as they are trained: yes.",
            "For that the request, of kind predictions, names the columns of predictions.",
        ]
        use = "name it as the block"
    else:
        sentences = [
            "How good learners are that are trained on these rows: yes, by cross-validation.",
            _describe_trained(proposals),
        ]
        use = "name it as the source, and leave whole sources out"
    labels = [p for p in list_of(proposals, Role.LABEL) if is_label_name(p.name)]
    sentences += [f"Whether this holds for a new {p.name}: {use}." for p in labels]
    if not labels:
        sentences.append(
            "Whether this holds elsewhere: no. No column has the name of sources, such as schools "
            "or sites, and the rows are taken as independent."
        )
    return [*sentences, ask_about_raters(proposals)]


def _describe_trained(proposals: Mapping[str, Proposal]) -> str:
    """Return whether a file to learn from says how good trained models are."""
    numbers = [proposal.name for proposal in list_of(proposals, Role.MODEL)]
    if not numbers or list_of(proposals, Role.TARGET, Role.FAULTY, Role.UNCLEAR):
        return "How good trained models are: no. No column has losses or scores of each of them."
    return (
        "How good trained models are: only if the columns of numbers are their losses or scores, "
        f"for which thetahat compare FILE takes {list_names(numbers)}."
    )


def list_questions_of_long_table(columns: LongColumns, items: int) -> list[str]:
    """Return a sentence on each question, for a table with a row for each item and model."""
    layout = (
        f"Each row is of one item and model: models from column {columns.model!r}, items from "
        f"{columns.item!r}, scores from {columns.score}."
        if columns.model is not None
        else f"Each row is of one item: items from column {columns.item!r}, scores from "
        f"{columns.score}. The model is named by the file's name, or by --model."
    )
    sentences = [layout, *_describe_models(columns.models)]
    if columns.n_runs > 1:
        sentences.append(
            f"An item has up to {columns.n_runs} rows of one model: they are averaged as runs."
        )
    if columns.task is not None:
        sentences.append(
            f"Whether this holds for a new task: yes, with column {columns.task!r} as the blocks."
        )
    elif not columns.labels:
        sentences.append(
            f"Whether this holds for other tasks: no. No column says which items belong together, "
            f"and the {items} items are taken as independent."
        )
    sentences += [
        f"Column {label.name!r} {label.reason}: name it as the cluster, or as the task."
        for label in columns.labels
    ]
    return [*sentences, *list_further_questions_of_long_table(columns)]


def _describe_models(models: list[str] | tuple[str, ...]) -> list[str]:
    if not models:
        return ["How good a model is: no. No column has losses or scores."]
    if len(models) == 1:
        return [
            f"How good {models[0]} is on rows like these: yes.",
            "Which model is better: no. A second model on the same rows would be needed.",
        ]
    return [
        f"How good each of {len(models)} models is on rows like these: yes ({list_names(models)}).",
        "Which of them is better, as they are trained: yes, paired.",
    ]


def _describe_doubts(doubts: list[Proposal]) -> list[str]:
    return [
        f"Whether {doubt.name!r} is a model has to be said, because it {doubt.reason}."
        for doubt in doubts
    ]
