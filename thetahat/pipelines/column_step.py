"""A preparation step applied to some columns of a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import InvalidParameter, Loc
from thetahat.pipelines.allowed_classes import ColumnKind
from thetahat.pipelines.steps.base import FittedStep, Step
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True)
class ColumnStep:
    """A step and the columns it transforms."""

    step: Step
    """The step."""
    columns: tuple[str, ...] | None
    """Column names; None means the columns of the kind that the step is for."""
    loc: Loc
    """Path of the step in the learner's specification, for messages."""
    weighted: bool = False
    """Whether the step is fitted with the instance weights, if there are any."""

    @property
    def is_stateless(self) -> bool:
        """Whether the output for a row depends on that row only, not on the training part."""
        return bool(getattr(self.step, "is_stateless", False))

    def fit_transform(
        self,
        features: Features,
        y: np.ndarray,
        *,
        task: str,
        rng: np.random.Generator,
        weights: FloatArray | None = None,
    ) -> tuple[FittedColumnStep, Features]:
        """Return the step fitted to the training part, and the transformed training part."""
        chosen = self.chosen(features)
        if not chosen:
            unchanged = FittedColumnStep(None, (), ())
            return unchanged, features
        expands = not getattr(self.step, "takes_sparse", False)
        part = select(features, chosen, expands=expands)
        weighting: dict[str, object] = {}
        if weights is not None and self.weighted:
            weighting = {"weights": weights}
        fitted_step, made = self.step.fit_transform(part, y, task=task, rng=rng, **weighting)
        taken = set(list_column_names(features)) - set(chosen)
        names = tuple(make_unique(name, taken) for name in made.names)
        step = FittedColumnStep(fitted_step, chosen, names, expands)
        return step, step.insert_columns(features, made)

    def chosen(self, features: Features) -> tuple[str, ...]:
        """Return the names of the columns that the step transforms in this table."""
        if self.columns is None:
            is_number = self.step.default_columns is ColumnKind.NUMERIC
            pairs = zip(features.names, features.columns, strict=True)
            groups = [group.name for group in features.wide] if is_number else []
            return (*(n for n, c in pairs if (c.dtype.kind == "f") == is_number), *groups)
        description = f"step {self.step.info.name!r}"
        check_named(description, self.columns, features, (*self.loc, "columns"))
        return self.columns


@dataclass(frozen=True, slots=True, eq=False)
class FittedColumnStep:
    """A fitted step with the names of its input and output columns."""

    fitted_step: FittedStep | None
    """The fitted transformation; None leaves the table unchanged."""
    chosen: tuple[str, ...]
    """Input columns."""
    names: tuple[str, ...]
    """Output columns, each name once."""
    expands: bool = False
    """Whether sparse columns are converted to dense ones first."""

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """Warnings raised while the step was fitted."""
        return tuple(getattr(self.fitted_step, "cautions", ()))

    def transform(self, features: Features) -> Features:
        """Return the table with the chosen columns transformed."""
        if self.fitted_step is None:
            return features
        part = select(features, self.chosen, expands=self.expands)
        return self.insert_columns(features, self.fitted_step.transform(part))

    def insert_columns(self, features: Features, made: Features) -> Features:
        """Return the table with the output columns: known names in place, new ones at the end."""
        table = dict(zip(features.names, features.columns, strict=True))
        groups = {group.name: group for group in features.wide}
        made_columns = dict(zip(self.names, made.columns, strict=True))
        for name in self.chosen:
            groups.pop(name, None)
            if name not in made_columns:
                table.pop(name, None)
        table.update(made_columns)
        groups.update((group.name, group) for group in made.wide)
        return features.with_columns(tuple(table), tuple(table.values()), tuple(groups.values()))


def check_named(owner: str, columns: tuple[str, ...], features: Features, loc: Loc) -> None:
    """Raise ``InvalidParameter`` for a column name that is not in the table."""
    names = list_column_names(features)
    for name in columns:
        if name not in names:
            known = ", ".join(names[:20])
            raise InvalidParameter(
                f"{owner} names the column {name!r}, but its input columns are {known}.",
                loc=loc,
                value=name,
            )


def list_column_names(features: Features) -> tuple[str, ...]:
    """Return the names of the columns, then those of the sparse groups."""
    return (*features.names, *(group.name for group in features.wide))


def select(features: Features, chosen: tuple[str, ...], *, expands: bool) -> Features:
    """Return a table of the selected columns; ``expands`` turns sparse columns into dense ones."""
    table = dict(zip(features.names, features.columns, strict=True))
    names = tuple(name for name in chosen if name in table)
    groups = tuple(group for group in features.wide if group.name in chosen)
    part = features.with_columns(names, tuple(table[name] for name in names), groups)
    return part.expand() if expands else part


def make_unique(name: str, taken: set[str]) -> str:
    """Return a name with apostrophes until no other column has it; add it to ``taken``."""
    while name in taken:
        name += "'"
    taken.add(name)
    return name
