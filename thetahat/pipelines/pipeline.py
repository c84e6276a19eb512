"""A learner behind the preparation of its columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.features import Features
from thetahat.learners.base import Fitted
from thetahat.losses.base import Predictions
from thetahat.pipelines.reviewed import ActsOn
from thetahat.pipelines.steps.base import Learnt, Step
from thetahat.registry import MethodInfo
from thetahat.types import Caution, FloatArray, Label


@dataclass(frozen=True, slots=True)
class PlacedStep:
    """A step, and the columns it acts on.

    Parameters
    ----------
    step : Step
        The step.
    columns : tuple of str or None
        Names in the table that reaches the step; None means those of the step's kind.
    position : int
        Its place in ``prepare``, for messages.
    weighted : bool
        Whether it learns with the weights of the instances, where there are any.
    """

    step: Step
    columns: tuple[str, ...] | None
    position: int
    weighted: bool = False

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
        chosen = self._chosen(features)
        if not chosen:
            untouched = LearntStep(None, (), ())
            return untouched, features
        expands = not getattr(self.step, "takes_sparse", False)
        part = _select(features, chosen, expands=expands)
        weighting: dict[str, Any] = {}
        if weights is not None and self.weighted:
            weighting = {"weights": weights}
        learnt, made = self.step.learn(part, y, task=task, rng=rng, **weighting)
        names = _new_names(_names_of(features), chosen, made.names)
        step = LearntStep(learnt, chosen, names, expands)
        return step, step.placed(features, made)

    def _chosen(self, features: Features) -> tuple[str, ...]:
        if self.columns is None:
            is_number = self.step.acts_on is ActsOn.NUMERIC
            pairs = zip(features.names, features.columns, strict=True)
            groups = [group.name for group in features.wide] if is_number else []
            return (*(n for n, c in pairs if (c.dtype.kind == "f") == is_number), *groups)
        names = _names_of(features)
        for name in self.columns:
            if name not in names:
                known = ", ".join(names[:20])
                raise InvalidParameter(
                    f"step {self.step.info.name!r} names the column {name!r}; the columns that "
                    f"reach it are {known}",
                    loc=("prepare", self.position, "columns"),
                    value=name,
                )
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

    def transform(self, features: Features) -> Features:
        """Return the table with the chosen columns transformed."""
        if self.learnt is None:
            return features
        part = _select(features, self.chosen, expands=self.expands)
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


def _names_of(features: Features) -> tuple[str, ...]:
    return (*features.names, *(group.name for group in features.wide))


def _select(features: Features, chosen: tuple[str, ...], *, expands: bool) -> Features:
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


@dataclass(frozen=True, slots=True, eq=False)
class FittedPipeline:
    """Learnt steps and a fitted learner."""

    steps: tuple[LearntStep, ...]
    fitted: Fitted

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What the steps and the learner warned of while they were fitted."""
        told: dict[Caution, None] = {}
        for part in (*(step.learnt for step in self.steps), self.fitted):
            told.update(dict.fromkeys(getattr(part, "cautions", ())))
        return tuple(told)

    def predict(self, features: Features) -> Predictions:
        """Apply the steps as they were learnt, then predict."""
        for step in self.steps:
            features = step.transform(features)
        return self.fitted.predict(features)


def for_classes(learner: Any, classes: tuple[Label, ...]) -> Any:
    """Return a learner told what the classes of the data are, where it wants to know."""
    bind = getattr(learner, "for_classes", None)
    return learner if bind is None else bind(classes)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Preparation steps, then a learner; both learnt inside the training part only.

    Parameters
    ----------
    steps : tuple of PlacedStep
        In order; each learns from what the one before made of the training part.
    learner : Any
        A ``Learner``.
    task : str
        ``classification`` or ``regression``.

    Deviations: instance weights reach the learner, and those steps that are asked to learn with
    them (``weighted``); the others are learnt without, as in scikit-learn's pipelines.

    Degenerate cases: a step that finds no column of its kind does nothing.
    """

    steps: tuple[PlacedStep, ...]
    learner: Any
    task: str

    @property
    def info(self) -> MethodInfo:
        """The learner's."""
        info: MethodInfo = self.learner.info
        return info

    @property
    def tasks(self) -> frozenset[str]:
        """The task it was built for."""
        return frozenset({self.task})

    @property
    def takes_weights(self) -> bool:
        """Whether the learner takes weights."""
        return bool(self.learner.takes_weights)

    @property
    def gives_probabilities(self) -> bool:
        """Whether predictions hold class probabilities; a learner that does not say, gives them."""
        return self.task == "classification" and getattr(self.learner, "gives_probabilities", True)

    @property
    def gives_scores(self) -> bool:
        """Whether predictions hold decision values; a learner that does not say, gives none."""
        return self.task == "classification" and getattr(self.learner, "gives_scores", False)

    def for_classes(self, classes: tuple[Label, ...]) -> Pipeline:
        """Return the pipeline with its learner told what the classes are."""
        return replace(self, learner=for_classes(self.learner, classes))

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        rng: np.random.Generator,
        n_classes: int,
    ) -> FittedPipeline:
        """Learn the steps and fit the learner on the training part."""
        learnt_steps = []
        for step in self.steps:
            learnt, features = step.learn(features, y, task=self.task, rng=rng, weights=weights)
            learnt_steps.append(learnt)
        if not features.width:
            raise InsufficientData("no column is left to learn from", loc=("prepare",))
        fitted = self.learner.fit(features, y, weights=weights, rng=rng, n_classes=n_classes)
        return FittedPipeline(tuple(learnt_steps), fitted)
