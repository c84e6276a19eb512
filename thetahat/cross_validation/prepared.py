"""Preparation that learns nothing, applied to all rows once, before they are split."""

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
from thetahat.seeds import stream
from thetahat.tables.data import Data
from thetahat.tables.features import Features

Placed = tuple[ColumnStep | ColumnGroups, ...]


@dataclass(frozen=True, slots=True)
class _Steps:
    """Steps that are the same where their names and parameters are."""

    steps: Placed
    task: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Steps) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))


def n_at_once(steps: Sequence[ColumnStep | ColumnGroups]) -> int:
    """Return how many of the first steps learn nothing from the training part."""
    for at, placed in enumerate(steps):
        if not placed.is_stateless:
            return at
    return len(steps)


def prepared_once(learner: Learner, data: Data) -> tuple[Learner, Data]:
    """Return the learner without its first steps that learn nothing, and the data behind them.

    What a row becomes in such a step is up to the row alone, so the numbers are those of a
    pipeline that takes the step anew in each split. A vectoriser is taken apart: it counts the
    words of all texts once, and each split learns which of them its training part has. Steps that
    refuse the rows or warn of something are left where they are, to say so split by split. The
    same data object is returned for the same steps: the parts of one job come one after another.
    """
    if not isinstance(learner, Pipeline):
        return learner, data
    first, rest = _in_two(learner.steps, data)
    made = _after(_Steps(first, learner.task), data) if first else None
    if made is None:
        return learner, data
    if rest:
        return replace(learner, steps=rest), made
    bare: Learner = learner.learner
    return bare, made


def _in_two(steps: Placed, data: Data) -> tuple[Placed, Placed]:
    """Return what is done once, to all rows, and what is left to the splits.

    Texts are cut into words once too, where no step before looks at them.
    """
    n = n_at_once(steps)
    first, rest = list(steps[:n]), list(steps[n:])
    named: set[str] = set()
    for at, placed in enumerate(rest):
        if not isinstance(placed, ColumnStep):
            break
        columns, disjoint_groups = placed.columns, split_vectorisers(placed.step)
        if columns is None and disjoint_groups is not None and at == n == 0:
            columns = placed.chosen(data.features)
        if columns is None:  # those of a kind, which counted words would be among
            break
        if disjoint_groups is not None and not named & set(columns):
            counting, choosing = disjoint_groups
            first.append(replace(placed, step=counting, columns=columns))
            rest[at] = replace(placed, step=choosing, columns=columns)
        named |= set(columns)
    return tuple(first), tuple(rest)


@lru_cache(maxsize=2)
def _after(steps: _Steps, data: Data) -> Data | None:
    features: Features = data.features
    rng = stream(0, "prepare")  # which they do not draw from, as they learn nothing
    for placed in steps.steps:
        try:
            fitted, features = placed.fit_transform(features, data.y, task=steps.task, rng=rng)
        except EvaluationError:
            return None
        if fitted.cautions:
            return None
    return replace(data, features=features) if features.width else None
