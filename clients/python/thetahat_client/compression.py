"""Compressing the bodies of large requests."""

from __future__ import annotations

import gzip
from typing import Final

SMALLEST: Final = 64 * 1024  # bytes; below, compressing costs more time than it saves
LEVEL: Final = 4
MOST_EXPANSION: Final = 100
"""The service refuses bodies that unpack to far more than their size (1000 times by default)."""


def compress_body(body: bytes) -> tuple[bytes, dict[str, str]]:
    """Return a body of JSON as it is sent, with the header that says so if it is compressed."""
    if len(body) < SMALLEST:
        return body, {}
    compressed = gzip.compress(body, LEVEL, mtime=0)
    if len(compressed) >= len(body) or len(body) > MOST_EXPANSION * len(compressed):
        return body, {}
    return compressed, {"Content-Encoding": "gzip"}
