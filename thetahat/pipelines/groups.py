"""Groups of columns that are prepared separately and joined again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import Loc
from thetahat.pipelines.column_step import (
    ColumnStep,
    FittedColumnStep,
    check_named,
    list_column_names,
    make_unique,
    select,
)
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True)
class ColumnGroup:
    """Columns and the steps that prepare them; without steps they stay unchanged."""

    columns: tuple[str, ...] | None
    """Column names; None means all columns of the table."""
    steps: tuple[ColumnStep | ColumnGroups, ...]
    """In order; they see only these columns and what earlier steps made of them."""


@dataclass(frozen=True, slots=True)
class ColumnGroups:
    """Groups of columns that are prepared separately; a column may be in several groups.

    Every group starts from the same table. The output has the columns of the groups in order, then
    the columns that are in no group.

    Source: pedregosa2011 (as ``ColumnTransformer``).

    Deviations: columns that are in no group are kept, where scikit-learn drops them. Of two
    columns with the same name the later one gets an apostrophe, where scikit-learn prefixes both
    with the name of their group.
    """

    branches: tuple[ColumnGroup, ...]
    """The groups."""
    keeps_rest: bool
    """Whether columns that are in no group stay."""
    loc: Loc
    """Path in the learner's specification, for messages."""

    @property
    def is_stateless(self) -> bool:
        """Whether no step in any group depends on the training part."""
        return all(step.is_stateless for branch in self.branches for step in branch.steps)

    def fit_transform(
        self,
        features: Features,
        y: np.ndarray,
        *,
        task: str,
        rng: np.random.Generator,
        weights: FloatArray | None = None,
    ) -> tuple[FittedColumnGroups, Features]:
        """Return the groups fitted to the training part, and the transformed training part."""
        names = list_column_names(features)
        fitted_steps, made = [], []
        for at, branch in enumerate(self.branches):
            chosen = names if branch.columns is None else branch.columns
            check_named(f"group {at}", chosen, features, (*self.loc, "groups", at, "columns"))
            part = select(features, chosen, expands=False)
            steps, part = fit_steps(branch.steps, part, y, task=task, rng=rng, weights=weights)
            fitted_steps.append(FittedColumnGroup(chosen, steps))
            made.append(part)
        taken = {name for branch in fitted_steps for name in branch.columns}
        rest = tuple(name for name in names if name not in taken) if self.keeps_rest else ()
        fitted_steps.append(FittedColumnGroup(rest, ()))
        made.append(select(features, rest, expands=False))
        groups = FittedColumnGroups(tuple(fitted_steps))
        return groups, join_columns(features, made)


@dataclass(frozen=True, slots=True, eq=False)
class FittedColumnGroup:
    """The fitted steps of one group of columns."""

    columns: tuple[str, ...]
    steps: tuple[FittedColumnStep | FittedColumnGroups, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FittedColumnGroups:
    """Fitted groups; the last one holds the columns that stay unchanged."""

    branches: tuple[FittedColumnGroup, ...]

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """Warnings raised while the steps were fitted."""
        steps = (step for branch in self.branches for step in branch.steps)
        return tuple(caution for step in steps for caution in step.cautions)

    def transform(self, features: Features) -> Features:
        """Return the output columns of all groups as one table."""
        made = [
            apply_steps(branch.steps, select(features, branch.columns, expands=False))
            for branch in self.branches
        ]
        return join_columns(features, made)


def fit_steps(  # noqa: PLR0913 - the arguments of a step's fit_transform
    steps: Sequence[ColumnStep | ColumnGroups],
    features: Features,
    y: np.ndarray,
    *,
    task: str,
    rng: np.random.Generator,
    weights: FloatArray | None,
) -> tuple[tuple[FittedColumnStep | FittedColumnGroups, ...], Features]:
    """Fit steps in order, each to the output of the one before; return them and the last output."""
    fitted_steps: list[FittedColumnStep | FittedColumnGroups] = []
    for step in steps:
        fitted, features = step.fit_transform(features, y, task=task, rng=rng, weights=weights)
        fitted_steps.append(fitted)
    return tuple(fitted_steps), features


def apply_steps(
    steps: Sequence[FittedColumnStep | FittedColumnGroups], features: Features
) -> Features:
    """Apply fitted steps in order."""
    for step in steps:
        features = step.transform(features)
    return features


def join_columns(features: Features, parts: Sequence[Features]) -> Features:
    """Return the columns of several tables as one; repeated names get an apostrophe."""
    taken: set[str] = set()
    names = [make_unique(name, taken) for part in parts for name in part.names]
    wide = [replace(g, name=make_unique(g.name, taken)) for part in parts for g in part.wide]
    columns = tuple(column for part in parts for column in part.columns)
    return features.with_columns(tuple(names), columns, tuple(wide))
