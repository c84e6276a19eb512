"""Learners of other packages, where the operator allows them by name."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any, Final

from thetahat.errors import InvalidParameter, Loc

GROUP: Final = "thetahat.learners"


def allowed_learner(name: str, allowed: frozenset[str], *, loc: Loc) -> Any:
    """Return the learner class of an installed package's entry point.

    Parameters
    ----------
    name : str
        The entry point's name in the group ``thetahat.learners``; also the learner's
        ``info.name``.
    allowed : frozenset of str
        The names that the operator's settings list; no other is looked for, so that a request
        can import nothing else.

    Raises
    ------
    InvalidParameter
        The name is allowed, but not exactly one installed package has it, or what it names is
        called otherwise.
    """
    if name not in allowed:
        raise InvalidParameter(f"{name!r} is not an allowed learner", loc=loc, value=name)
    found = list(entry_points(group=GROUP, name=name))
    if len(found) != 1:
        raise InvalidParameter(
            f"{len(found)} installed packages have the allowed learner {name!r}; one must",
            loc=loc,
            value=name,
        )
    learner = found[0].load()
    if learner.info.name != name:
        raise InvalidParameter(
            f"the allowed learner {name!r} calls itself {learner.info.name!r}", loc=loc, value=name
        )
    return learner
