"""What an evaluation used, method by method with every parameter, for its provenance."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from service.settings import settings
from thetahat.pipelines import learner_spec, list_installed_learners


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


def _params(method: Any) -> dict[str, Any]:
    if not dataclasses.is_dataclass(method) or isinstance(method, type):
        return {}
    return dataclasses.asdict(method)
