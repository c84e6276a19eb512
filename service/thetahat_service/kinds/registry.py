"""Every kind of evaluation, by the name that a request sends as ``kind``."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final

from thetahat_service import kinds
from thetahat_service.kinds.base import JobKind

SHARED_PACKAGES: Final = frozenset({"fields", "fitting"})
"""Packages that several kinds use; every other package is a kind."""


class JobKinds(MutableMapping[str, JobKind[Any]]):
    """The kinds by name; the package of a kind is imported when the kind is first asked for.

    Parameters
    ----------
    names : iterator of str
        The names of the packages, in the order of the kinds.
    """

    def __init__(self, names: Iterator[str]) -> None:
        self._kinds: dict[str, JobKind[Any] | None] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> JobKind[Any]:
        kind = self._kinds[name]
        if kind is None:
            kind = self._kinds[name] = _import_kind(name)
        return kind

    def __setitem__(self, name: str, kind: JobKind[Any]) -> None:
        self._kinds[name] = kind

    def __delitem__(self, name: str) -> None:
        del self._kinds[name]

    def __contains__(self, name: object) -> bool:
        return name in self._kinds

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)


def _list_names() -> Iterator[str]:
    """Yield the name of every package that is a kind."""
    for module in iter_modules(kinds.__path__):
        if module.ispkg and module.name not in SHARED_PACKAGES:
            yield module.name


def _import_kind(name: str) -> JobKind[Any]:
    """Import the package of a kind and return its ``KIND``."""
    kind: JobKind[Any] = import_module(f"{kinds.__name__}.{name}.kind").KIND
    if kind.name != name:
        message = (
            f"The package {name!r} registers the kind {kind.name!r}; both must have the same name."
        )
        raise RuntimeError(message)
    return kind


JOB_KINDS: Final = JobKinds(_list_names())
"""Every kind of evaluation."""
