"""What a file holds as a whole: losses, predictions, or data to learn from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from thetahat.roles.long_tables import Values
from thetahat.roles.names import (
    is_label_name,
    is_measure_name,
    is_name_of,
    is_quantity_name,
    is_rater_name,
)
from thetahat.roles.proposals import Proposal, Role, find_model_column, list_of
from thetahat.tables.column_profiles import ColumnProfile
from thetahat.values.types import FloatArray

Kind = Literal["losses", "predictions", "cross_validation"]
ReadNumbers = Callable[[str], FloatArray]

FURTHEST_MEDIANS: Final = 3.0
"""How many times larger than another the median of a column of losses is, at most, in a guess."""
LEAST_CORRELATION: Final = 0.3
"""The correlation of any two columns of losses on both sides of 0, at least, in a guess.

Differences from one model have 0.5 if the losses of all models are independent and spread alike.
"""
LISTED: Final = 4


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file seems to hold."""

    kind: Kind
    """The kind of evaluation that fits."""
    reason: str
    """Why, as a sentence."""
    lacking: str = ""
    """What the file lacks for that, as the end of "columns with"; empty where it lacks nothing."""


def guess_contents(
    proposals: Mapping[str, Proposal], values: Values, numbers: ReadNumbers
) -> Contents:
    """Return what a file seems to hold, and why.

    Parameters
    ----------
    proposals : mapping of str to Proposal
        The proposed role of each column.
    values : callable
        Returns the values of a column by its name.
    numbers : callable
        Returns the numbers of a column by its name, NaN for missing ones.
    """
    columns = {name: proposal.column for name, proposal in proposals.items()}
    model = find_model_column(columns)
    if model is not None:
        return Contents("losses", f"Column {model!r} has the names of models, which rows share.")
    targets = list_of(proposals, Role.TARGET)
    if targets:
        roles = (Role.MODEL, Role.UNCLEAR, Role.LABEL, Role.IDENTIFIER, Role.FAULTY)
        left = [p.column for p in list_of(proposals, *roles)]
        if all(is_label_name(column.name) and not column.repeats for column in left):
            reason = f"Column {targets[0].name!r} has the name of true values, and is the only one."
            return Contents("predictions", reason, "predictions of them")
        return _guess_with_target(targets[0].column, left, values)
    losses = [proposal.column for proposal in list_of(proposals, Role.MODEL)]
    faulty = [p.name for p in list_of(proposals, Role.FAULTY) if is_measure_name(p.name)]
    doubts = [*faulty, *(p.name for p in list_of(proposals, Role.UNCLEAR))]
    measured = (is_measure_name, is_quantity_name, is_rater_name)
    others = [name for name in doubts if not any(is_named(name) for is_named in measured)]
    if len(losses) == 1 and losses[0].is_binary:  # a class beside features, such as age
        others = doubts
    differ = _differ(losses, numbers)
    if losses and (all(is_name_of("loss", c.name) for c in losses) or not (others or differ)):
        reason = (
            f"The numbers of {_list_names(losses)} look like losses or scores of the same rows, "
            "and no column has the name of true values."
        )
        return Contents("losses", reason)
    predicted = [
        p.column for p in list_of(proposals, Role.UNCLEAR) if is_name_of("prediction", p.name)
    ]
    if predicted and not losses:
        have = "has the name" if len(predicted) == 1 else "have the names"
        reason = f"{_list_names(predicted)} {have} of predictions, and none that of true values."
        return Contents("predictions", reason, "the true values")
    named_losses = [
        p.column for p in list_of(proposals, Role.UNCLEAR) if is_name_of("loss", p.name)
    ]
    faulty_columns = [p for p in list_of(proposals, Role.FAULTY) if p.column.numbers]
    if not losses and named_losses:
        names = _list_names(named_losses)
        have = "has the name" if len(named_losses) == 1 else "have the names"
        return Contents("losses", f"{names} {have} of losses or scores.")
    reason = _explain_no_losses(proposals, losses, faulty_columns, others, differ=differ)
    return Contents("cross_validation", f"{reason} No column has the name of true values.")


def _explain_no_losses(
    proposals: Mapping[str, Proposal],
    losses: Sequence[ColumnProfile],
    faulty: Sequence[Proposal],
    others: Sequence[str],
    *,
    differ: bool,
) -> str:
    if not losses and faulty:
        return f"Column {faulty[0].name!r} {faulty[0].reason}, and no other has only numbers."
    if not losses:
        return "No column has numbers that may be losses or scores."
    if others and not differ:
        first = proposals[others[0]]
        return f"Column {first.name!r} {first.reason}, so they seem to be of different kinds."
    return (
        "Columns of different sizes, and numbers on both sides of 0 that do not rise together, are "
        "rarely losses or scores."
    )


def _guess_with_target(
    target: ColumnProfile, others: Sequence[ColumnProfile], values: Values
) -> Contents:
    start = f"Column {target.name!r} has the name of true values"
    named = [column for column in others if is_name_of("prediction", column.name)]
    if named:
        have = "has the name" if len(named) == 1 else "have the names"
        return Contents("predictions", f"{start}, and {_list_names(named)} {have} of predictions.")
    alike = _find_columns_of_classes(target, others, values)
    if alike:
        have = "has" if len(alike) == 1 else "have"
        reason = f"{start}, and {_list_names(alike)} {have} its classes and no others."
        return Contents("predictions", reason)
    if target.is_numeric and is_name_of("truth", target.name):
        alike = [c for c in others if c.is_numeric and not c.repeats]
        if alike or (target.is_binary and all(c.is_binary for c in others if c.is_numeric)):
            reason = f"{start} that are compared with others, and other columns have numbers too."
            return Contents("predictions", reason)
    return Contents("cross_validation", f"{start}, and no column that of predictions.")


def _find_columns_of_classes(
    target: ColumnProfile, others: Sequence[ColumnProfile], values: Values
) -> list[ColumnProfile]:
    """Return the columns that have only classes of the target.

    Numbers must have every class, and other classes than 0 and 1, which features often have, too.
    """
    if target.is_numeric and (target.is_binary or 2 * target.distinct > target.present):
        return []  # numbers of which two happen to be equal are no classes
    classes = _list_distinct(values(target.name))
    if target.is_numeric:
        return [c for c in others if c.is_numeric and _list_distinct(values(c.name)) == classes]
    return [c for c in others if not c.is_numeric and _list_distinct(values(c.name)) <= classes]


def _list_distinct(values: Sequence[object]) -> set[str]:
    return {str(value) for value in values if value is not None}


def _differ(columns: Sequence[ColumnProfile], numbers: ReadNumbers) -> bool:
    """Return whether numbers differ as features do: unrelated, or far larger than others.

    Columns with numbers on both sides of 0 may be differences or log-densities of the same rows,
    which rise together and spread alike.
    """
    if any(column.low < 0 < column.high for column in columns):
        values = np.array([numbers(column.name) for column in columns])
        complete = values[:, np.isfinite(values).all(axis=0)]
        if len(columns) == 1 or not complete.size:
            return len(columns) > 1
        spreads = complete.std(axis=1)
        if not 0 < spreads.max() <= FURTHEST_MEDIANS * spreads.min():
            return True
        return bool(np.corrcoef(complete).min() < LEAST_CORRELATION)
    if any(column.low < 0 for column in columns):
        return any(column.high > 0 for column in columns)
    medians = [column.middle for column in columns if column.middle > 0]
    return bool(medians) and max(medians) > FURTHEST_MEDIANS * min(medians)


def _list_names(columns: Sequence[ColumnProfile]) -> str:
    names = [repr(column.name) for column in columns[:LISTED]]
    if len(columns) > LISTED:
        return f"{', '.join(names)} and {len(columns) - LISTED} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
