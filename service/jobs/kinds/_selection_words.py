"""What to know of a selection before its numbers are read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from thetahat.evaluation.plain import number
from thetahat.selecting import Choice, External, InternalEstimate
from thetahat.types import Caution


def among_some(found: Collection[str], to_come: Collection[str]) -> Iterator[Caution]:
    """Yield what is to be known of a choice that is made before all candidates are there."""
    if to_come:
        yield Caution(
            "choice_among_some",
            f"a choice among {len(found)} of {len(found) + len(to_come)} candidates is not the "
            f"selection: still to come are {', '.join(map(repr, to_come))}, and one of them may "
            "be chosen",
        )


def doubts(
    external: External | None,
    last: Choice,
    internal: Mapping[str, InternalEstimate],
    bias: Mapping[str, Any],
) -> Iterator[Caution]:
    """Yield the cautions of a selection as a whole."""
    if len(internal) > 1:
        yield _optimism(external, last, internal, bias)
    if last.tied:
        yield Caution(
            "tied",
            f"{', '.join(map(repr, (last.least, *last.tied)))} have the same internal error; "
            "of those the first in the request stands for the least",
        )
    if external is None:
        return
    n = len(external.choices)
    ties = sum(bool(choice.tied) for choice in external.choices)
    if ties:
        yield Caution(
            "tied_inside",
            f"in {ties} of {n} external splits candidates had the same least internal error, and "
            "the first in the request was taken",
        )
    wins = {name: count for name, count in external.wins().items() if count}
    if len(wins) > 1:
        counts = ", ".join(f"{name!r} {count}" for name, count in wins.items())
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
) -> Caution:
    found = (
        f"the internal error of {last.name!r}, {number(internal[last.name].mean)}, chose it among "
        f"{len(internal)} and is no estimate of its error: as a rule it is too small"
    )
    if external is None:
        least = bias["of_minima"]
        size = (
            "" if least is None else f", by about {number(least)} to go by the splits' own minima"
        )
        words = f"{found}{size}; an external scheme would estimate the error of what is chosen"
    else:
        gap, of_choice = bias["estimate"], bias["of_choice"]
        side = "above" if gap >= 0 else "below"
        part = "" if of_choice is None else f", and {number(of_choice)} of that is due to choosing"
        words = (
            f"{found}; in the external splits the error was on average {number(abs(gap))} {side} "
            f"the internal one (a difference of {number(gap)}{part})"
        )
    return Caution("internal_is_optimistic", words)
