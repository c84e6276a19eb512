"""The columns of a file of losses: those that options name, and those that are proposed.

What is not clear is asked: the command ends with a sentence and the options that answer it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from thetahat.roles.names import NAMED_LABELS, is_name_of, is_no_model_name
from thetahat.roles.proposals import (
    Proposal,
    Role,
    describe_faults,
    describe_other_items,
    doubt_computed_columns,
    find_summary_column,
    list_of,
    propose_roles,
)
from thetahat.tables.missing_codes import find_missing_code
from thetahat.tables.totals import TotalRow, find_computed_total, find_named_total
from thetahat_service.cli.failures import UserError
from thetahat_service.data.base import EMPTY_ROWS, WRITTEN
from thetahat_service.data.reading import read_columns, read_labels

if TYPE_CHECKING:
    from thetahat.tables.column_profiles import ColumnProfile
    from thetahat_service.kinds.base import DatasetFile

LISTED: Final = 12
NO_PREDICTIONS: Final = (
    "`compare` takes a loss or a score for each row and model. thetahat.evaluate_predictions in "
    "Python, and a request of kind predictions, compute losses from predictions"
)


class LossColumns(NamedTuple):
    """The columns of a file of losses."""

    losses: list[str]
    """The columns of the models."""
    labels: dict[str, str]
    """The columns that name a row, such as the block, if there are such."""
    unused: list[str]
    """Sentences on columns that are not used, and on numbers that the file has as text."""


def choose_columns(
    data: DatasetFile,
    profiles: Mapping[str, ColumnProfile],
    models: Sequence[str],
    labels: Mapping[str, str | None],
    *,
    knows_blocks: bool,
    leaves_out: bool,
    groups: Sequence[str] = (),
) -> LossColumns:
    """Return the columns of the request; refuse what could be understood in several ways.

    Parameters
    ----------
    data : DatasetFile
        The file.
    profiles : mapping of str to ColumnProfile
        What its columns contain.
    models : sequence of str
        The columns that options name as models; empty if none does.
    labels : mapping of str to str or None
        The column that an option names, by ``block``, ``repeat``, ``instance``, ``cluster``,
        ``time``, ``item`` and ``run``.
    knows_blocks : bool
        Whether the options settle what the blocks are, so that nothing is asked about labels.
    leaves_out : bool
        Whether rows in which a model has no value are left out.
    groups : sequence of str
        The columns of groups, which are no models.
    """
    check_names(profiles, (*models, *filter(None, labels.values())))
    taken = {*models, *labels.values()}
    by_name = {label for label in NAMED_LABELS if label in profiles and label not in taken}
    found = {
        label: column or (label if label in by_name else None) for label, column in labels.items()
    }
    chosen = {label: column for label, column in found.items() if column}
    used = {*chosen.values(), *groups}
    others = [profile for profile in profiles.values() if profile.name not in used]
    proposals = propose_roles(others)
    _refuse_total_row(find_named_total(profiles.values()))
    if not models:
        _refuse_left_out(data)
        _refuse_summaries(profiles)
        proposals = _doubt_computed(data, proposals)
    losses = list(models) or _take_models(data, proposals)
    if not models:
        _refuse_transposed(proposals, losses)
        _refuse_square(data, proposals, losses)
    _refuse_other_items(data, proposals)
    _check_cells(data, profiles, losses, leaves_out=leaves_out)
    _refuse_total_row(_find_computed_total(data, profiles, losses))
    if not models:
        _ask_about_codes(data, losses)
        _ask_about_models(proposals, losses)
    if not (knows_blocks or chosen.keys() & {"block", "cluster", "time"}):
        _ask_about_labels(proposals)
    unused = [
        _explain_unused(proposal) for name, proposal in proposals.items() if name not in losses
    ]
    unused += [*describe_reading(data, losses), *describe_left_out(data)]
    if not models:
        unused += _describe_single(profiles, losses)
    return LossColumns(losses, chosen, unused)


def _describe_single(profiles: Mapping[str, ColumnProfile], models: Sequence[str]) -> list[str]:
    """Return what a single column of 0 and 1 is taken for: it might have predicted classes."""
    only = profiles[models[0]]
    if len(models) > 1 or not only.is_binary or is_name_of("loss", only.name):
        return []
    need = "they need the true values, and the numbers below are the share of class 1"
    return [f"taken as losses or scores: {only.name}. If it has predicted classes, {need}."]


def describe_left_out(data: DatasetFile) -> list[str]:
    """Return a sentence on each column of lists and each array that is no column."""
    found = data.details.get("left_out")
    if isinstance(found, dict):
        return [f"not used: array {name}. {reason}" for name, reason in found.items()]
    lists = found if isinstance(found, list) else []
    return [f"not used: {name}, whose values are lists, objects or bytes." for name in lists]


def describe_reading(data: DatasetFile, names: Sequence[str]) -> list[str]:
    """Return sentences on the columns whose numbers are text, and on lines that are no rows."""
    found = data.details.get(WRITTEN)
    written = [name for name in names if isinstance(found, dict) and name in found]
    sentences = (
        [f"read as numbers, which the file has as text: {', '.join(written)}."] if written else []
    )
    if n_empty := data.details.get(EMPTY_ROWS):
        sentences.append(f"not used: {n_empty} empty rows at the end.")
    return sentences


def _refuse_left_out(data: DatasetFile) -> None:
    """Refuse what the upload left out: columns of numbers and lists, and arrays of other sizes."""
    found = data.details.get("lists_among_numbers")
    for name, row in found.items() if isinstance(found, dict) else ():
        raise UserError(
            f"Column {name!r} has a list in row {row}, and numbers in other rows. Write the number "
            "there; or, if the column is no model, name those that are with --model."
        )
    arrays = data.details.get("left_out")
    for name, reason in arrays.items() if isinstance(arrays, dict) else ():
        raise UserError(
            f"Array {name!r} does not fit the others. {reason} Remove it; or, if it is no model, "
            "name those that are with --model."
        )


def _refuse_summaries(profiles: Mapping[str, ColumnProfile]) -> None:
    """Refuse a table with one row for each model, whose numbers are no losses of instances."""
    name = find_summary_column(profiles)
    if name is not None:
        raise UserError(
            f"Each row is of one model, as column {name!r} names another one in every row, so that "
            "the numbers sum up test instances. Give the score of every test instance and model; "
            "or, if the rows are test instances, name the columns of losses with --model."
        )


def _refuse_transposed(proposals: Mapping[str, Proposal], models: Sequence[str]) -> None:
    """Refuse a table whose rows are models and whose columns are numbered instances."""
    names = [p.column for p in list_of(proposals, Role.INDEX) if not p.column.is_numeric]
    if names and len(models) > names[0].rows and all(name.isdecimal() for name in models):
        raise UserError(
            f"The columns are numbered ({', '.join(models[:3])} and so on), and the first column "
            f"has a name in each of the {names[0].rows} rows: rows seem to be models and columns "
            "instances. Exchange rows and columns; or, if the columns are models, name them with "
            "--model."
        )


def _refuse_square(
    data: DatasetFile, proposals: Mapping[str, Proposal], models: Sequence[str]
) -> None:
    """Refuse a table whose rows have the names of its columns, such as a confusion matrix."""
    for proposal in list_of(proposals, Role.INDEX, Role.IDENTIFIER):
        column = proposal.column
        if column.type != "string" or column.rows != len(models) or len(models) < 2:
            continue
        if {*read_labels(data, [column.name])[column.name].tolist()} == {*models}:
            raise UserError(
                f"The rows have the names of the columns ({', '.join(models[:3])}), as in a "
                "confusion matrix or a table of correlations, which has no losses of test "
                "instances. Send a row for each instance; or name the models with --model."
            )


def _refuse_other_items(data: DatasetFile, proposals: Mapping[str, Proposal]) -> None:
    """Refuse rows in which two columns name the same items in another order."""
    found = describe_other_items(proposals, lambda name: read_labels(data, [name])[name].tolist())
    if found is not None:
        raise UserError(
            f"{found} Give the scores of an item in one row, or a row for each item and model; or, "
            "if the rows are right, remove one of the two columns."
        )


def _doubt_computed(data: DatasetFile, proposals: Mapping[str, Proposal]) -> dict[str, Proposal]:
    return doubt_computed_columns(
        proposals, lambda name: read_columns(data, [name])[name].astype("float64")
    )


def check_names(profiles: Mapping[str, object], names: Iterable[str]) -> None:
    """Refuse names that options give and that are no columns."""
    for name in names:
        if name not in profiles:
            message = f"The file has no column {name!r}; its columns are {', '.join(profiles)}."
            raise UserError(message)


def _take_models(data: DatasetFile, proposals: Mapping[str, Proposal]) -> list[str]:
    """Return the columns that are proposed as models; refuse a file with columns in doubt."""
    for proposal in list_of(proposals, Role.TARGET):
        others = list_of(proposals, Role.MODEL, Role.UNCLEAR, Role.FAULTY, Role.LABEL)
        raise UserError(
            f"The column {proposal.name!r} seems to have the true values, "
            f"{'so the others would be' if others else 'or is the only one with'} predictions. "
            f"{NO_PREDICTIONS}; or name the columns of losses with --model."
        )
    models = [proposal.name for proposal in list_of(proposals, Role.MODEL)]
    for proposal in list_of(proposals, Role.FAULTY):
        raise UserError(
            f"Column {proposal.name!r} {proposal.reason}. {advise_on_cell(proposal.column)} "
            f"If the column is no model, name those that are: {_name_models(models)}."
        )
    unclear = list_of(proposals, Role.UNCLEAR)
    if unclear:
        first = unclear[0]
        more = (
            f" The same is asked of {', '.join(p.name for p in unclear[1:LISTED])}."
            if len(unclear) > 1
            else ""
        )
        everything = [p.name for p in proposals.values() if p.role in {Role.MODEL, Role.UNCLEAR}]
        every = "or, with every column of numbers,"
        likely = f"{_name_models(models)}, {every} " if models else ""
        raise UserError(
            f"It is not clear whether column {first.name!r} is a model: it {first.reason}.{more} "
            f"Name the models: {likely}{_name_models(everything)}."
        )
    if not models:
        message = (
            f"The file has no column of numbers to compare; its columns are {', '.join(proposals)}."
            + "".join(f" {p.name!r} {p.reason}." for p in list(proposals.values())[:LISTED])
            + "".join(f" N{sentence[1:]}" for sentence in describe_left_out(data))
        )
        raise UserError(message)
    if len(models) == 1 and is_no_model_name(models[0]):
        raise UserError(
            f"The only column of numbers, {models[0]!r}, has a name of something else than losses. "
            f"If it has losses or scores, give {_name_models(models)}."
        )
    return models


def _check_cells(
    data: DatasetFile,
    profiles: Mapping[str, ColumnProfile],
    models: Sequence[str],
    *,
    leaves_out: bool,
) -> None:
    """Refuse models with a cell that is no number, or without a value."""
    for profile in map(profiles.__getitem__, models):
        if not profile.is_numeric:
            raise UserError(
                f"Column {profile.name!r} {describe_faults(profile)}. {advise_on_cell(profile)}"
            )
        if profile.first_missing is not None and not leaves_out:
            n_missing = profile.rows - profile.present
            rows = f", nor in {n_missing - 1} other rows" if n_missing > 1 else ""
            raise UserError(
                f"Model {profile.name!r} has no value in row {profile.first_missing}{rows}: "
                f"{_describe_marks(data, profile.name)}. Every model needs a value in every row. "
                "Fill it in, or give --missing leave_out to leave such rows out for all models."
            )


def _ask_about_codes(data: DatasetFile, models: Sequence[str]) -> None:
    """Refuse numbers such as -999 among others, unless the models are named."""
    columns = read_columns(data, models)
    found = find_missing_code({name: c.astype("float64") for name, c in columns.items()})
    if found is not None:
        raise UserError(
            f"Model {found.name!r} is {found.code} in row {found.row} ({found.n} rows), and "
            f"{found.low:g} to {found.high:g} in the others: such numbers often stand for missing "
            "values. Empty these cells, and give --missing leave_out; or, if they are values, name "
            f"the models: {_name_models(models)}."
        )


def _find_computed_total(
    data: DatasetFile, profiles: Mapping[str, ColumnProfile], models: Sequence[str]
) -> TotalRow | None:
    numeric = [name for name in models if profiles[name].is_numeric]
    columns = read_columns(data, numeric)
    return find_computed_total([column.astype("float64") for column in columns.values()])


def _describe_marks(data: DatasetFile, name: str) -> str:
    """Return what stands in the cells of a column that have no value."""
    marks = data.details.get("missing_marks")
    found = marks.get(name) if isinstance(marks, dict) else None
    if not found or not isinstance(found, dict):
        return "the cell is empty"
    listed = " or ".join(repr(mark) for mark in found)
    return f"the column has {listed}, which is no number"


def _refuse_total_row(found: TotalRow | None) -> None:
    if found is not None:
        raise UserError(
            f"Row {found.row} seems to sum up other rows: {found.reason}. Remove it from the file. "
            "If it is a test instance, give it another name, or move it among the others."
        )


def _ask_about_models(proposals: Mapping[str, Proposal], losses: Sequence[str]) -> None:
    """Refuse a single column of numbers where a column of text may name the model of each row."""
    labels = [p for p in list_of(proposals, Role.LABEL) if not p.column.is_numeric]
    if len(losses) == 1 and labels:
        first, name = labels[0].name, shlex.quote(labels[0].name)
        raise UserError(
            f"The file has one column of numbers, {losses[0]!r}, and column {first!r} may name the "
            f"model of each row: it {labels[0].reason}. Give --model-column {name} if it does, or "
            f"--model {shlex.quote(losses[0])} if the file has one model; --block {name} or "
            f"--cluster {name} if it says which rows belong together."
        )


def _ask_about_labels(proposals: Mapping[str, Proposal]) -> None:
    """Refuse to take rows as independent where a column may say which rows belong together."""
    labels = list_of(proposals, Role.LABEL)
    if not labels:
        return
    first = labels[0]
    name = shlex.quote(first.name)
    others = (
        f" The same holds for {', '.join(p.name for p in labels[1:LISTED])}."
        if len(labels) > 1
        else ""
    )
    raise UserError(
        f"Column {first.name!r} may say which rows belong together: it {first.reason}.{others} "
        f"Give --block {name} if it names the sources of the rows, such as schools, "
        f"--cluster {name} if rows with the same value depend on each other, or "
        f"--blocks holdout if all rows are independent (with --group {name}, models are described "
        "by it, too)."
    )


def _explain_unused(proposal: Proposal) -> str:
    which = f"not used: {proposal.name}, which {proposal.reason}."
    if proposal.role is Role.LABEL:
        return (
            f"{which} If rows come from sources such as schools, give the column that names them "
            "as --block; if rows with the same value depend on each other, as --cluster."
        )
    if proposal.role is Role.INDEX:
        return f"{which} If these are losses, give --model for each model."
    return which


def advise_on_cell(column: ColumnProfile) -> str:
    """Return what to do about a column of numbers in which a cell is none, as a sentence."""
    cell = column.first_other
    if column.mixed_marks:
        from thetahat.tables.columns import ABOUT_MARKS

        return ABOUT_MARKS
    if column.are_padded:
        return "Write numbers without 0 before them."
    if cell is None:
        return "Write numbers without quotation marks, or give the column the type of numbers."
    if column.are_outcomes:
        return "Write 1 for right and 0 for wrong."
    if column.is_partly_percent:
        return "Write all of them with the sign, or none."
    if cell.text.strip() == column.name:
        return "The header stands there again: remove that row."
    if not column.numbers:
        return "Write plain numbers, as 1234.5: without a currency, a unit or brackets."
    return (
        "Write the number there; or empty the cell, and give --missing leave_out to leave out "
        "the row for all models."
    )


def _name_models(models: Sequence[str]) -> str:
    """Return the options that name models."""
    if not models:
        return "--model COLUMN for each"
    shown = " ".join(f"--model {shlex.quote(name)}" for name in models[:LISTED])
    return shown if len(models) <= LISTED else f"{shown} and so on"
