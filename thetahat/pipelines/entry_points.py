"""Learners of installed packages, discovered by entry point and allowed by the operator."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, is_dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from thetahat.errors import InvalidParameter, Loc
from thetahat.learners import LEARNERS
from thetahat.pipelines.allowed_classes import get_learner_tasks
from thetahat.registry import MethodInfo

GROUP: Final = "thetahat.learners"


@dataclass(frozen=True, slots=True)
class InstalledLearner:
    """A learner that an installed package offers; the package is not imported yet."""

    name: str
    """Name of the entry point in the group ``thetahat.learners``, and of the learner."""
    package: str
    version: str
    """The installed distribution, by its normalised name."""
    entry_point: EntryPoint
    """The entry point of its class."""


def normalise_name(package: str) -> str:
    """Return the name of a distribution in normalised form (PEP 503)."""
    return re.sub(r"[-_.]+", "-", package).lower()


def list_installed_learners(packages: Iterable[str]) -> dict[str, InstalledLearner]:
    """Return the learners of the allowed packages by name.

    Names of our own learners and of listed scikit-learn classes are not replaced. If two allowed
    packages offer the same name, neither is listed, because the name would be ambiguous.
    """
    allowed = {normalise_name(package) for package in packages}
    if not allowed:
        return {}  # the metadata of all installed packages take 10 ms to read
    learners_by_name: dict[str, list[InstalledLearner]] = {}
    for learner in _read_entry_points():
        if learner.package in allowed:
            learners_by_name.setdefault(learner.name, []).append(learner)
    return {
        name: same_name[0]
        for name, same_name in sorted(learners_by_name.items())
        if len(same_name) == 1
    }


def find_package(name: str) -> str | None:
    """Return the name of an installed package that offers this learner, allowed or not."""
    return next((learner.package for learner in _read_entry_points() if learner.name == name), None)


def _read_entry_points() -> list[InstalledLearner]:
    offered = []
    for point in entry_points(group=GROUP):
        if point.dist is None or point.name in LEARNERS or get_learner_tasks(point.name):
            continue
        package = normalise_name(point.dist.name)
        offered.append(InstalledLearner(point.name, package, point.dist.version, point))
    return offered


@lru_cache(maxsize=64)
def load_learner(installed: InstalledLearner) -> Any:
    """Import the class of an installed learner and check that it is a learner.

    Raises ``InvalidParameter`` if it cannot be imported or is not a learner; the message is for the
    operator.
    """
    description = (
        f"the learner {installed.name!r} of the package {installed.package} {installed.version}"
    )
    try:
        learner = installed.entry_point.load()
    except Exception as error:
        raise InvalidParameter(f"{description} cannot be loaded: {type(error).__name__}") from error
    info = getattr(learner, "info", None)
    if not isinstance(info, MethodInfo) or not is_dataclass(learner):
        raise InvalidParameter(f"{description} is not a dataclass with a MethodInfo named info.")
    if info.name != installed.name:
        raise InvalidParameter(f"{description} has another name in its info: {info.name!r}.")
    is_missing = [n for n in ("tasks", "takes_weights", "fit") if not hasattr(learner, n)]
    if is_missing:
        raise InvalidParameter(f"{description} has no {', no '.join(is_missing)}.")
    return learner


def load_learner_at(installed: InstalledLearner, loc: Loc) -> Any:
    """Return the class of an installed learner; an exception carries the path in the request."""
    try:
        return load_learner(installed)
    except InvalidParameter as error:
        raise InvalidParameter(error.message, loc=loc, value=installed.name) from error
