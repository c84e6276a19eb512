"""The defaulted methods that an evaluation does without, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from thetahat.analyses.losses.choices import Chosen
from thetahat.analyses.losses.method_selection import Selection
from thetahat.analyses.losses.recommendation import Built
from thetahat.analyses.losses.result import NotApplicable
from thetahat.errors import UnsupportedCombination
from thetahat.intervals.base import IntervalMethod, ResampledInterval, ShareInterval

WITHOUT_VARIANCE = "it rests on a variance, and none of them fits"
WITHOUT_ONES = "it is for losses that are all 0 or 1"


@dataclass(slots=True)
class OmittedMethods:
    """The defaulted methods that an evaluation does without, each once, with its first reason."""

    entries: dict[tuple[str, str], NotApplicable] = field(default_factory=dict)

    def add(self, family: str, name: str, reason: str) -> None:
        """Note one method."""
        self._add(NotApplicable(name=name, reason=reason, family=family))

    def take(self, selection: Selection[Any]) -> None:
        """Note all that the layout rules out."""
        for entry in selection.left_out:
            self._add(entry)

    def _add(self, entry: NotApplicable) -> None:
        self.entries.setdefault((entry.family, entry.name), entry)

    def listed(self) -> tuple[NotApplicable, ...]:
        """Return them in the order noted."""
        return tuple(self.entries.values())


def rests_on_variance(entry: Chosen[IntervalMethod]) -> bool:
    """Whether an interval is built on a variance, and not on a share or on replicates."""
    return not isinstance(entry.method, ShareInterval | ResampledInterval)


def note_unbuilt(
    intervals: Selection[IntervalMethod],
    none_fits: bool,  # noqa: FBT001 - whether there is no variance to rest on
    built: Sequence[Built],
    left_out: OmittedMethods,
) -> None:
    """Note the methods that have nothing to be built from; refuse a named one for other losses.

    A variance that is there but carries no interval, as one that is 0, says so itself.
    """
    there = {one.interval.method for one in built}
    for entry in intervals.methods:
        if entry.key in there or isinstance(entry.method, ResampledInterval):
            continue
        if not isinstance(entry.method, ShareInterval):
            if none_fits:
                left_out.add("intervals", entry.name, WITHOUT_VARIANCE)
        elif intervals.named:
            raise UnsupportedCombination(
                f"{entry.name} does not fit: {WITHOUT_ONES}", loc=("intervals",), value=entry.name
            )
        else:
            left_out.add("intervals", entry.name, WITHOUT_ONES)
