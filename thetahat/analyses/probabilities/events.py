"""The events whose probabilities are described, with their rows and clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from thetahat.cautions import (
    IGNORES_TRAINING_VARIANCE,
    PROBABILITIES_OF_DEPENDENT_ROWS,
    PROBABILITIES_OF_FIRST_REPEAT,
    Caution,
)
from thetahat.errors import UnsupportedCombination
from thetahat.numerics.isotonic import ProbabilityLevels
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind, BoolArray, FloatArray, IntArray, Label

TWO_CLASSES: Final = 2


@dataclass(frozen=True, eq=False)
class BinaryEvent:
    """An event on n rows, and its probabilities by one model."""

    label: Label | None
    """The class; None if the event is that the most probable class is right."""
    outcomes: FloatArray
    """(n,) 1 where it happened, else 0."""
    probabilities: FloatArray
    """(n,) probabilities."""
    cluster: IntArray | None
    """(n,) codes of the clusters, from 0 without gaps; None for independent rows."""

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.outcomes)

    @property
    def n_clusters(self) -> int | None:
        """Number of clusters; None without clusters."""
        return None if self.cluster is None else int(self.cluster.max()) + 1

    @property
    def n_events(self) -> int:
        """Number of rows on which it happened."""
        return int(self.outcomes.sum())

    @property
    def n_rarer(self) -> int:
        """Number of events, or of the other rows if these are fewer."""
        return min(self.n_events, self.n - self.n_events)

    @cached_property
    def levels(self) -> ProbabilityLevels:
        """The distinct probabilities."""
        return ProbabilityLevels.build(self.probabilities)

    @cached_property
    def sums(self) -> FloatArray:
        """(m,) events of each level."""
        return self.levels.add_up(self.outcomes)

    @property
    def is_certain(self) -> BoolArray:
        """(n,) whether the probability is 0 or 1."""
        return np.asarray((self.probabilities == 0) | (self.probabilities == 1))

    @property
    def n_surely_wrong(self) -> int:
        """Number of rows whose outcome had a probability of 0."""
        is_event = self.outcomes == 1
        was_excluded = np.where(is_event, self.probabilities == 0, self.probabilities == 1)
        return int(was_excluded.sum())


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PredictedProbabilities:
    """The probabilities of all classes by all models, in the order of a layout's rows."""

    truth: IntArray
    """(n,) codes of the true classes."""
    models: Mapping[str, FloatArray]
    """(n, C) probabilities by model."""
    classes: Sequence[Label]
    """(C,) classes."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EventRows:
    """The rows that are used of a layout."""

    rows: IntArray
    """Their numbers."""
    cluster: IntArray | None
    """(n,) codes of their clusters."""
    cautions: tuple[Caution, ...]
    """What does not hold for them."""

    @classmethod
    def choose(cls, layout: Layout) -> EventRows:
        """Return the rows of the first repeat, with clusters and cautions."""
        if layout.kind is BlockKind.SUBSAMPLES:
            raise UnsupportedCombination(
                "Probabilities are described over rows that are tested once, and subsamples may "
                "test a row several times. Leave probabilities out, or send one partition.",
                loc=("probabilities",),
            )
        cautions: list[Caution] = []
        rows = np.arange(layout.n_rows, dtype=np.intp)
        if layout.n_repeats > 1:
            rows = np.flatnonzero(layout.split_repeat[layout.get_split_of_row()] == 0)
            cautions.append(PROBABILITIES_OF_FIRST_REPEAT(n=layout.n_repeats))
        if not layout.has_fixed_models:
            cautions.append(IGNORES_TRAINING_VARIANCE(subject="An interval about probabilities"))
        cluster = layout.cluster
        if cluster is not None:
            cluster = np.unique(cluster[rows], return_inverse=True)[1]
        elif layout.time is not None:
            cautions.append(PROBABILITIES_OF_DEPENDENT_ROWS(why="rows near in time may be alike"))
        elif layout.kind is BlockKind.SOURCE:
            why = f"rows of a {layout.words.block} may be alike, and another one may differ"
            cautions.append(PROBABILITIES_OF_DEPENDENT_ROWS(why=why))
        return cls(rows=rows, cluster=cluster, cautions=tuple(cautions))


def find_main_events(predicted: PredictedProbabilities, rows: EventRows) -> dict[str, BinaryEvent]:
    """Return the event of each model: the second of two classes, or that the first choice is right.

    The first choice is the most probable class; of equally probable ones that which is listed
    first.
    """
    if len(predicted.classes) == TWO_CLASSES:
        return find_class_events(predicted, rows, 1)
    truth = predicted.truth[rows.rows]
    events = {}
    for name, of_model in predicted.models.items():
        chosen = of_model[rows.rows]
        outcomes = (chosen.argmax(axis=1) == truth).astype(np.float64)
        events[name] = BinaryEvent(None, outcomes, chosen.max(axis=1), rows.cluster)
    return events


def find_class_events(
    predicted: PredictedProbabilities, rows: EventRows, code: int
) -> dict[str, BinaryEvent]:
    """Return the event that the true class is the one with this code, by model."""
    outcomes = (predicted.truth[rows.rows] == code).astype(np.float64)
    label = predicted.classes[code]
    return {
        name: BinaryEvent(label, outcomes, np.clip(of_model[rows.rows, code], 0, 1), rows.cluster)
        for name, of_model in predicted.models.items()
    }
