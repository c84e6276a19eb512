"""Checks of the parameters of presets."""

from __future__ import annotations

from collections.abc import Sequence

from thetahat.parameter_checks import require


def require_at_least(preset: object, **least: int) -> None:
    """Raise ``InvalidParameter`` unless each named parameter has its least value or more."""
    for name, bound in least.items():
        value = getattr(preset, name)
        require(value >= bound, name, value, f"must be {bound} or more")


def is_ascending(values: Sequence[float]) -> bool:
    """Whether there are values, and each is larger than the one before."""
    return bool(values) and list(values) == sorted(set(values))
