"""Which learners are fitted together, as one part of the progress."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from thetahat.cross_validation import cells, is_fast
from thetahat.cross_validation.learner_groups import Group, path_over
from thetahat.learners.base import Learner
from thetahat.pipelines.pipeline import Pipeline
from thetahat.tables.data import Data

MOST_NUMBERS_TOGETHER: Final = 40_000_000
"""About the largest number of values that the learners of one group return; a group that would
return more is cut into several."""
MOST_NUMBERS_OF_CHUNK: Final = 10_000_000
"""About the largest number of values that one chunk returns, where its splits can be divided."""
LONGEST_NAME: Final = 90
CELLS_PER_FURTHER_LEARNER: Final = 1000
"""About the number of values looked at for one more learner of a group in one split, besides a
tenth of the rows."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Learners that one chunk fits, group after group.

    Parameters
    ----------
    part : str
        Name of the part of the progress that the bundle belongs to; several bundles may share it.
    groups : tuple of Group
        Each with learners that are fitted together, or with a single one.
    """

    part: str
    groups: tuple[Group, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the learners."""
        return tuple(name for group in self.groups for name in group.names)

    @property
    def is_fast(self) -> bool:
        """Whether every learner computes all splits from one pass over the rows."""
        return all(is_fast(group.learners[0]) for group in self.groups)

    def count_cells(self, data: Data, n_splits: int) -> int:
        """Return about how many values of the data are looked at for so many splits."""
        per_learner = n_splits * (data.n // 10 + CELLS_PER_FURTHER_LEARNER)
        return sum(
            cells(group.learners[0], data, n_splits) + (len(group.names) - 1) * per_learner
            for group in self.groups
        )

    def count_numbers(self, data: Data, n_tests: int) -> int:
        """Return about how many values the learners return for so many tested rows each."""
        return len(self.names) * n_tests * _numbers_per_row(data)


def bundle_learners(
    learners: Mapping[str, Learner], data: Data, n_tests: int
) -> tuple[Bundle, ...]:
    """Return bundles of one group each, in the order of their first learners.

    Learners that differ only in a parameter that a path can be computed for are fitted together
    and are one part of the progress; every other learner is a part of its own. The bundles depend
    on the learners and on the size of the data alone.

    Parameters
    ----------
    n_tests : int
        Rows that one learner is tested on, repetitions counted, whose outcomes are in memory at
        once.
    """
    most = max(1, MOST_NUMBERS_TOGETHER // max(1, n_tests * _numbers_per_row(data)))
    place = {name: at for at, name in enumerate(learners)}
    groups = [piece for group in group_learners(learners) for piece in divide_group(group, most)]
    groups.sort(key=lambda group: place[group.names[0]])
    taken, bundles = set(learners), []
    for group in groups:
        part = name_group(group)
        while len(group.names) > 1 and part in taken:
            part += "'"
        taken.add(part)
        bundles.append(Bundle(part, (group,)))
    return tuple(bundles)


def name_group(group: Group) -> str:
    """Return the name of a group: that of its only learner, or one like ``weak and 3 more``."""
    first, *others = group.names
    return f"{first[:LONGEST_NAME]} and {len(others)} more" if others else first


def group_learners(learners: Mapping[str, Learner]) -> Iterator[Group]:
    """Yield groups of learners that are fitted together; a group has learners of one class."""
    by_class: dict[tuple[type, bool], dict[str, Learner]] = {}
    for name, learner in learners.items():
        pipeline: Any = learner
        has_steps = isinstance(pipeline, Pipeline)
        last = pipeline.learner if has_steps else pipeline
        if hasattr(last, "over_path"):
            by_class.setdefault((type(last), has_steps), {})[name] = learner
        else:
            yield Group((name,), (learner,))
    for of_one_class in by_class.values():
        yield from path_over(of_one_class)


def divide_group(group: Group, most: int) -> list[Group]:
    """Return groups of at most so many learners."""
    n = len(group.names)
    return [
        Group(
            group.names[at : at + most],
            group.learners[at : at + most],
            group.parameter if min(most, n - at) > 1 else None,
        )
        for at in range(0, n, most)
    ]


def _numbers_per_row(data: Data) -> int:
    """Return how many values a learner returns for one row: loss, output, score, probabilities."""
    return 3 + data.n_classes
