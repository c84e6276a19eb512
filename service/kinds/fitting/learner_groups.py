"""Which learners are run together, and what their share of the work is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from thetahat.cross_validation import cells, is_fast
from thetahat.cross_validation.learner_groups import Group, path_over
from thetahat.learners.base import Learner
from thetahat.pipelines.pipeline import Pipeline
from thetahat.tables.data import Data

MOST_TOGETHER: Final = 40_000_000
"""Numbers that the learners of one group say, about; more learners are two groups."""
MOST_OF_ONE: Final = 10_000_000
"""Numbers that one piece of the work of several learners hands in, where it can be cut further."""
LONGEST_NAME: Final = 90
EACH_MORE: Final = 1000
"""Values looked at, about, for one more learner of a group on one split, besides its rows."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Groups of learners that one chunk runs, one group after another.

    Parameters
    ----------
    part : str
        What the progress calls it; several bundles may be of one part.
    groups : tuple of Group
        Each with learners that are run together, or one alone.
    """

    part: str
    groups: tuple[Group, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The learners."""
        return tuple(name for group in self.groups for name in group.names)

    @property
    def is_fast(self) -> bool:
        """Whether all of them go over all rows once, and not once per split."""
        return all(is_fast(group.learners[0]) for group in self.groups)

    def cells(self, data: Data, n_splits: int) -> int:
        """Return how much there is to do, about, in values of the data looked at once."""
        more = n_splits * (data.n // 10 + EACH_MORE)
        return sum(
            cells(group.learners[0], data, n_splits) + (len(group.names) - 1) * more
            for group in self.groups
        )

    def least_parts(self, data: Data, n_tests: int) -> int:
        """Return into how many parts the work has to be cut for none to hand in too much."""
        return -(-len(self.names) * n_tests * _numbers_of_a_row(data) // MOST_OF_ONE)


def bundles_of(learners: Mapping[str, Learner], data: Data, n_tests: int) -> tuple[Bundle, ...]:
    """Put learners together, one group a bundle; a function of the learners and of sizes alone.

    Those that differ only in a parameter of which they have a path are run together, and are a
    part of the progress together; every other one is a part by itself. In the order of their
    first learners.

    Parameters
    ----------
    n_tests : int
        Rows, each as often as a learner is tested on it, of which all is in memory at once.
    """
    most = max(1, MOST_TOGETHER // max(1, n_tests * _numbers_of_a_row(data)))
    order = {name: at for at, name in enumerate(learners)}
    found = [piece for group in grouped(learners) for piece in pieces(group, most)]
    found.sort(key=lambda group: order[group.names[0]])
    taken, bundles = set(learners), []
    for group in found:
        part = called(group)
        while len(group.names) > 1 and part in taken:
            part += "'"
        taken.add(part)
        bundles.append(Bundle(part, (group,)))
    return tuple(bundles)


def called(group: Group) -> str:
    """Return what a group is called that has no name of its own: ``weak and 3 more``."""
    first, *others = group.names
    return f"{first[:LONGEST_NAME]} and {len(others)} more" if others else first


def grouped(learners: Mapping[str, Learner]) -> Iterator[Group]:
    """Yield the groups; learners of two classes are never in one."""
    by_class: dict[tuple[type, bool], dict[str, Learner]] = {}
    for name, learner in learners.items():
        given: Any = learner
        behind_steps = isinstance(given, Pipeline)
        last = given.learner if behind_steps else given
        if hasattr(last, "over_path"):
            by_class.setdefault((type(last), behind_steps), {})[name] = learner
        else:
            yield Group((name,), (learner,))
    for alike in by_class.values():
        yield from path_over(alike)


def pieces(group: Group, most: int) -> list[Group]:
    """Cut a group into groups of at most so many learners."""
    n = len(group.names)
    return [
        Group(
            group.names[at : at + most],
            group.learners[at : at + most],
            group.parameter if min(most, n - at) > 1 else None,
        )
        for at in range(0, n, most)
    ]


def _numbers_of_a_row(data: Data) -> int:
    """Return how many numbers a learner says of one row: loss, output, score, probabilities."""
    return 3 + data.n_classes
