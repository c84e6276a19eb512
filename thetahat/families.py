"""Every family of methods, collected from the packages: a new family needs no entry here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules, walk_packages
from types import MappingProxyType, ModuleType
from typing import Any

import thetahat
from thetahat.analyses.studies.presets import collect_presets
from thetahat.registry import Registry


@cache
def collect_families() -> Mapping[str, Registry[type[Any]]]:
    """Return the registry of each family, by the family's name.

    A family is a package with its interface in ``base``; packages without one only borrow the
    registries of others. Other packages register their presets as entry points.
    """
    registries = [*collect_methods(), collect_presets()]
    return MappingProxyType({registry.family: registry for registry in registries})


def collect_methods() -> Iterator[Registry[type[Any]]]:
    """Yield the registry of each family of methods; presets are studies, not methods."""
    for module in walk_packages(thetahat.__path__, f"{thetahat.__name__}."):
        if module.ispkg:
            package = import_module(module.name)
            yield from [v for v in vars(package).values() if _is_its_own(package, v)]


def _is_its_own(package: ModuleType, value: object) -> bool:
    name = package.__name__.rpartition(".")[2]
    return (
        isinstance(value, Registry)
        and value.family == name
        and any(part.name == "base" for part in iter_modules(package.__path__))
    )
