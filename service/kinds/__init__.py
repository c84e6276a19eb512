"""The kinds of evaluation, one package each, by wire name."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from service.kinds.base import JobKind

SHARED: Final = frozenset({"fields", "fitting"})
"""Packages that several kinds use; every other package is a kind."""


def _collect() -> dict[str, JobKind]:
    kinds: dict[str, JobKind] = {}
    for module in iter_modules(__path__):
        if not module.ispkg or module.name in SHARED:
            continue
        kind = import_module(f"{__name__}.{module.name}.kind").METHOD
        if kind.name != module.name:
            message = f"{module.name} registers {kind.name!r}; file and wire name must agree"
            raise RuntimeError(message)
        kinds[module.name] = kind
    return kinds


JOB_KINDS: Final[dict[str, JobKind]] = _collect()
