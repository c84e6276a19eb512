"""Checks of the parameters of presets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from thetahat.parameter_checks import require

MAX_COUNT: Final = 100_000
"""Largest count of a preset: of rows, features, folds, resamples or penalties. The published
results have at most 1000; a hundred times as many take days on one processor."""


def require_at_least(preset: object, **least: int) -> None:
    """Raise ``InvalidParameter`` unless each named count is at least that, and not too large."""
    for name, bound in least.items():
        value = getattr(preset, name)
        require(value >= bound, name, value, f"must be {bound} or more")
        check_largest(name, value)


def check_largest(name: str, *counts: int) -> None:
    """Raise ``InvalidParameter`` if one of a parameter's counts is above ``MAX_COUNT``."""
    largest = max(counts)
    require(largest <= MAX_COUNT, name, largest, f"must be at most {MAX_COUNT}")


def is_ascending(values: Sequence[float]) -> bool:
    """Whether there are values, and each is larger than the one before."""
    return bool(values) and list(values) == sorted(set(values))
