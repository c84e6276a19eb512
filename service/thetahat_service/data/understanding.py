"""How a file is understood: the roles of its columns, what it holds, and what it can answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from thetahat.cautions import FEATURE_EQUALS_TARGET
from thetahat.roles.contents import Contents, guess_contents
from thetahat.roles.long_tables import UnclearTable, Values, read_long_table
from thetahat.roles.names import is_label_name
from thetahat.roles.proposals import (
    Proposal,
    Role,
    describe_other_items,
    doubt_computed_columns,
    find_model_column,
    list_of,
    propose_roles,
)
from thetahat.roles.questions import list_questions, list_questions_of_long_table
from thetahat.tables.column_profiles import ColumnProfile
from thetahat.tables.target_tasks import propose_task
from thetahat.values.types import FloatArray
from thetahat_service.data.base import GROUPS, WRITTEN
from thetahat_service.data.logs import describe_log, find_export, name_log
from thetahat_service.data.profiles import profile_columns
from thetahat_service.data.reading import ReadableFile, read_columns, read_labels
from thetahat_service.json_types import FileUnderstanding, JsonObject, UnderstoodColumn

FEATURE: Final = "feature"
EXAMPLES: Final = 3
LONGEST_EXAMPLE: Final = 30
SCANNED: Final = 100
"""The first rows, from which the examples are taken."""
NUMBERS_AS_TEXT: Final = "; its numbers are text in the file"
MOST_COLUMNS: Final = 500
"""Columns of a wide file that are described, the first ones."""


def understand_file(file: ReadableFile, rows: int) -> FileUnderstanding:
    """Return how a file is understood.

    ``rows`` is its number of rows.
    """
    profiles = profile_columns(file, file.columns[:MOST_COLUMNS], rows)
    proposals = propose_roles(profiles.values())

    def read_values(name: str) -> list[Any]:
        values: list[Any] = read_labels(file, [name])[name].tolist()
        return values

    log, export = name_log(file), find_export([*profiles])
    if log is not None or export is not None:
        of_export = f"a table of {export.tool}" if export is not None else None
        contents = Contents("losses", f"It is {log or of_export}.")
    else:
        contents = guess_contents(proposals, read_values, lambda name: _read_numbers(file, name))
    proposals = doubt_computed_columns(proposals, lambda name: _read_numbers(file, name))
    roles = {name: _name_role(p, contents) for name, p in proposals.items()}
    if log is not None:
        roles, questions = describe_log(file, profiles, read_values)
    elif export is not None:
        roles, questions = export.name_roles(profiles), [export.describe()]
    elif (model := find_model_column(profiles)) is None:
        numbers = {p.name: _read_numbers(file, p.name) for p in list_of(proposals, Role.MODEL)}
        questions = list_questions(proposals, rows, contents, numbers)
        other_items = describe_other_items(proposals, read_values)
        copies = _describe_target_copies(file, proposals)
        questions = [*filter(None, [other_items]), *copies, *questions]
    else:
        long_roles, questions = _describe_long_table(profiles, model, read_values)
        roles |= long_roles
    return {
        "rows": rows,
        "columns": [
            _describe_column(file, profile, *roles[name]) for name, profile in profiles.items()
        ],
        "columns_left_out": len(file.columns) - len(profiles),
        "kind": contents.kind,
        "kind_reason": contents.reason,
        "questions": questions,
    }


def _describe_target_copies(file: ReadableFile, proposals: Mapping[str, Proposal]) -> Iterator[str]:
    """Yield a sentence on each column that repeats the target."""
    from thetahat.tables.target_copies import list_copies  # noqa: PLC0415 - few files have a target

    targets = list_of(proposals, Role.TARGET)
    if len(targets) != 1 or targets[0].column.distinct < 2:
        return
    target = targets[0]
    others = [
        p.name
        for p in proposals.values()
        if p.role not in {Role.TARGET, Role.EMPTY} and p.column.type not in GROUPS
    ]
    read = read_columns(file, [target.name, *others])
    y = read.pop(target.name)
    rows = np.array([value is not None and value == value for value in y])  # noqa: PLR0124 - NaN
    is_number = target.column.is_numeric and propose_task(target.column).task != "classification"
    codes = np.unique(y[rows].astype(np.float64 if is_number else str), return_inverse=True)[1]
    values = y[rows].astype(np.float64) if is_number else codes.astype(np.float64)
    columns = (
        (name, values.astype(np.float64) if values.dtype.kind in "iufb" else values)
        for name, values in ((name, of[rows]) for name, of in read.items())
    )
    largest = FEATURE_EQUALS_TARGET.threshold / max(1, len(others))
    for copy in list_copies(columns, values, codes, is_number=is_number, largest=largest):
        yield (
            f"Column {copy.name!r} {copy.relation} {target.name!r} in all {copy.n} rows: learners "
            "would have the answer as a feature. Leave it out of the features, unless it is known "
            "before, or has predictions."
        )


def _read_numbers(file: ReadableFile, name: str) -> FloatArray:
    return read_columns(file, [name])[name].astype(np.float64)


def _name_role(proposal: Proposal, contents: Contents) -> tuple[str, str]:
    """Return the role of a column and why; numbers of a file to learn from are features."""
    if contents.kind == "cross_validation" and proposal.role in {Role.MODEL, Role.UNCLEAR}:
        return FEATURE, "has numbers"
    if contents.kind != "losses" and proposal.column.are_outcomes and proposal.role is Role.FAULTY:
        return FEATURE, "is text, with words such as yes and no"
    return str(proposal.role), proposal.reason


def _describe_column(
    file: ReadableFile, profile: ColumnProfile, role: str, reason: str
) -> UnderstoodColumn:
    name = profile.name
    examples: list[Any] = []
    if profile.type not in GROUPS:
        read = read_labels if profile.type == "integer" else read_columns
        examples = read(file, [name])[name][:SCANNED].tolist()
    others: Any = _read_detail(file.details, "not_numbers", name) or {}
    if _read_detail(file.details, WRITTEN, name) is not None:
        reason += NUMBERS_AS_TEXT
    return {
        "name": name,
        "type": profile.type,
        "role": role,
        "reason": reason,
        "is_named_label": role == Role.LABEL and is_label_name(name),
        "task": None if profile.type in GROUPS else propose_task(profile).task,
        "distinct": profile.distinct,
        "examples": _choose_examples(examples),
        "missing": profile.rows - profile.present,
        "first_missing": profile.first_missing,
        "missing_marks": _read_detail(file.details, "missing_marks", name) or {},
        "not_numbers": others.get("others", 0),
        "first_not_numbers": others.get("first", []),
    }


def _read_detail(details: JsonObject, key: str, name: str) -> Any:
    """Return what the upload found about the cells of a column; None if it found nothing."""
    by_column: Any = details.get(key)
    return by_column.get(name) if isinstance(by_column, Mapping) else None


def _describe_long_table(
    profiles: Mapping[str, ColumnProfile], model: str, read_values: Values
) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Return the roles of a long table by column, and the questions that it can answer.

    Where one is not clear, the column of the model keeps its role, so that the form asks for the
    others.
    """
    of_model = {model: ("model of the row", "has the name of models, and rows share its values")}
    try:
        found = read_long_table(profiles, read_values, {})
    except UnclearTable as unclear:
        return of_model, [f"{unclear} This has to be said before models can be compared."]
    roles = {
        **of_model,
        found.item: ("item", "has the name of items, and models share its values"),
        found.score: ("score", "is the column of scores"),
        **dict.fromkeys(found.runs, ("run", "tells the runs of an item apart")),
        **{label.name: ("label", label.reason) for label in found.labels},
    }
    if found.task is not None:
        roles[found.task] = ("task", "has the name of tasks, and items share its values")
    items = len(set(map(str, read_values(found.item))))
    found = replace(found, score=repr(found.score))
    return roles, list_questions_of_long_table(found, items)


def _choose_examples(values: Sequence[Any]) -> list[str]:
    """Return the first different values that are not missing, shortened."""
    known = dict.fromkeys(str(v) for v in values if v is not None and v == v)  # noqa: PLR0124 - NaN
    return [
        text if len(text) <= LONGEST_EXAMPLE else f"{text[:LONGEST_EXAMPLE]}..."
        for text in list(known)[:EXAMPLES]
    ]
