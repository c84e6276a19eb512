"""A preparation step, the columns it acts on, and where what it makes of them goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import InvalidParameter, Loc
from thetahat.pipelines.allowed import ActsOn
from thetahat.pipelines.steps.base import Learnt, Step
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True)
class PlacedStep:
    """A step, and the columns it acts on.

    Parameters
    ----------
    step : Step
        The step.
    columns : tuple of str or None
        Names in the table that reaches the step; None means those of the step's kind.
    loc : tuple
        Its place in the learner's spec, for messages.
    weighted : bool
        Whether it learns with the weights of the instances, where there are any.
    """

    step: Step
    columns: tuple[str, ...] | None
    loc: Loc
    weighted: bool = False

    @property
    def learns_nothing(self) -> bool:
        """Whether what it makes of a row is up to that row alone."""
        return bool(getattr(self.step, "learns_nothing", False))

    def learn(
        self,
        features: Features,
        y: np.ndarray,
        *,
        task: str,
        rng: np.random.Generator,
        weights: FloatArray | None = None,
    ) -> tuple[LearntStep, Features]:
        """Learn from the training part; returns the transformed training part too."""
        chosen = self.chosen(features)
        if not chosen:
            untouched = LearntStep(None, (), ())
            return untouched, features
        expands = not getattr(self.step, "takes_sparse", False)
        part = select(features, chosen, expands=expands)
        weighting: dict[str, Any] = {}
        if weights is not None and self.weighted:
            weighting = {"weights": weights}
        learnt, made = self.step.learn(part, y, task=task, rng=rng, **weighting)
        names = _new_names(names_of(features), chosen, made.names)
        step = LearntStep(learnt, chosen, names, expands)
        return step, step.placed(features, made)

    def chosen(self, features: Features) -> tuple[str, ...]:
        """Return the names of the columns that it takes of a table."""
        if self.columns is None:
            is_number = self.step.acts_on is ActsOn.NUMERIC
            pairs = zip(features.names, features.columns, strict=True)
            groups = [group.name for group in features.wide] if is_number else []
            return (*(n for n, c in pairs if (c.dtype.kind == "f") == is_number), *groups)
        what = f"step {self.step.info.name!r}"
        check_named(what, self.columns, features, (*self.loc, "columns"))
        return self.columns


@dataclass(frozen=True, slots=True, eq=False)
class LearntStep:
    """A learnt step with the places of its columns; without a transformation, no column moves.

    Parameters
    ----------
    learnt : Learnt or None
        The transformation.
    chosen : tuple of str
        The columns it takes.
    names : tuple of str
        What the columns it makes are called in the table, each once.
    expands : bool
        Whether it takes sparse groups as plain columns.
    """

    learnt: Learnt | None
    chosen: tuple[str, ...]
    names: tuple[str, ...]
    expands: bool = False

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What the step warned of while it learnt."""
        return tuple(getattr(self.learnt, "cautions", ()))

    def transform(self, features: Features) -> Features:
        """Return the table with the chosen columns transformed."""
        if self.learnt is None:
            return features
        part = select(features, self.chosen, expands=self.expands)
        return self.placed(features, self.learnt.transform(part))

    def placed(self, features: Features, made: Features) -> Features:
        """Return the table with the made columns in it: old names in place, new ones last."""
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


def check_named(what: str, columns: tuple[str, ...], features: Features, loc: Loc) -> None:
    """Refuse a column that does not reach who names it."""
    names = names_of(features)
    for name in columns:
        if name not in names:
            known = ", ".join(names[:20])
            raise InvalidParameter(
                f"{what} names the column {name!r}; the columns that reach it are {known}",
                loc=loc,
                value=name,
            )


def names_of(features: Features) -> tuple[str, ...]:
    """Return the names of the columns, then those of the sparse groups."""
    return (*features.names, *(group.name for group in features.wide))


def select(features: Features, chosen: tuple[str, ...], *, expands: bool) -> Features:
    """Return some columns and groups; ``expands`` makes plain columns of the groups."""
    table = dict(zip(features.names, features.columns, strict=True))
    names = tuple(name for name in chosen if name in table)
    groups = tuple(group for group in features.wide if group.name in chosen)
    part = features.with_columns(names, tuple(table[name] for name in names), groups)
    return part.expanded() if expands else part


def _new_names(
    table: tuple[str, ...], chosen: tuple[str, ...], made: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the made names, marked where a column that stays has the name already."""
    taken = set(table) - set(chosen)
    names = []
    for wanted in made:
        name = wanted
        while name in taken:
            name += "'"
        taken.add(name)
        names.append(name)
    return tuple(names)
