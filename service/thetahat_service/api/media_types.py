"""The choice of a response's media type by the client's Accept header."""

from __future__ import annotations

from collections.abc import Sequence

from thetahat_service.errors import NotAcceptable


def choose_media_type(accept: str | None, available: Sequence[str]) -> str:
    """Return the available type of the highest quality; among equals the first.

    Raises ``NotAcceptable`` if the client accepts none of them.
    """
    ranges = _parse_accept(accept or "*/*")
    best, best_quality = "", 0.0
    for media_type in available:
        quality = _find_quality(media_type, ranges)
        if quality > best_quality:
            best, best_quality = media_type, quality
    if not best:
        raise NotAcceptable(
            f"The available media types are {', '.join(available)}; Accept has none of them."
        )
    return best


def find_quality(accept: str, names: Sequence[str]) -> float:
    """Return the quality of the first of these names that a header such as Accept-Encoding has."""
    accepted = dict(_parse_accept(accept))
    return next((accepted[name] for name in names if name in accepted), 0.0)


def _parse_accept(accept: str) -> list[tuple[str, float]]:
    """Return the media ranges of an Accept header with their qualities."""
    ranges = []
    for part in accept.split(","):
        media_range, *parameters = (piece.strip() for piece in part.split(";"))
        quality = 1.0
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if name.strip().lower() == "q":
                quality = _parse_quality(value)
        if media_range:
            ranges.append((media_range.lower(), quality))
    return ranges


def _parse_quality(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if 0 <= value <= 1 else 0.0


def _find_quality(media_type: str, ranges: Sequence[tuple[str, float]]) -> float:
    """Return the quality of the most specific range that matches."""
    family = media_type.partition("/")[0] + "/*"
    for pattern in (media_type, family, "*/*"):
        qualities = [quality for name, quality in ranges if name == pattern]
        if qualities:
            return max(qualities)
    return 0.0
