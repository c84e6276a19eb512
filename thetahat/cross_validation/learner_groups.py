"""Which learners differ in one parameter alone, of which they have a path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from operator import attrgetter
from typing import Any

from thetahat.cross_validation.prepared import n_at_once
from thetahat.learners.base import Learner
from thetahat.pipelines.pipeline import Pipeline


@dataclass(frozen=True, slots=True)
class Group:
    """Learners that are run together.

    Parameters
    ----------
    names : tuple of str
        What the request calls them, in its order.
    learners : tuple of Learner
        Those that differ in ``parameter`` alone; one learner that is run by itself.
    parameter : str or None
        None for a learner by itself.
    """

    names: tuple[str, ...]
    learners: tuple[Learner, ...]
    parameter: str | None = None

    @property
    def values(self) -> tuple[Any, ...]:
        """What the parameter is, learner by learner."""
        return tuple(getattr(bare_of(learner), self.parameter or "") for learner in self.learners)


def path_over(learners: Mapping[str, Learner]) -> tuple[Group, ...]:
    """Put together the learners that differ only in the parameter of which they have a path.

    Every learner is in one group, most often alone. Groups stand in the order of their first
    learner; which they are depends on the learners and their order alone.
    """
    groups: list[list[str]] = []
    alike: dict[Any, list[list[str]]] = {}  # groups by what else must be the same to join them
    for name, learner in learners.items():
        candidates = alike.setdefault(_but_parameter(learner), [])
        steps = getattr(learner, "steps", None)
        for group in candidates:
            if getattr(learners[group[0]], "steps", None) == steps:
                group.append(name)
                break
        else:
            groups.append([name])
            candidates.append(groups[-1])
    return tuple(
        Group(
            tuple(group),
            tuple(learners[name] for name in group),
            _parameter(learners[group[0]]) if len(group) > 1 else None,
        )
        for group in groups
    )


def bare_of(learner: object) -> Any:
    """Return a learner without steps that learn nothing, where it has no others."""
    if isinstance(learner, Pipeline) and n_at_once(learner.steps) == len(learner.steps):
        return learner.learner
    return learner


def _parameter(learner: object) -> str | None:
    """Return the parameter of which the learner has a path."""
    bare: object = bare_of(learner)
    return getattr(bare, "path_parameter", None) if hasattr(bare, "over_path") else None


def _but_parameter(learner: Any) -> Any:
    """Return what two learners have in common that are the same but for the path's parameter."""
    bare: Any = bare_of(learner)
    kind: Any = type(bare)
    others = _other_fields(kind)
    return id(learner) if others is None else (kind, others(bare))


@lru_cache(maxsize=64)
def _other_fields(kind: Any) -> Callable[[Any], Any] | None:
    """Return what gives the values of all fields but the path's parameter; None without a path."""
    parameter = _parameter(kind)
    if parameter is None:
        return None
    names = [field.name for field in fields(kind) if field.name != parameter]
    return attrgetter(*names) if names else lambda _: ()
