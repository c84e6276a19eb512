"""Which of the offered media types a client likes best."""

from __future__ import annotations

from collections.abc import Sequence

from service.errors import NotAcceptable


def chosen_type(accept: str | None, offered: Sequence[str]) -> str:
    """Return the offered type of the highest quality; the first offered among equals.

    Raises ``NotAcceptable`` where the client takes none of them.
    """
    ranges = _ranges(accept or "*/*")
    best, best_quality = "", 0.0
    for kind in offered:
        quality = _quality(kind, ranges)
        if quality > best_quality:
            best, best_quality = kind, quality
    if not best:
        raise NotAcceptable(f"There is {', '.join(offered)}; Accept names none of them.")
    return best


def _ranges(accept: str) -> list[tuple[str, float]]:
    found = []
    for part in accept.split(","):
        kind, *parameters = (piece.strip() for piece in part.split(";"))
        quality = 1.0
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if name.strip().lower() == "q":
                quality = _number(value)
        if kind:
            found.append((kind.lower(), quality))
    return found


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if 0 <= value <= 1 else 0.0


def _quality(kind: str, ranges: Sequence[tuple[str, float]]) -> float:
    """Return the quality given by the most specific range that fits."""
    family = kind.partition("/")[0] + "/*"
    for wanted in (kind, family, "*/*"):
        fitting = [quality for name, quality in ranges if name == wanted]
        if fitting:
            return max(fitting)
    return 0.0
