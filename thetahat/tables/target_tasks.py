"""The learning task that the values of a target show: classes or numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from thetahat.tables.column_profiles import ColumnProfile
from thetahat.tables.data import CLASSIFICATION, REGRESSION

MOST_CLASSES: Final = 20
"""Whole numbers of at most so many different values, which rows share, may be classes."""


@dataclass(frozen=True, slots=True)
class TaskProposal:
    """The task that a target's values show."""

    task: str | None
    """``classification`` or ``regression``; None where the values may be both."""
    reason: str
    """Why, as the end of a sentence that begins with the target."""


def propose_task(target: ColumnProfile) -> TaskProposal:
    """Return the task that the values of a target show.

    Texts, truth values and numbers of two values are classes. Fractions are values, and so are
    whole numbers, unless there are few of them. Text that is a number in most rows is neither:
    such a column has cells that are no numbers, or numbers that were written as text.
    """
    if target.type == "boolean":
        return TaskProposal(CLASSIFICATION, "has truth values")
    if not target.is_numeric:
        return _propose_for_text(target)
    if target.is_binary:
        return TaskProposal(CLASSIFICATION, "has only 0 and 1")
    if not target.is_whole:
        return TaskProposal(REGRESSION, "has fractions")
    if target.distinct == 2 and target.repeats:
        return TaskProposal(CLASSIFICATION, "has two different values")
    few = f"has {target.distinct} different whole numbers in {target.present} rows"
    if target.distinct <= MOST_CLASSES and 2 * target.distinct <= target.present:
        return TaskProposal(None, f"{few}, which may be classes or values")
    return TaskProposal(REGRESSION, few)


def _propose_for_text(target: ColumnProfile) -> TaskProposal:
    cell = target.first_other
    if cell is None and target.numbers and target.distinct > 2:
        return TaskProposal(None, "has numbers that are written as text")
    if cell is not None and 2 * target.numbers > target.present:
        reason = f"has numbers in most rows, but {cell.text!r} in row {cell.row}"
        return TaskProposal(None, reason)
    return TaskProposal(CLASSIFICATION, "has text")
