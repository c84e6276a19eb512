"""The check of the parameters of generators."""

from __future__ import annotations

from thetahat.errors import InvalidParameter


def require(good: bool, name: str, value: object, what: str) -> None:  # noqa: FBT001 - an assertion
    """Raise ``InvalidParameter`` for a parameter that is not valid.

    Raises
    ------
    InvalidParameter
        With the parameter's name, what it must be, and the value.
    """
    if not good:
        raise InvalidParameter(f"{name} {what}, got {value}", loc=(name,), value=value)
