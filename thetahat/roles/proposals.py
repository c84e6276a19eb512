"""The role of each column of a table with one row for each test instance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import combinations
from typing import Final, NamedTuple

from thetahat.roles.names import (
    find_better,
    find_metrics,
    has_item_word,
    is_count_name,
    is_label_name,
    is_measure_name,
    is_name_of,
    is_no_model_name,
    is_quantity_name,
    is_rater_name,
    is_unnamed,
)
from thetahat.tables.column_profiles import ColumnProfile
from thetahat.tables.columns import write_mixed_marks
from thetahat.tables.totals import find_computed_column
from thetahat.values.types import Better, FloatArray

FURTHEST: Final = 30.0
"""How many times larger than another a column's median may be, with no value in common, for both to
be losses of one scale."""
MOST_NUMBERS: Final = 0.5
"""The least share of numbers by which a column of text is one of numbers with faulty cells."""

MOST_DISTINCT: Final = 0.9
"""The largest share of different texts of a column by which its rows may belong together."""
MOST_VERSIONS: Final = 20
"""Different numbers with fractions, at most, that may name the models of rows: 4.1 and 4.10."""
FEWEST_NUMBERS: Final = 3
MOST_MARKS: Final = 2
"""A column with at least so many numbers and at most so many different other texts is one, too."""


class Role(StrEnum):
    """What a column is for."""

    MODEL = "model"
    TARGET = "target"
    INDEX = "index"
    IDENTIFIER = "identifier"
    LABEL = "label"
    EMPTY = "empty"
    FAULTY = "faulty"
    UNCLEAR = "unclear"


class Proposal(NamedTuple):
    """The proposed role of a column."""

    column: ColumnProfile
    """The column."""
    role: Role
    """``model``: losses or scores. ``target``: true values. ``index``: numbers of the rows.
    ``identifier``: each row has its own value. ``label``: rows with the same value may belong
    together. ``empty``: neither name nor values. ``faulty``: numbers, but for some cells.
    ``unclear``: numbers that seem to be no losses."""
    reason: str
    """Why, as the end of a sentence that begins with the column's name."""

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.column.name


def propose_roles(
    columns: Iterable[ColumnProfile], *, is_long: bool = False
) -> dict[str, Proposal]:
    """Return the proposed role of each column by name.

    A model is a column of losses or scores whose scale is that of the others; a column that could
    be something else is ``unclear``. Columns whose names are those of labels or of measures are
    models if all others are, too, as far as their values allow it. In a table with a row for each
    item and model (``is_long``), ``score`` is a column of scores, and no doubt beside others.
    """
    proposals = {column.name: _propose_alone(column) for column in columns}
    numbers = [p.column for p in proposals.values() if p.role is Role.MODEL]
    plain = [c for c in numbers if not is_no_model_name(c.name)]
    for column in numbers if plain else ():
        doubt = (
            _doubt_name(column)
            or _doubt_constant(column, plain)
            or _doubt_outcomes(column, plain)
            or _doubt_whole_numbers(column, plain)
            or (None if is_long else _doubt_quantity(column, plain))
        )
        if doubt is not None:
            proposals[column.name] = doubt
    left = [c for c in plain or numbers if proposals[c.name].role is Role.MODEL]
    proposals |= _doubt_metrics(left) | _doubt_directions(left)
    for column in left:
        other = _find_other_scale(column, left)
        if other is not None:
            proposals[column.name] = Proposal(
                column,
                Role.UNCLEAR,
                f"has values of {_show_range(column)}, and {other.name!r} of "
                f"{_show_range(other)}: losses of the same rows have one scale",
            )
    return proposals


def doubt_computed_columns(
    proposals: Mapping[str, Proposal], read_numbers: Callable[[str], FloatArray]
) -> dict[str, Proposal]:
    """Return the proposals, of which a model that is computed from the others is unclear.

    ``proposals`` are the proposed roles, and ``read_numbers`` returns the (n,) numbers of a column
    by its name.
    """
    models = list_of(proposals, Role.MODEL)
    found = find_computed_column({p.name: read_numbers(p.name) for p in models})
    if found is None:
        return {**proposals}
    name, reason = found
    return {**proposals, name: Proposal(proposals[name].column, Role.UNCLEAR, reason)}


def find_model_column(columns: Mapping[str, ColumnProfile]) -> str | None:
    """Return the column whose name and repeated values say that it names the model of each row.

    One with several models goes before one with a single value.
    """
    possible = {n: c for n, c in columns.items() if _may_name_models(c) and c.distinct < c.rows}
    several = (name for name, column in possible.items() if column.distinct > 1)
    return next(several, next(iter(possible), None))


def find_summary_column(columns: Mapping[str, ColumnProfile]) -> str | None:
    """Return the column that names another model in every row, so that each row sums up a model."""
    for name, column in columns.items():
        if _may_name_models(column) and column.distinct == column.rows and not column.is_numeric:
            return name
    return None


def _may_name_models(column: ColumnProfile) -> bool:
    are_versions = 2 * column.distinct <= column.rows and column.distinct <= MOST_VERSIONS
    return is_name_of("model", column.name) and (
        not column.is_numeric or column.is_whole or are_versions
    )


def _propose_alone(column: ColumnProfile) -> Proposal:
    """Return the role of a column by its own name and values."""
    rules: Sequence[Callable[[ColumnProfile], tuple[Role, str] | None]] = (
        _judge_name,
        _judge_text,
        _judge_numbers,
    )
    for rule in rules:
        found = rule(column)
        if found is not None:
            return Proposal(column, *found)
    return Proposal(column, Role.MODEL, "has numbers")


def _judge_name(column: ColumnProfile) -> tuple[Role, str] | None:
    unnamed = is_unnamed(column.name, column.position)
    if unnamed and not column.present:
        return Role.EMPTY, "has neither a name nor a value"
    if is_name_of("target", column.name):
        return Role.TARGET, "has the name of true values"
    if is_rater_name(column.name) and column.is_numeric:
        return Role.UNCLEAR, "has a name of ratings, of a person or a judge"
    if not unnamed:
        return None
    if column.repeats and (column.is_whole or not column.is_numeric):
        return Role.LABEL, "has no name of its own, and values that several rows share"
    if column.is_whole or not column.is_numeric:
        return Role.INDEX, "has no name of its own, as the index of a table that was saved with it"
    return Role.UNCLEAR, "has no name of its own"


def _judge_text(column: ColumnProfile) -> tuple[Role, str] | None:
    if column.is_numeric:
        return None
    if column.type != "string":
        return Role.IDENTIFIER, f"is of type {column.type}"
    named = is_label_name(column.name)
    if not named and (column.are_outcomes or _has_faulty_numbers(column)):
        return Role.FAULTY, describe_faults(column)
    described = f"is text, with {column.distinct} different values in {column.rows} rows"
    if column.repeats and (named or column.distinct <= MOST_DISTINCT * column.present):
        return Role.LABEL, described
    if column.distinct == 1:
        return Role.IDENTIFIER, "is text, the same in every row"
    if column.repeats:
        return Role.IDENTIFIER, described
    return Role.IDENTIFIER, "is text, which differs from row to row"


def _has_faulty_numbers(column: ColumnProfile) -> bool:
    """Return whether text seems to be numbers: most of it is, or the rest are a few marks."""
    if max(column.numbers, column.with_units) >= MOST_NUMBERS * column.present:
        return column.present > 0
    return column.numbers >= FEWEST_NUMBERS and column.distinct_others <= MOST_MARKS


def _judge_numbers(column: ColumnProfile) -> tuple[Role, str] | None:
    if column.is_increasing and not (column.is_whole or is_measure_name(column.name)):
        return Role.INDEX, "has numbers that increase by the same step from row to row"
    if not column.present:
        return Role.UNCLEAR, "has no value in any row"
    if not column.is_whole:
        return None
    span = f"the whole numbers {column.low:.0f} to {column.high:.0f}"
    if column.is_numbering:
        return Role.INDEX, f"has {span}, each once"
    if column.is_increasing and not column.is_binary:
        return Role.INDEX, f"has {span}, which increase from row to row"
    if is_label_name(column.name) and not column.is_binary:
        role = Role.LABEL if column.repeats else Role.IDENTIFIER
        return role, "has a name and whole numbers that are those of labels"
    return None


def describe_faults(column: ColumnProfile) -> str:
    """Return which cells of a column of numbers are none, as the end of a sentence."""
    cell = column.first_other
    if column.mixed_marks:
        return write_mixed_marks([(mixed.row, mixed.text) for mixed in column.mixed_marks])
    if column.are_padded:
        return "has whole numbers of which some begin with 0, as codes and names do"
    if cell is None:
        return "has numbers that are written as text"
    if column.are_outcomes:
        return f"has words such as {cell.text!r} in row {cell.row} in the place of 0 and 1"
    n_other = column.present - column.numbers
    if column.is_partly_percent:
        return (
            f"has a percent sign in {n_other} cells, such as {cell.text!r} in row {cell.row}, and "
            f"none in {column.numbers} others"
        )
    others = f", nor are {n_other - 1} more" if n_other > 1 else ""
    if not column.numbers:
        return f"has {cell.text!r} in row {cell.row}, which is no plain number{others}"
    return (
        f"has {column.numbers} numbers in {column.present} rows, but {cell.text!r} in row "
        f"{cell.row} is no number{others}"
    )


def _doubt_name(column: ColumnProfile) -> Proposal | None:
    if is_label_name(column.name) and column.is_whole:
        role = Role.LABEL if column.repeats else Role.IDENTIFIER
        return Proposal(column, role, "has a name and whole numbers that are those of labels")
    if is_label_name(column.name):  # versions and weeks, such as 1.1 and 1.10
        role = Role.LABEL if 2 * column.distinct <= column.present else Role.UNCLEAR
        return Proposal(column, role, "has a name of labels, and no whole numbers")
    if is_name_of("group", column.name):
        role = Role.LABEL if column.repeats and column.is_whole else Role.UNCLEAR
        return Proposal(column, role, "has a name of groups")
    if is_measure_name(column.name):
        reason = "has a name of something else than losses"
        return Proposal(column, Role.UNCLEAR, reason)
    if is_name_of("prediction", column.name) and not is_name_of("loss", column.name):
        return Proposal(column, Role.UNCLEAR, "has a name of predictions, not of losses")
    return None


def _doubt_quantity(column: ColumnProfile, others: Sequence[ColumnProfile]) -> Proposal | None:
    """Return the doubt about ``perplexity`` beside columns that have names of models."""
    if is_quantity_name(column.name) and any(
        not (is_quantity_name(other.name) or is_name_of("loss", other.name)) for other in others
    ):
        return Proposal(column, Role.UNCLEAR, "has the name of a quantity, and others have not")
    return None


def _doubt_directions(columns: Sequence[ColumnProfile]) -> dict[str, Proposal]:
    """Return doubts about columns of which some are losses by name and others scores."""
    named = {column.name: find_better(column.name) for column in columns}
    first = {better: name for name, better in reversed(named.items())}
    if not first.keys() >= {"lower", "higher"}:
        return {}
    opposite: dict[Better, Better] = {"lower": "higher", "higher": "lower"}
    return {
        column.name: Proposal(
            column,
            Role.UNCLEAR,
            f"has a name by which {better} values are better, and {first[opposite[better]]!r} one "
            f"by which {opposite[better]} values are",
        )
        for column in columns
        if (better := named[column.name]) is not None
    }


def _doubt_metrics(columns: Sequence[ColumnProfile]) -> dict[str, Proposal]:
    """Return doubts about columns that have different metrics by name."""
    named = {column.name: find_metrics(column.name) for column in columns}
    doubts: dict[str, Proposal] = {}
    for column in columns:
        own = named[column.name]
        other = next((n for n, of in named.items() if own and of and of != own), None)
        if other is not None:
            reason = (
                f"has the name of the metric {' and '.join(sorted(own))}, and {other!r} that of "
                f"{' and '.join(sorted(named[other]))}: metrics of a row are no models"
            )
            doubts[column.name] = Proposal(column, Role.UNCLEAR, reason)
    return doubts


def _doubt_constant(column: ColumnProfile, others: Sequence[ColumnProfile]) -> Proposal | None:
    """Return the doubt about a fraction that every row has, beside columns that vary."""
    is_setting = column.present > 1 and column.distinct == 1 and not column.is_binary
    if is_setting and any(other.distinct > 1 for other in others):
        return Proposal(column, Role.UNCLEAR, f"has the value {column.low:g} in every row")
    return None


def _doubt_outcomes(column: ColumnProfile, others: Sequence[ColumnProfile]) -> Proposal | None:
    """Return the doubt about the fewer ones of columns of 0 and 1, and of numbers beyond them."""
    binary, beyond = _find_outcomes(others), list(filter(_is_beyond_outcomes, others))
    fewer, more = (beyond, binary) if len(beyond) <= len(binary) else (binary, beyond)
    if column not in fewer or not more:
        return None
    reason = f"has values of {_show_range(column)}, and {more[0].name!r} of {_show_range(more[0])}"
    rest = ", which has only 0 and 1" if column in beyond else ", while it has only 0 and 1"
    return Proposal(column, Role.UNCLEAR, f"{reason}{rest}")


def _find_outcomes(columns: Iterable[ColumnProfile]) -> list[ColumnProfile]:
    return [column for column in columns if column.is_binary and column.distinct > 1]


def _is_beyond_outcomes(column: ColumnProfile) -> bool:
    return not column.is_whole and (column.low < 0 or column.high > 1)


def _doubt_whole_numbers(column: ColumnProfile, others: Sequence[ColumnProfile]) -> Proposal | None:
    if column.type == "boolean" and any(other.type != "boolean" for other in others):
        reason = "has words for true and false, and other columns have numbers"
        return Proposal(column, Role.UNCLEAR, reason)
    if column.is_whole and is_count_name(column.name):
        return Proposal(column, Role.UNCLEAR, "has whole numbers and the name of a count")
    if column.type == "number" and column.is_binary:
        return None  # written 1.0 and 0.0, as scores are
    outcomes = _find_outcomes(others)
    fractions = [other for other in others if not other.is_whole and other.present]
    if column in outcomes and len(outcomes) >= len(list(filter(_is_beyond_outcomes, fractions))):
        fractions = [other for other in fractions if not _is_beyond_outcomes(other)]
    if column.is_whole and fractions:
        return Proposal(column, Role.UNCLEAR, "has whole numbers, and other columns have fractions")
    if column.is_whole and not column.is_binary and any(other.is_binary for other in others):
        reason = "has other whole numbers than 0 and 1, and other columns have only 0 and 1"
        return Proposal(column, Role.UNCLEAR, reason)
    return None


def _find_other_scale(
    column: ColumnProfile, others: Sequence[ColumnProfile]
) -> ColumnProfile | None:
    """Return a column whose values are all far smaller, or all positive where these are negative.

    One within 0 and 1 may have 0 in common with this one, which may be in percent.
    """
    for other in others:
        is_apart = column.low > other.high or other.high <= 1 < column.high
        is_far = column.middle > FURTHEST * other.middle
        is_below = column.low < 0 and column.high <= 0 < other.high
        if other.low >= 0 and (is_below or (is_apart and is_far)):
            return other
    return None


def _show_range(column: ColumnProfile) -> str:
    return f"{column.low:g} to {column.high:g}"


def list_of(proposals: Mapping[str, Proposal], *roles: Role) -> list[Proposal]:
    """Return the proposals of some roles, in the order of the columns."""
    return [proposal for proposal in proposals.values() if proposal.role in roles]


def describe_other_items(
    proposals: Mapping[str, Proposal], values: Callable[[str], Sequence[object]]
) -> str | None:
    """Return a sentence on two columns that name the same items in another order, if any do.

    ``values`` returns the values of a column by its name.
    """
    found = list_of(proposals, Role.INDEX, Role.IDENTIFIER)
    names = [p.name for p in found if has_item_word(p.name) and p.column.distinct > 1]
    columns = {name: [*map(str, values(name))] for name in names if len(names) > 1}
    for (first, ones), (second, others) in combinations(columns.items(), 2):
        if ones != others and {*ones} == {*others}:
            row = next(i for i, one in enumerate(ones) if one != others[i])
            return (
                f"Row {row} has item {ones[row]!r} in column {first!r} and item {others[row]!r} in "
                f"column {second!r}, which have the same items in another order: models would be "
                "compared on different items."
            )
    return None
