"""Learners of other packages, where the operator has installed them and allows the package."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, is_dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from thetahat.errors import InvalidParameter, Loc
from thetahat.learners import LEARNERS
from thetahat.pipelines.allowed import learner_tasks
from thetahat.registry import MethodInfo

GROUP: Final = "thetahat.learners"


@dataclass(frozen=True, slots=True)
class Installed:
    """A learner that an installed package offers; nothing of the package is imported yet.

    Parameters
    ----------
    name : str
        The entry point's name in the group ``thetahat.learners``; also the learner's ``info.name``.
    package, version : str
        The installed distribution, by its normalised name.
    entry_point : EntryPoint
        Where its class is.
    """

    name: str
    package: str
    version: str
    entry_point: EntryPoint


def normalised(package: str) -> str:
    """Return a distribution's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", package).lower()


def installed_learners(packages: Iterable[str]) -> dict[str, Installed]:
    """Return the learners of the allowed packages by name.

    A name of the service's own or of the reviewed list stays what it is; of two allowed packages
    with the same name neither has it, for which of them a request means nobody can tell.
    """
    allowed = {normalised(package) for package in packages}
    found: dict[str, list[Installed]] = {}
    for one in _offered():
        if one.package in allowed:
            found.setdefault(one.name, []).append(one)
    return {name: ones[0] for name, ones in sorted(found.items()) if len(ones) == 1}


def package_of(name: str) -> str | None:
    """Return an installed package that offers a learner of that name, allowed or not."""
    return next((one.package for one in _offered() if one.name == name), None)


def _offered() -> list[Installed]:
    offered = []
    for point in entry_points(group=GROUP):
        if point.dist is None or point.name in LEARNERS or learner_tasks(point.name):
            continue
        package = normalised(point.dist.name)
        offered.append(Installed(point.name, package, point.dist.version, point))
    return offered


@lru_cache(maxsize=64)
def load_learner(one: Installed) -> Any:
    """Return the class that an entry point names, checked for what every learner has.

    Raises
    ------
    InvalidParameter
        It cannot be imported, or is no learner; the sentence is for the operator.
    """
    what = f"the learner {one.name!r} of the package {one.package} {one.version}"
    try:
        learner = one.entry_point.load()
    except Exception as error:
        raise InvalidParameter(f"{what} cannot be loaded: {type(error).__name__}") from error
    info = getattr(learner, "info", None)
    if not isinstance(info, MethodInfo) or not is_dataclass(learner):
        raise InvalidParameter(f"{what} is not a dataclass with an info")
    if info.name != one.name:
        raise InvalidParameter(f"{what} calls itself {info.name!r}")
    missing = [n for n in ("tasks", "takes_weights", "fit") if not hasattr(learner, n)]
    if missing:
        raise InvalidParameter(f"{what} has no {', no '.join(missing)}")
    return learner


def learner_at(one: Installed, loc: Loc) -> Any:
    """Return the class of an installed learner; a refusal names the place in the request."""
    try:
        return load_learner(one)
    except InvalidParameter as error:
        raise InvalidParameter(error.message, loc=loc, value=one.name) from error
