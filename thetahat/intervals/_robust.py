"""Intervals that rest less on the largest losses: the layouts that they fit."""

from __future__ import annotations

from abc import ABC

from thetahat.intervals.base import IntervalOfLosses
from thetahat.values.layout import Layout
from thetahat.variances._applicability import explain_wrong_block_kind


class RobustInterval(IntervalOfLosses, ABC):
    """Base class of intervals that need one loss for each of many independent instances."""

    __slots__ = ()

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        reason = explain_wrong_block_kind(self.info, layout)
        reason = reason or IntervalOfLosses.inapplicable(self, layout)
        if reason is not None:
            return reason
        if not layout.has_one_row_each:
            value = layout.words.value
            return f"{self.info.name} needs one {value} of each instance, and these have several"
        if layout.n_rows < 2:
            return f"{self.info.name} needs at least two instances, and there is {layout.n_rows}"
        return None
