"""The outcome of a drill, and how it is printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Drill:
    """What was lost in a drill, by count, and how long the recovery took."""

    name: str
    lost: Mapping[str, int]
    recovery_s: float

    @property
    def has_lost(self) -> bool:
        """Whether anything was lost."""
        return any(self.lost.values())

    def describe(self) -> str:
        """Return the line of a report."""
        parts = ", ".join(f"{name} {count}" for name, count in self.lost.items() if count)
        lost = f"lost: {parts}" if parts else "nothing lost"
        return f"   {self.name:34} recovered in {self.recovery_s:5.1f} s, {lost}"
