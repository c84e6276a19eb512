"""The kinds of evaluation, one module each, by wire name."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from service.jobs.kinds.base import JobKind


def _collect() -> dict[str, JobKind]:
    kinds: dict[str, JobKind] = {}
    for module in iter_modules(__path__):
        if module.name == "base" or module.name.startswith("_"):
            continue
        kind = import_module(f"{__name__}.{module.name}").METHOD
        if kind.name != module.name:
            message = f"{module.name} registers {kind.name!r}; file and wire name must agree"
            raise RuntimeError(message)
        kinds[module.name] = kind
    return kinds


JOB_KINDS: Final[dict[str, JobKind]] = _collect()
