"""Records of the methods that an evaluation used, for the provenance of its result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from thetahat.analyses.losses.methods_used import list_parameters
from thetahat.analyses.losses.result import MethodUsed
from thetahat.values.json_values import PreparationSteps


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerUsed(MethodUsed):
    """A learner that was fitted, as the request describes it."""

    prepare: PreparationSteps
    """The preparation steps before the learner."""
    package: str | None = None
    """The package of a learner that is not the service's own."""
    version: str | None = None
    """The version of that package."""


def record_method(family: str, method: Any, key: str | None = None) -> MethodUsed:
    """Return the record of a method with its parameters; ``key`` is its key in the result."""
    name = method.info.name
    parameters = list_parameters(method)
    return MethodUsed(family=family, name=name, params=parameters, key=None if key == name else key)


def record_metrics(metrics: Iterable[Any]) -> tuple[MethodUsed, ...]:
    """Return the records of chosen metrics, each under its key in the result."""
    return tuple(record_method("metrics", chosen.method, chosen.key) for chosen in metrics)
