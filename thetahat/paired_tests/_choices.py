"""Parameters that are one of a few words."""

from __future__ import annotations

from thetahat.errors import InvalidParameter


def check_choice(name: str, value: str | None, known: tuple[str, ...]) -> None:
    """Raise ``InvalidParameter`` that lists the words there are; None is the default's place."""
    if value is not None and value not in known:
        raise InvalidParameter(
            f"{name} must be one of {', '.join(known)}", loc=(name,), value=value
        )
