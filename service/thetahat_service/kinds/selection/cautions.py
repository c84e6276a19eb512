"""The cautions of a selection, and the list of its failures."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from thetahat.analyses.selection.external_choices import ExternalChoices
from thetahat.analyses.selection.grids import CandidateGrid
from thetahat.analyses.selection.internal_estimates import InternalEstimate
from thetahat.analyses.selection.result import SelectionBias
from thetahat.analyses.selection.selection_rules import Choice
from thetahat.cautions import (
    CHOICE_AMONG_SOME,
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
from thetahat_presentation.wording import name_method
from thetahat_service.kinds.selection.plan import SelectionPlan

MOST_NAMED: Final = 10
"""Largest number of candidates that one sentence names."""


def list_failures(
    failures: Mapping[str, LearnerFailure], grids: Mapping[str, CandidateGrid]
) -> dict[str, LearnerFailure]:
    """Return the failures of candidates; a grid of which all candidates failed is listed once.

    Its failure is that of its first candidate, with the number of candidates.
    """
    listed = dict(failures)
    for name, grid in grids.items():
        if all(candidate in failures for candidate in grid.candidates):
            first, *_ = grid.candidates
            listed = {key: failure for key, failure in listed.items() if key not in grid.candidates}
            listed[name] = replace(failures[first], candidates=len(grid.candidates))
    return listed


def find_missing_candidates_cautions(n_done: int, to_come: Sequence[str]) -> list[Caution]:
    """Return the caution of a choice that is made before all candidates have outputs."""
    if not to_come:
        return []
    names = _list_names(to_come)
    return [CHOICE_AMONG_SOME(n_done=n_done, n=n_done + len(to_come), names=names)]


def find_selection_cautions(
    external: ExternalChoices | None,
    choice: Choice,
    internal: Mapping[str, InternalEstimate],
    bias: SelectionBias,
    plan: SelectionPlan,
) -> Iterator[Caution]:
    """Yield the cautions of a selection as a whole.

    ``choice`` is the last choice, and ``internal`` are the estimates that it rests on.
    """
    criterion = name_method(plan.chosen_by)
    if len(internal) > 1:
        yield INTERNAL_IS_OPTIMISTIC(
            sentence=" ".join(_describe_optimism(external, choice, internal, bias, plan))
        )
    if any(np.isnan(estimate.means).any() for estimate in internal.values()):
        yield UNDEFINED_SPLITS(what=criterion)
    if choice.tied:
        yield TIED(names=_list_names((choice.least, *choice.tied)), what=criterion)
    if external is None:
        return
    n = len(external.choices)
    n_ties = sum(bool(choice.tied) for choice in external.choices)
    if n_ties:
        yield TIED_INSIDE(ties=n_ties, n=n, what=criterion)
    wins = {name: count for name, count in external.count_wins().items() if count}
    if len(wins) > 1:
        yield CHOICE_VARIES(counts=_list_wins(wins), n=n)
    if choice.name not in wins:
        yield CHOICE_DIFFERS(name=choice.name)


def _describe_optimism(
    external: ExternalChoices | None,
    choice: Choice,
    internal: Mapping[str, InternalEstimate],
    bias: SelectionBias,
    plan: SelectionPlan,
) -> Iterator[str]:
    """Yield the sentences on the internal value of the chosen candidate."""
    criterion = name_method(plan.chosen_by)
    direction = "large" if plan.criterion.higher_is_better else "small"
    value = format_number(internal[choice.name].mean)
    yield (
        f"The internal {criterion} of {choice.name!r}, {value}, is the best of {len(internal)} "
        f"candidates, and is therefore usually too {direction}."
    )
    if external is None:
        if bias.of_minima is not None:
            yield f"The internal splits estimate this bias as {format_number(bias.of_minima)}."
        yield f"Name an external scheme to estimate the {criterion} of the chosen candidate."
    elif bias.estimate is None:
        yield f"The external splits have no {criterion} to compare it with."
    else:
        side = "above" if bias.estimate >= 0 else "below"
        part = ""
        if bias.of_choice is not None:
            part = f"; the part due to choosing is {format_number(bias.of_choice)}"
        size = format_number(abs(bias.estimate))
        yield (
            f"In the external splits the {criterion} was on average {size} {side} the internal one"
            f"{part}."
        )


def _list_names(names: Collection[str]) -> str:
    """Return the names for a sentence; of very many the first."""
    first = list(names)[:MOST_NAMED]
    remainder = f" and {len(names) - len(first)} more" if len(names) > len(first) else ""
    return ", ".join(map(repr, first)) + remainder


def _list_wins(wins: Mapping[str, int]) -> str:
    """Return the wins of each candidate for a sentence; of very many the most frequent."""
    by_frequency = sorted(wins.items(), key=lambda item: -item[1])
    listed = by_frequency[:MOST_NAMED]
    counts = ", ".join(f"{name!r} {count}" for name, count in listed)
    n_others = len(wins) - len(listed)
    return f"{counts}, and {n_others} more," if n_others else counts
