"""Groups of learners that differ in a single parameter and can be fitted along a path of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from thetahat.cross_validation.stateless_steps import count_stateless_steps
from thetahat.learners.base import FastLearner, Learner
from thetahat.pipelines.pipeline import Pipeline
from thetahat.tables.data import Data

MAX_NUMBERS_TOGETHER: Final = 40_000_000
"""About the largest number of values that the learners of one group return; a group that would
return more is divided."""


@dataclass(frozen=True, slots=True)
class Group:
    """Learners that are fitted together."""

    names: tuple[str, ...]
    """Their names, in the order of the request."""
    learners: tuple[Learner, ...]
    """Learners that differ in ``parameter`` alone, or a single learner."""
    parameter: str | None = None
    """The parameter that differs; None for a single learner."""

    @property
    def values(self) -> tuple[Any, ...]:
        """The value of the parameter for each learner."""
        return tuple(
            getattr(get_bare_learner(learner), self.parameter or "") for learner in self.learners
        )


def group_by_path(learners: Mapping[str, Learner], most: int) -> list[Group]:
    """Group learners that differ in a single parameter and can be fitted along a path of it.

    Every other learner is a group of its own. A group has at most ``most`` learners, and groups
    are in the order of their first learners. Numbers depend on the groups in their last digits.
    """
    position = {name: at for at, name in enumerate(learners)}
    groups = [part for group in group_by_parameter(learners) for part in divide_group(group, most)]
    return sorted(groups, key=lambda group: position[group.names[0]])


def most_learners_together(data: Data, n_tests: int) -> int:
    """Return the size of the largest group.

    ``n_tests`` is the number of rows that one learner is tested on, repeats counted, whose outcomes
    are in memory at once.
    """
    return max(1, MAX_NUMBERS_TOGETHER // max(1, n_tests * numbers_per_row(data)))


def numbers_per_row(data: Data) -> int:
    """Return how many values a learner returns for a row: loss, output, score, probabilities."""
    return 3 + data.n_classes


def divide_group(group: Group, most: int) -> list[Group]:
    """Divide a group into groups of at most ``most`` learners."""
    n = len(group.names)
    return [
        Group(
            group.names[start : start + most],
            group.learners[start : start + most],
            group.parameter if min(most, n - start) > 1 else None,
        )
        for start in range(0, n, most)
    ]


def group_by_parameter(learners: Mapping[str, Learner]) -> tuple[Group, ...]:
    """Group the learners that differ only in the parameter that a path can be computed for.

    Groups are in the order of their first learners and depend on the learners and their order
    alone.
    """
    groups: list[list[str]] = []
    by_other_fields: dict[Any, list[list[str]]] = {}
    for name, learner in learners.items():
        candidates = by_other_fields.setdefault(_get_other_values(learner), [])
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
            _find_path_parameter(learners[group[0]]) if len(group) > 1 else None,
        )
        for group in groups
    )


def get_bare_learner(learner: object) -> Any:
    """Return the learner inside a pipeline whose steps all learn nothing, else the learner."""
    if isinstance(learner, Pipeline) and count_stateless_steps(learner.steps) == len(learner.steps):
        return learner.learner
    return learner


def _find_path_parameter(learner: object) -> str | None:
    """Return the parameter that a path of the learner can be computed for, or None."""
    bare: object = get_bare_learner(learner)
    return bare.path_parameter if isinstance(bare, FastLearner) else None


def _get_other_values(learner: Any) -> Any:
    """Return a key that learners share if they are equal in all but the path's parameter."""
    bare, parameter = get_bare_learner(learner), _find_path_parameter(learner)
    if parameter is None:
        return id(learner)
    names = (field.name for field in fields(bare) if field.name != parameter)
    return type(bare), *(getattr(bare, name) for name in names)
