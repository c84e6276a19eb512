"""The alpha at which a test of many models says which of them are tied."""

from __future__ import annotations

from typing import Final

from thetahat.errors import InvalidParameter

DEFAULT_ALPHA: Final = 0.05
"""Taken where neither the method nor the request says one."""


def check_alpha(alpha: float | None) -> None:
    """Raise ``InvalidParameter`` for an alpha outside (0, 1); None leaves it to the request."""
    if alpha is not None and not 0 < alpha < 1:
        raise InvalidParameter(f"alpha must be in (0, 1), got {alpha}", loc=("alpha",), value=alpha)


def alpha_of(named: float | None) -> float:
    """Return the alpha asked for, or the default."""
    return DEFAULT_ALPHA if named is None else named
