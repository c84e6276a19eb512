"""What an evaluation used, method by method with every parameter, for its provenance."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from service.settings import settings
from thetahat.analyses.losses import Choices
from thetahat.analyses.losses.method_selection import REGISTRIES
from thetahat.pipelines import learner_spec, list_installed_learners

_NONE: Final[Mapping[str, Collection[str]]] = MappingProxyType({})


def methods_used(
    choices: Choices,
    result: Mapping[str, Any],
    besides: Mapping[str, Collection[str]] = _NONE,
) -> list[dict[str, Any]]:
    """Return the variances, intervals and tests that stand in a result, with their parameters.

    Parameters
    ----------
    choices : Choices
        What was asked for: named methods have the parameters that were given.
    result : mapping
        The result tree of ``thetahat.analyses.losses.evaluate``.
    besides : mapping
        By family, keys of the result that the choices do not speak of.
    """
    models, comparisons = result["models"].values(), result["comparisons"]
    keys: dict[str, Iterable[str]] = {
        "variances": [key for model in models for key in model["variances"]],
        "intervals": [i["method"] for model in models for i in model["intervals"]],
        "tests": [key for pair in comparisons for key in pair["tests"]],
        "omnibus": list(result["omnibus"]),
    }
    used: list[dict[str, Any]] = []
    for family in REGISTRIES:
        named = {entry.key: entry for entry in getattr(choices, family) or ()}
        for key in dict.fromkeys(keys[family]):
            if key in besides.get(family, ()):
                continue
            entry = named.get(key)
            name = entry.name if entry else key
            if entry:
                used.append(method_used(family, name, entry.method, key))
            else:
                params = dict(_defaults(family, name))
                used.append({"family": family, "name": name, "params": params})
    return used


def method_used(family: str, name: str, method: Any, key: str | None = None) -> dict[str, Any]:
    """Return one method as a record; ``as`` is its key in the result where that differs."""
    record = {"family": family, "name": name, "params": _params(method)}
    return record if key in (None, name) else {**record, "as": key}


def learners_used(wires: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return learners as records: each one's spec as it was asked, and where it comes from.

    A learner that is not the service's own has the name and version of its package.
    """
    others = list_installed_learners(settings().allowed_packages)
    records: list[dict[str, Any]] = []
    for name, wire in wires.items():
        record = {"family": "learners", "as": name, **dataclasses.asdict(learner_spec(wire))}
        if (one := others.get(record["name"])) is not None:
            record |= {"package": one.package, "version": one.version}
        records.append(record)
    return records


@cache
def _defaults(family: str, name: str) -> dict[str, Any]:
    return _params(REGISTRIES[family][name]())


def _params(method: Any) -> dict[str, Any]:
    if not dataclasses.is_dataclass(method) or isinstance(method, type):
        return {}
    return dataclasses.asdict(method)
