"""Groups of columns, each prepared by steps of its own, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import Loc
from thetahat.pipelines.column_step import LearntStep, PlacedStep, check_named, names_of, select
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True)
class Branch:
    """Some columns and the steps that prepare them; without steps they stay as they are.

    Parameters
    ----------
    columns : tuple of str or None
        Names in the table that reaches the groups; None means all of them.
    steps : tuple of PlacedStep or PlacedGroups
        In order; they see what is made of these columns, and nothing else of the table.
    """

    columns: tuple[str, ...] | None
    steps: tuple[PlacedStep | PlacedGroups, ...]


@dataclass(frozen=True, slots=True)
class PlacedGroups:
    """Groups of columns that are prepared side by side; a column may be in several.

    Every group takes the columns as they reach all groups. What they make stands in the order of
    the groups, and after it the columns that are in none.

    Parameters
    ----------
    branches : tuple of Branch
        The groups.
    keeps_rest : bool
        Whether columns that are in no group stay.
    loc : tuple
        Its place in the learner's spec, for messages.

    Source: pedregosa2011 (as ``ColumnTransformer``).

    Deviations: columns that are in no group stay, where scikit-learn drops them; of two columns
    of one name the later one is marked, where scikit-learn writes the group's name before both.
    """

    branches: tuple[Branch, ...]
    keeps_rest: bool
    loc: Loc

    @property
    def learns_nothing(self) -> bool:
        """Whether no step in any group learns."""
        return all(step.learns_nothing for branch in self.branches for step in branch.steps)

    def learn(
        self,
        features: Features,
        y: np.ndarray,
        *,
        task: str,
        rng: np.random.Generator,
        weights: FloatArray | None = None,
    ) -> tuple[LearntGroups, Features]:
        """Learn from the training part, group by group; returns the transformed part too."""
        names = names_of(features)
        learnt, made = [], []
        for at, branch in enumerate(self.branches):
            chosen = names if branch.columns is None else branch.columns
            check_named(f"group {at}", chosen, features, (*self.loc, "groups", at, "columns"))
            part = select(features, chosen, expands=False)
            steps, part = learn_in_turn(branch.steps, part, y, task=task, rng=rng, weights=weights)
            learnt.append(LearntBranch(chosen, steps))
            made.append(part)
        taken = {name for branch in learnt for name in branch.columns}
        rest = tuple(name for name in names if name not in taken) if self.keeps_rest else ()
        learnt.append(LearntBranch(rest, ()))
        made.append(select(features, rest, expands=False))
        groups = LearntGroups(tuple(learnt))
        return groups, side_by_side(features, made)


@dataclass(frozen=True, slots=True, eq=False)
class LearntBranch:
    """The learnt steps of some columns."""

    columns: tuple[str, ...]
    steps: tuple[LearntStep | LearntGroups, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LearntGroups:
    """Learnt groups, the last of which are the columns that stay as they are."""

    branches: tuple[LearntBranch, ...]

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What the steps warned of while they learnt."""
        steps = (step for branch in self.branches for step in branch.steps)
        return tuple(caution for step in steps for caution in step.cautions)

    def transform(self, features: Features) -> Features:
        """Return what the groups make of their columns, side by side."""
        made = [
            transform_in_turn(branch.steps, select(features, branch.columns, expands=False))
            for branch in self.branches
        ]
        return side_by_side(features, made)


def learn_in_turn(  # noqa: PLR0913 - what a step is handed
    steps: Sequence[PlacedStep | PlacedGroups],
    features: Features,
    y: np.ndarray,
    *,
    task: str,
    rng: np.random.Generator,
    weights: FloatArray | None,
) -> tuple[tuple[LearntStep | LearntGroups, ...], Features]:
    """Learn steps one after another, each from what the one before made of the training part."""
    learnt: list[LearntStep | LearntGroups] = []
    for step in steps:
        one, features = step.learn(features, y, task=task, rng=rng, weights=weights)
        learnt.append(one)
    return tuple(learnt), features


def transform_in_turn(steps: Sequence[LearntStep | LearntGroups], features: Features) -> Features:
    """Apply learnt steps one after another."""
    for step in steps:
        features = step.transform(features)
    return features


def side_by_side(features: Features, parts: Sequence[Features]) -> Features:
    """Return the columns of several parts as one table; a name that is taken is marked."""
    taken: set[str] = set()
    names = [_marked(name, taken) for part in parts for name in part.names]
    wide = [replace(g, name=_marked(g.name, taken)) for part in parts for g in part.wide]
    columns = tuple(column for part in parts for column in part.columns)
    return features.with_columns(tuple(names), columns, tuple(wide))


def _marked(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "'"
    taken.add(name)
    return name
