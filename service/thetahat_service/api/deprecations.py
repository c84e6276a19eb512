"""Operations that will be removed, and the headers by which their answers say so.

``docs/versions.md`` promises how long a deprecated operation stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Final

from starlette.types import Scope

SHORTEST_NOTICE: Final = timedelta(days=180)
EXPLANATION: Final = "/docs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deprecation:
    """When an operation was deprecated, when it will be removed, and what replaces it."""

    since: datetime
    sunset: datetime
    """Both with a time zone; ``ValueError`` if fewer than 180 days lie between them."""
    successor: str | None = None
    """Path of the operation that replaces it."""

    def __post_init__(self) -> None:
        if self.sunset - self.since < SHORTEST_NOTICE:
            raise ValueError(
                f"The sunset must be at least {SHORTEST_NOTICE.days} days after the deprecation, "
                f"and is {self.sunset - self.since} after it."
            )

    def build_headers(self) -> list[tuple[bytes, bytes]]:
        """Return the headers of RFC 9745 and RFC 8594, with links."""
        links = [f'<{EXPLANATION}>; rel="deprecation"; type="text/html"']
        if self.successor is not None:
            links.append(f'<{self.successor}>; rel="successor-version"')
        sunset = format_datetime(self.sunset.astimezone(UTC), usegmt=True)
        return [
            (b"deprecation", f"@{int(self.since.timestamp())}".encode()),
            (b"sunset", sunset.encode()),
            (b"link", ", ".join(links).encode()),
        ]


DEPRECATIONS: Final[dict[tuple[str, str], Deprecation]] = {}
"""Deprecated operations by method and path, such as ``("GET", "/v1/methods/{family_name}")``."""


def mark_deprecated(paths: dict[str, Any]) -> None:
    """Mark the deprecated operations in the paths of the OpenAPI document.

    Raises ``LookupError`` for an entry that is no operation of the document.
    """
    for method, path in DEPRECATIONS:
        operation = paths.get(path, {}).get(method.lower())
        if operation is None:
            message = f"The deprecated operation {method} {path} is not one of the application."
            raise LookupError(message)
        operation["deprecated"] = True


def find_deprecation_headers(scope: Scope) -> list[tuple[bytes, bytes]]:
    """Return the headers of the answer to a request; none unless its operation is deprecated."""
    if not DEPRECATIONS:
        return []
    path = getattr(scope.get("route"), "path", "")
    method = "GET" if scope["method"] == "HEAD" else scope["method"]
    deprecation = DEPRECATIONS.get((method, path))
    return [] if deprecation is None else deprecation.build_headers()
