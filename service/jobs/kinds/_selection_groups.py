"""Which candidates of a selection are run together, and what their share of the work is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from thetahat.data import Data
from thetahat.learners.base import Learner
from thetahat.pipelines.pipeline import Pipeline
from thetahat.resampling import cells, is_fast
from thetahat.resampling.paths import Group, path_over
from thetahat.selecting import Grid

MOST_SHOWN: Final = 200
"""Candidates that are evaluated beside one another, as learners of a cross-validation are; and
those that have a part each of the progress, so that one that fails at a limit fails alone."""
MOST_BUNDLES: Final = 64
"""About, into which the candidates of large grids are put."""
MOST_LOSSES_TOGETHER: Final = 20_000_000
"""Candidates x rows that one piece of work holds at a time."""
LONGEST_NAME: Final = 90
EACH_MORE: Final = 1000
"""Values looked at, about, for one more candidate of a group on one split, besides its rows."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Groups of candidates that one chunk runs, one group after another.

    Parameters
    ----------
    part : str
        What the progress calls it; several bundles may be of one part.
    groups : tuple of Group
        Each with candidates that are run together, or one alone.
    """

    part: str
    groups: tuple[Group, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The candidates."""
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


@dataclass(frozen=True, slots=True)
class Groups:
    """All bundles, in the order of their first candidates."""

    bundles: tuple[Bundle, ...]

    @property
    def n_candidates(self) -> int:
        """How many there are."""
        return sum(len(bundle.names) for bundle in self.bundles)

    @property
    def n_groups(self) -> int:
        """How many there are where those that are run together count as one."""
        return sum(len(bundle.groups) for bundle in self.bundles)


def groups_of(learners: Mapping[str, Learner], grids: Mapping[str, Grid], n_rows: int) -> Groups:
    """Put candidates together; a function of the request and the number of rows alone.

    Candidates that differ only in a parameter of which their learner has a path are run together,
    whether or not a grid names them, and are a part of the progress together. Every other one is
    a part by itself, unless there are so many that those of one grid are.
    """
    grid_of = {one: name for name, grid in grids.items() for one in grid.candidates}
    many = len(learners) > MOST_SHOWN
    together: list[Bundle] = []
    bundled: dict[str, list[Group]] = {}
    for group in _groups(learners):
        grid = _common([grid_of.get(name) for name in group.names])
        if len(group.names) == 1 and many and grid is not None:
            bundled.setdefault(grid, []).append(group)
            continue
        part = group.names[0]
        if len(group.names) > 1:
            part = grid or f"{part[:LONGEST_NAME]} and {len(group.names) - 1} more"
        together += [Bundle(part, (piece,)) for piece in _pieces(group, n_rows)]
    size = -(-sum(len(groups) for groups in bundled.values()) // MOST_BUNDLES)
    for grid, groups in bundled.items():
        together += [
            Bundle(grid, tuple(groups[at : at + size])) for at in range(0, len(groups), size)
        ]
    order = {name: at for at, name in enumerate(learners)}
    return Groups(tuple(sorted(together, key=lambda bundle: order[bundle.names[0]])))


def _groups(learners: Mapping[str, Learner]) -> Iterator[Group]:
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


def _pieces(group: Group, n_rows: int) -> list[Group]:
    most = max(1, MOST_LOSSES_TOGETHER // max(1, n_rows))
    n = len(group.names)
    return [
        Group(
            group.names[at : at + most],
            group.learners[at : at + most],
            group.parameter if min(most, n - at) > 1 else None,
        )
        for at in range(0, n, most)
    ]


def _common(grids: Sequence[str | None]) -> str | None:
    """Return the grid that all are of."""
    return grids[0] if len(set(grids)) == 1 else None
