"""The check that every generator makes of its parameters."""

from __future__ import annotations

from thetahat.errors import InvalidParameter


def require(good: bool, name: str, value: object, what: str) -> None:  # noqa: FBT001 - an assertion
    """Refuse a parameter that is not good.

    Raises
    ------
    InvalidParameter
        With the parameter's name, what it must be, and the value.
    """
    if not good:
        raise InvalidParameter(f"{name} {what}, got {value}", loc=(name,), value=value)
