"""The formats of data sets, one module each, by media type."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from service.data.base import Format


def _collect() -> dict[str, Format]:
    names = [m.name for m in iter_modules(__path__)]
    formats = [import_module(f"{__name__}.{name}").METHOD for name in sorted(names)]
    return {found.media_type: found for found in formats}


FORMATS: Final[dict[str, Format]] = _collect()
