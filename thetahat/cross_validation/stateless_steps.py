"""Preparation steps that learn nothing, applied once to all rows before they are split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from thetahat.errors import EvaluationError
from thetahat.learners.base import Learner
from thetahat.pipelines.column_step import ColumnStep
from thetahat.pipelines.groups import ColumnGroups
from thetahat.pipelines.pipeline import Pipeline
from thetahat.pipelines.vocabulary import split_vectorisers
from thetahat.seeds import make_random_stream
from thetahat.tables.data import Data
from thetahat.tables.features import Features

PlacedSteps = tuple[ColumnStep | ColumnGroups, ...]


@dataclass(frozen=True, slots=True)
class _StepsKey:
    """Steps as a cache key: equal if their names and parameters are equal."""

    steps: PlacedSteps
    task: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _StepsKey) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))


def count_stateless_steps(steps: Sequence[ColumnStep | ColumnGroups]) -> int:
    """Return how many of the first steps learn nothing from the training part."""
    for at, placed in enumerate(steps):
        if not placed.is_stateless:
            return at
    return len(steps)


def apply_stateless_steps(learner: Learner, data: Data) -> tuple[Learner, Data]:
    """Apply the first steps that learn nothing; return the learner without them and the new data.

    Such a step transforms each row by itself, so the numbers are those of a pipeline that applies
    it in each split. A vectoriser is divided: it counts the words of all texts once, and each split
    learns which of them its training part has. Steps that raise an exception or have cautions stay
    in the pipeline, so that both name the split. The data are cached, because the chunks of one
    evaluation follow each other.
    """
    if not isinstance(learner, Pipeline):
        return learner, data
    first, rest = _divide_steps(learner.steps, data)
    transformed = _transform(_StepsKey(first, learner.task), data) if first else None
    if transformed is None:
        return learner, data
    if rest:
        return replace(learner, steps=rest), transformed
    bare: Learner = learner.learner
    return bare, transformed


def _divide_steps(steps: PlacedSteps, data: Data) -> tuple[PlacedSteps, PlacedSteps]:
    """Return the steps that are applied once to all rows, and those applied in each split.

    Texts are divided into words once, unless an earlier step reads them.
    """
    n = count_stateless_steps(steps)
    first, rest = list(steps[:n]), list(steps[n:])
    used_columns: set[str] = set()
    for at, placed in enumerate(rest):
        if not isinstance(placed, ColumnStep):
            break
        columns, two_steps = placed.columns, split_vectorisers(placed.step)
        if columns is None and two_steps is not None and at == n == 0:
            columns = placed.chosen(data.features)
        if columns is None:  # all columns of a type, which would include those of counted words
            break
        if two_steps is not None and not used_columns & set(columns):
            counting, choosing = two_steps
            first.append(replace(placed, step=counting, columns=columns))
            rest[at] = replace(placed, step=choosing, columns=columns)
        used_columns |= set(columns)
    return tuple(first), tuple(rest)


@lru_cache(maxsize=2)
def _transform(key: _StepsKey, data: Data) -> Data | None:
    features: Features = data.features
    rng = make_random_stream(0, "prepare")  # never used, because the steps learn nothing
    for placed in key.steps:
        try:
            fitted, features = placed.fit_transform(features, data.y, task=key.task, rng=rng)
        except EvaluationError:
            return None
        if fitted.cautions:
            return None
    return replace(data, features=features) if features.width else None
