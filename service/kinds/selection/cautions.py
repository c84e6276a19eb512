"""What to know of a selection before its numbers are read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thetahat.analyses.selection import Choice, External, Grid, InternalEstimate
from thetahat.values.json_values import number
from thetahat.values.types import Caution

if TYPE_CHECKING:
    from service.kinds.selection.plan import Plan

MOST_NAMED: Final = 10
"""Candidates that one sentence names."""


def failures_told(
    failures: Mapping[str, Mapping[str, Any]], grids: Mapping[str, Grid]
) -> dict[str, Any]:
    """Return what candidates failed with; a grid that failed as a whole stands once, by its name.

    It has the words of its first candidate, and how many there were.
    """
    told = dict(failures)
    for name, grid in grids.items():
        if all(one in failures for one in grid.candidates):
            first, *_ = grid.candidates
            rest = {one: said for one, said in told.items() if one not in grid.candidates}
            told = {**rest, name: {**failures[first], "candidates": len(grid.candidates)}}
    return told


def left_out(failures: Mapping[str, Mapping[str, Any]]) -> Iterator[Caution]:
    """Yield who is left out, and why."""
    for name, failure in failures.items():
        yield Caution("candidate_left_out", f"{name!r} is left out: {failure['message']}")


def among_some(found: Collection[str], to_come: Collection[str]) -> Iterator[Caution]:
    """Yield what is to be known of a choice that is made before all candidates are there."""
    if to_come:
        yield Caution(
            "choice_among_some",
            f"a choice among {len(found)} of {len(found) + len(to_come)} candidates is not the "
            f"selection: still to come are {_some_of(to_come)}, and one of them may be chosen",
        )


def _some_of(names: Collection[str]) -> str:
    first = list(names)[:MOST_NAMED]
    others = f" and {len(names) - len(first)} more" if len(names) > len(first) else ""
    return ", ".join(map(repr, first)) + others


def doubts(
    external: External | None,
    last: Choice,
    internal: Mapping[str, InternalEstimate],
    bias: Mapping[str, Any],
    plan: Plan,
) -> Iterator[Caution]:
    """Yield the cautions of a selection as a whole."""
    what = plan.chosen_by
    if len(internal) > 1:
        yield _optimism(external, last, internal, bias, plan)
    if any(np.isnan(estimate.means).any() for estimate in internal.values()):
        yield Caution(
            "undefined_splits",
            f"{what} has no value in some internal splits, which count for nothing",
        )
    if last.tied:
        yield Caution(
            "tied",
            f"{_some_of((last.least, *last.tied))} have the same internal {what}; "
            "of those the first in the request stands for the best",
        )
    if external is None:
        return
    n = len(external.choices)
    ties = sum(bool(choice.tied) for choice in external.choices)
    if ties:
        yield Caution(
            "tied_inside",
            f"in {ties} of {n} external splits candidates had the same best internal {what}, and "
            "the first in the request was taken",
        )
    wins = {name: count for name, count in external.wins().items() if count}
    if len(wins) > 1:
        most = sorted(wins.items(), key=lambda won: -won[1])[:MOST_NAMED]
        more = "" if len(most) == len(wins) else f", and {len(wins) - len(most)} more,"
        counts = ", ".join(f"{name!r} {count}" for name, count in most) + more
        yield Caution(
            "choice_varies",
            f"not every external split chose the same candidate ({counts} of {n}); the external "
            "error is that of choosing and learning, not of one candidate",
        )
    if last.name not in wins:
        yield Caution(
            "choice_differs",
            f"{last.name!r}, chosen on all rows, was chosen in no external split",
        )


def _optimism(
    external: External | None,
    last: Choice,
    internal: Mapping[str, InternalEstimate],
    bias: Mapping[str, Any],
    plan: Plan,
) -> Caution:
    what = plan.chosen_by
    small = "large" if plan.criterion.higher_is_better else "small"
    found = (
        f"the internal {what} of {last.name!r}, {number(internal[last.name].mean)}, chose it among "
        f"{len(internal)} and is no estimate of its {what}: as a rule it is too {small}"
    )
    if external is None:
        least = bias["of_minima"]
        size = "" if least is None else f", by about {number(least)} to go by the splits' own best"
        words = f"{found}{size}; an external scheme would estimate the {what} of what is chosen"
    elif bias["estimate"] is None:
        words = f"{found}; the external splits have no {what} to compare it with"
    else:
        gap, of_choice = bias["estimate"], bias["of_choice"]
        side = "above" if gap >= 0 else "below"
        part = "" if of_choice is None else f", and {number(of_choice)} of that is due to choosing"
        words = (
            f"{found}; in the external splits the {what} was on average {number(abs(gap))} {side} "
            f"the internal one (a difference of {number(gap)}{part})"
        )
    return Caution("internal_is_optimistic", words)
