"""Bundles: groups of learners that are fitted together and are one part of the progress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from thetahat.cross_validation import estimate_cells, is_fast
from thetahat.cross_validation.learner_groups import (
    Group,
    group_by_path,
    most_learners_together,
    numbers_per_row,
)
from thetahat.learners.base import Learner
from thetahat.tables.data import Data

MOST_NUMBERS_OF_CHUNK: Final = 10_000_000
"""About the largest number of values that one chunk returns, where its splits can be divided."""
LONGEST_NAME: Final = 90
CELLS_PER_FURTHER_LEARNER: Final = 1000
"""About the number of values read for one more learner of a group in one split, besides a
tenth of the rows."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Learners that one chunk fits, group after group."""

    part: str
    """Name of the part of the progress that the bundle belongs to; several bundles may share it."""
    groups: tuple[Group, ...]
    """Each with learners that are fitted together, or with a single one."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the learners."""
        return tuple(name for group in self.groups for name in group.names)

    @property
    def is_fast(self) -> bool:
        """Whether every learner computes all splits from one pass over the rows."""
        return all(is_fast(group.learners[0]) for group in self.groups)

    def count_cells(self, data: Data, n_splits: int) -> int:
        """Return about how many values of the data are read for this number of splits."""
        per_learner = n_splits * (data.n // 10 + CELLS_PER_FURTHER_LEARNER)
        return sum(
            estimate_cells(group.learners[0], data, n_splits) + (len(group.names) - 1) * per_learner
            for group in self.groups
        )

    def count_numbers(self, data: Data, n_tests: int) -> int:
        """Return about how many values the learners return for this number of tested rows each."""
        return len(self.names) * n_tests * numbers_per_row(data)


def bundle_learners(
    learners: Mapping[str, Learner], data: Data, n_tests: int
) -> tuple[Bundle, ...]:
    """Return bundles of one group each, in the order of their first learners.

    Learners that differ only in a parameter that a path can be computed for are fitted together and
    are one part of the progress; every other learner is a part of its own. The bundles depend on
    the learners and on the size of the data alone. ``n_tests`` is the number of test rows of one
    learner over all splits and repeats, whose outcomes are in memory at once.
    """
    names_in_use, bundles = set(learners), []
    for group in group_by_path(learners, most_learners_together(data, n_tests)):
        part = name_group(group)
        while len(group.names) > 1 and part in names_in_use:
            part += "'"
        names_in_use.add(part)
        bundles.append(Bundle(part, (group,)))
    return tuple(bundles)


def name_group(group: Group) -> str:
    """Return the name of a group: that of its only learner, or one like ``weak and 3 more``."""
    first, *other_names = group.names
    return f"{first[:LONGEST_NAME]} and {len(other_names)} more" if other_names else first
