"""What to know of a selection before its numbers are read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thetahat.analyses.selection import Choice, External, Grid, InternalEstimate
from thetahat.cautions import (
    CANDIDATE_LEFT_OUT,
    CHOICE_AMONG_SOME,
    CHOICE_DIFFERS,
    CHOICE_VARIES,
    INTERNAL_IS_OPTIMISTIC,
    TIED,
    TIED_INSIDE,
    UNDEFINED_SPLITS,
    Caution,
)
from thetahat.values.json_values import number

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
        yield CANDIDATE_LEFT_OUT(name=name, reason=failure["message"])


def among_some(found: Collection[str], to_come: Collection[str]) -> Iterator[Caution]:
    """Yield what is to be known of a choice that is made before all candidates are there."""
    if to_come:
        yield CHOICE_AMONG_SOME(
            n_done=len(found), n=len(found) + len(to_come), names=_some_of(to_come)
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
        yield UNDEFINED_SPLITS(what=what)
    if last.tied:
        yield TIED(names=_some_of((last.least, *last.tied)), what=what)
    if external is None:
        return
    n = len(external.choices)
    ties = sum(bool(choice.tied) for choice in external.choices)
    if ties:
        yield TIED_INSIDE(ties=ties, n=n, what=what)
    wins = {name: count for name, count in external.wins().items() if count}
    if len(wins) > 1:
        most = sorted(wins.items(), key=lambda won: -won[1])[:MOST_NAMED]
        more = "" if len(most) == len(wins) else f", and {len(wins) - len(most)} more,"
        counts = ", ".join(f"{name!r} {count}" for name, count in most) + more
        yield CHOICE_VARIES(counts=counts, n=n)
    if last.name not in wins:
        yield CHOICE_DIFFERS(name=last.name)


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
    return INTERNAL_IS_OPTIMISTIC(sentence=words)
