"""Checks of the parameters of presets."""

from __future__ import annotations

from collections.abc import Sequence

from thetahat.errors import InvalidParameter


def require(is_valid: bool, name: str, value: object, requirement: str) -> None:  # noqa: FBT001 - an assertion
    """Raise ``InvalidParameter`` unless a parameter is valid.

    Parameters
    ----------
    requirement : str
        What the parameter must be, such as ``must be 2 or more``.
    """
    if not is_valid:
        shown = list(value) if isinstance(value, tuple) else value
        raise InvalidParameter(f"{name} {requirement}, got {shown!r}", loc=(name,), value=shown)


def require_at_least(preset: object, **least: int) -> None:
    """Raise ``InvalidParameter`` unless each named parameter has its least value or more."""
    for name, bound in least.items():
        value = getattr(preset, name)
        require(value >= bound, name, value, f"must be {bound} or more")


def is_ascending(values: Sequence[float]) -> bool:
    """Whether there are values, and each is larger than the one before."""
    return bool(values) and list(values) == sorted(set(values))
