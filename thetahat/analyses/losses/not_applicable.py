"""Default methods that an evaluation did not use, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from thetahat.analyses.losses.choices import Choices, ChosenMethod
from thetahat.analyses.losses.method_selection import SelectedMethods
from thetahat.analyses.losses.recommendation import BuiltInterval
from thetahat.analyses.losses.result import NotApplicable
from thetahat.errors import UnsupportedCombination
from thetahat.intervals.base import (
    IntervalMethod,
    IntervalOfLosses,
    PairedRatesInterval,
    ResampledInterval,
    ZeroOneInterval,
)
from thetahat.values.block_losses import BlockLosses

WITHOUT_VARIANCE = "it needs a variance estimate, and no variance estimator fits"


@dataclass(slots=True)
class OmittedMethods:
    """Default methods that were not used, each once with the first reason."""

    entries: dict[tuple[str, str], NotApplicable] = field(default_factory=dict)

    def add(self, family: str, name: str, reason: str) -> None:
        """Add one method."""
        self._add(NotApplicable(name=name, reason=reason, family=family))

    def take(self, selection: SelectedMethods[Any]) -> None:
        """Add the methods that a selection leaves out."""
        for entry in selection.left_out:
            self._add(entry)

    def _add(self, entry: NotApplicable) -> None:
        self.entries.setdefault((entry.family, entry.name), entry)

    def list_all(self) -> tuple[NotApplicable, ...]:
        """Return the methods in the order in which they were added."""
        return tuple(self.entries.values())


def rests_on_variance(entry: ChosenMethod[IntervalMethod]) -> bool:
    """Return whether an interval is built on a variance, not on the losses or on replicates."""
    return not isinstance(entry.method, IntervalOfLosses | PairedRatesInterval | ResampledInterval)


def note_unbuilt(  # noqa: PLR0913 - what was built, from what, and the list
    intervals: SelectedMethods[IntervalMethod],
    none_fits: bool,  # noqa: FBT001 - whether there is no variance to rest on
    built: Sequence[BuiltInterval],
    losses: BlockLosses,
    choices: Choices,
    left_out: OmittedMethods,
) -> None:
    """Add the intervals that could not be built; raise if the request names one of them.

    Intervals that are missing because a variance is 0 or negative are not added: the variance has
    a caution about it.
    """
    built_methods = {entry.interval.method for entry in built}
    without_ones = f"it is for {losses.layout.words.values} that are all 0 or 1"
    for entry in intervals.methods:
        if entry.key in built_methods or isinstance(entry.method, ResampledInterval):
            continue
        if rests_on_variance(entry) and none_fits:
            left_out.add("intervals", entry.name, WITHOUT_VARIANCE)
            continue
        if not isinstance(entry.method, ZeroOneInterval | PairedRatesInterval):
            reason = entry.method.explain_unbuilt(losses, choices.level, choices.alternative)
            if reason is not None:
                left_out.add("intervals", entry.name, reason)
            continue
        reason = entry.method.only_for or without_ones
        if intervals.named:
            raise UnsupportedCombination(
                f"{entry.name} does not fit: {reason}.", loc=("intervals",), value=entry.name
            )
        left_out.add("intervals", entry.name, reason)
