"""The cautions of a selection, and its failures."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from service.kinds.selection.plan import SelectionPlan
from thetahat.analyses.selection import CandidateGrid, Choice, External, InternalEstimate
from thetahat.cautions import (
    CHOICE_DIFFERS,
    CHOICE_VARIES,
    INTERNAL_IS_OPTIMISTIC,
    TIED,
    TIED_INSIDE,
    UNDEFINED_SPLITS,
    Caution,
)
from thetahat.cross_validation.result import LearnerFailure
from thetahat.values.number_text import format_number

MOST_NAMED: Final = 10
"""Number of candidates that one sentence names."""


def list_failures(
    failures: Mapping[str, LearnerFailure], grids: Mapping[str, CandidateGrid]
) -> dict[str, LearnerFailure]:
    """Return the failures of candidates; a grid that failed as a whole is listed once.

    Its failure is that of its first candidate, with the number of candidates.
    """
    listed = dict(failures)
    for name, grid in grids.items():
        if all(one in failures for one in grid.candidates):
            first, *_ = grid.candidates
            listed = {one: of_one for one, of_one in listed.items() if one not in grid.candidates}
            listed[name] = replace(failures[first], candidates=len(grid.candidates))
    return listed


def list_names(names: Collection[str]) -> str:
    """Return names for a sentence, the first of many."""
    first = list(names)[:MOST_NAMED]
    others = f" and {len(names) - len(first)} more" if len(names) > len(first) else ""
    return ", ".join(map(repr, first)) + others


def selection_cautions(
    external: External | None,
    last: Choice,
    internal: Mapping[str, InternalEstimate],
    bias: Mapping[str, Any],
    plan: SelectionPlan,
) -> Iterator[Caution]:
    """Yield the cautions of a selection as a whole."""
    what = plan.chosen_by
    if len(internal) > 1:
        yield _optimism(external, last, internal, bias, plan)
    if any(np.isnan(estimate.means).any() for estimate in internal.values()):
        yield UNDEFINED_SPLITS(what=what)
    if last.tied:
        yield TIED(names=list_names((last.least, *last.tied)), what=what)
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
    plan: SelectionPlan,
) -> Caution:
    what = plan.chosen_by
    small = "large" if plan.criterion.higher_is_better else "small"
    found = (
        f"the internal {what} of {last.name!r}, {format_number(internal[last.name].mean)}, chose "
        f"it among {len(internal)} and is no estimate of its {what}: as a rule it is too {small}"
    )
    if external is None:
        least = bias["of_minima"]
        size = (
            ""
            if least is None
            else f", by about {format_number(least)} to go by the splits' own best"
        )
        words = f"{found}{size}; an external scheme would estimate the {what} of what is chosen"
    elif bias["estimate"] is None:
        words = f"{found}; the external splits have no {what} to compare it with"
    else:
        gap, of_choice = bias["estimate"], bias["of_choice"]
        side = "above" if gap >= 0 else "below"
        part = (
            ""
            if of_choice is None
            else f", and {format_number(of_choice)} of that is due to choosing"
        )
        words = (
            f"{found}; in the external splits the {what} was on average "
            f"{format_number(abs(gap))} {side} the internal one (a difference of "
            f"{format_number(gap)}{part})"
        )
    return INTERNAL_IS_OPTIMISTIC(sentence=words)
