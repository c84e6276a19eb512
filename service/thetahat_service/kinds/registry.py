"""Every kind of evaluation, by the name that a request sends as ``kind``."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final

from thetahat_service import kinds
from thetahat_service.kinds.base import JobKind

_NOT_IMPORTED: Final[Any] = None
SHARED_PACKAGES: Final = frozenset({"fields", "fitting"})
"""Packages that several kinds use; every other package is a kind."""


class JobKinds(UserDict[str, JobKind[Any]]):
    """The kinds by name; the package of a kind is imported when the kind is first asked for."""

    def __getitem__(self, name: str) -> JobKind[Any]:
        if self.data[name] is _NOT_IMPORTED:
            self.data[name] = _import_kind(name)
        return self.data[name]


def _list_names() -> Iterator[str]:
    """Yield the name of every package that is a kind."""
    for module in iter_modules(kinds.__path__):
        if module.ispkg and module.name not in SHARED_PACKAGES:
            yield module.name


def _import_kind(name: str) -> JobKind[Any]:
    """Import the package of a kind and return its ``KIND``."""
    kind: JobKind[Any] = import_module(f"{kinds.__name__}.{name}.kind").KIND
    if kind.name != name:
        raise RuntimeError(
            f"The package {name!r} registers the kind {kind.name!r}; both must have the same name."
        )
    return kind


JOB_KINDS: Final = JobKinds(dict.fromkeys(_list_names(), _NOT_IMPORTED))
"""Every kind of evaluation."""
