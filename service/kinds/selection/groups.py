"""Which candidates of a selection are run together, and what their share of the work is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from service.kinds.fitting.learner_groups import Bundle, called, grouped, pieces
from thetahat.analyses.selection import Grid
from thetahat.cross_validation.learner_groups import Group
from thetahat.learners.base import Learner

MOST_SHOWN: Final = 200
"""Candidates that are evaluated beside one another, as learners of a cross-validation are; and
those that have a part each of the progress, so that one that fails at a limit fails alone."""
MOST_BUNDLES: Final = 64
"""About, into which the candidates of large grids are put."""
MOST_LOSSES_TOGETHER: Final = 20_000_000
"""Candidates x rows that one piece of work holds at a time."""


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
    most = max(1, MOST_LOSSES_TOGETHER // max(1, n_rows))
    for group in grouped(learners):
        grid = _common([grid_of.get(name) for name in group.names])
        if len(group.names) == 1 and many and grid is not None:
            bundled.setdefault(grid, []).append(group)
            continue
        part = (grid if len(group.names) > 1 else None) or called(group)
        together += [Bundle(part, (piece,)) for piece in pieces(group, most)]
    size = -(-sum(len(groups) for groups in bundled.values()) // MOST_BUNDLES)
    for grid, groups in bundled.items():
        together += [
            Bundle(grid, tuple(groups[at : at + size])) for at in range(0, len(groups), size)
        ]
    order = {name: at for at, name in enumerate(learners)}
    return Groups(tuple(sorted(together, key=lambda bundle: order[bundle.names[0]])))


def _common(grids: Sequence[str | None]) -> str | None:
    """Return the grid that all are of."""
    return grids[0] if len(set(grids)) == 1 else None
