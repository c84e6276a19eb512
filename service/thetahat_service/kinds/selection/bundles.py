"""The candidates of a selection that are fitted together, as one part of the progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from thetahat.analyses.selection.grids import CandidateGrid
from thetahat.cross_validation.learner_groups import Group, divide_group, group_by_parameter
from thetahat.learners.base import Learner
from thetahat_service.kinds.fitting.bundles import Bundle, name_group

MOST_SHOWN: Final = 200
"""Largest number of candidates that are all evaluated as models; and of candidates that are a part
of the progress each, so that a candidate that runs into a limit fails alone."""
MOST_BUNDLES: Final = 64
"""About the number of bundles for the candidates of large grids."""
MOST_LOSSES_TOGETHER: Final = 20_000_000
"""Largest number of losses (candidates x rows) in memory while a group is fitted."""


def bundle_candidates(
    candidates: Mapping[str, Learner], grids: Mapping[str, CandidateGrid], n_rows: int
) -> tuple[Bundle, ...]:
    """Return bundles in the order of their first candidates.

    Candidates that differ only in a parameter of which their learner computes a path are fitted
    together, in a grid or not, and are one part of the progress. Every other candidate is a part
    of its own, unless there are very many: then the candidates of a grid are one part. The
    bundles depend on the request and the number of rows alone.
    """
    grid_by_candidate = {
        candidate: name for name, grid in grids.items() for candidate in grid.candidates
    }
    are_many = len(candidates) > MOST_SHOWN
    max_learners = max(1, MOST_LOSSES_TOGETHER // max(1, n_rows))
    bundles: list[Bundle] = []
    single: dict[str, list[Group]] = {}  # by grid, its candidates that are fitted alone
    for group in group_by_parameter(candidates):
        grid = _find_common_grid([grid_by_candidate.get(name) for name in group.names])
        if len(group.names) == 1 and are_many and grid is not None:
            single.setdefault(grid, []).append(group)
            continue
        part = (grid if len(group.names) > 1 else None) or name_group(group)
        bundles += [Bundle(part, (subgroup,)) for subgroup in divide_group(group, max_learners)]
    size = -(-sum(len(groups) for groups in single.values()) // MOST_BUNDLES)
    for grid, groups in single.items():
        bundles += [
            Bundle(grid, tuple(groups[at : at + size])) for at in range(0, len(groups), size)
        ]
    place = {name: at for at, name in enumerate(candidates)}
    return tuple(sorted(bundles, key=lambda bundle: place[bundle.names[0]]))


def _find_common_grid(grids: Sequence[str | None]) -> str | None:
    """Return the grid if all candidates belong to the same, else None."""
    return grids[0] if len(set(grids)) == 1 else None
