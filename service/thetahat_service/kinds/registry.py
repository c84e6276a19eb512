"""Every kind of evaluation, by the name that a request sends as ``kind``."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final

from thetahat_service import kinds
from thetahat_service.kinds.base import JobKind

SHARED_PACKAGES: Final = frozenset({"fields", "fitting"})
"""Packages that several kinds use; every other package is a kind."""


def _collect() -> dict[str, JobKind[Any]]:
    """Import every kind's package and take its ``KIND``."""
    kinds_by_name: dict[str, JobKind[Any]] = {}
    for module in iter_modules(kinds.__path__):
        if not module.ispkg or module.name in SHARED_PACKAGES:
            continue
        kind: JobKind[Any] = import_module(f"{kinds.__name__}.{module.name}.kind").KIND
        if kind.name != module.name:
            message = (
                f"The package {module.name!r} registers the kind {kind.name!r}; both must have "
                "the same name."
            )
            raise RuntimeError(message)
        kinds_by_name[module.name] = kind
    return kinds_by_name


JOB_KINDS: Final[dict[str, JobKind[Any]]] = _collect()
