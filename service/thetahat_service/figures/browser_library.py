"""The JavaScript that draws specifications in a browser: Vega, Vega-Lite and Vega-Embed.

It is inside the wheel of vl-convert, which bundles it once, at first use.
"""

from __future__ import annotations

import gzip
import hashlib
import threading
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import Final

from thetahat_service.figures.drawing import bundle_library
from thetahat_service.figures.rendering import VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserLibrary:
    """The bundle of JavaScript."""

    content: bytes
    """The script."""
    compressed: bytes
    """The same, compressed by gzip."""
    etag: str
    """The digest of the script, in quotation marks."""


def find_library_name() -> str:
    """Return the file name of the bundle; another release of the libraries has another name."""
    versions = f"{version('vl-convert-python')} {VERSION}"
    return f"vega-{hashlib.sha256(versions.encode()).hexdigest()[:12]}.js"


def read_library() -> BrowserLibrary:
    """Return the bundle; the first call makes it, which takes some seconds.

    Raises ``Unavailable`` if the process that draws figures cannot be used now.
    """
    with _LOCK:  # the first requests for it wait for one bundle
        return _make_library()


@lru_cache(maxsize=1)
def _make_library() -> BrowserLibrary:
    content = bundle_library()
    return BrowserLibrary(
        content=content,
        compressed=gzip.compress(content, mtime=0),
        etag=f'"{hashlib.sha256(content).hexdigest()[:32]}"',
    )


_LOCK: Final = threading.Lock()
