"""Types, enumerations and arrays that the whole library shares."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]
UnitName = Literal["instance", "cluster", "block"]
"""The unit that a test pairs or ranks, and that a bootstrap draws."""
UNITS: Final = get_args(UnitName)
Sampled = Literal["random", "stratified", "chosen"]
"""How the rows that people labelled were found among all rows that a judge graded."""
Better = Literal["lower", "higher"]
"""Which values are better: ``lower`` of losses, ``higher`` of scores."""
Label = str | int | float
"""The label of a block, source, cluster or class in JSON; only a class can be a fraction."""


class BlockKind(StrEnum):
    """The kind of a test block: a random fold, a source, a holdout or a subsample."""

    RANDOM = "random"  # a fold whose instances were drawn at random
    SOURCE = "source"  # a subject, a site, a domain
    HOLDOUT = "holdout"  # one test set of one fitted model
    SUBSAMPLES = "subsamples"  # test parts of many splits that are no partition: they may overlap


class Target(StrEnum):
    """The quantity that a number estimates; every number in a result names its target."""

    THESE_SOURCES = "these_sources"  # expected error on the population or the sources at hand
    NEW_SOURCE = "new_source"  # expected error on an instance of a source not in the data
    NEW_POPULATION = "new_population"  # expected error under a target distribution
    THESE_MODELS = "these_models"  # error of the trained models, conditional on the training data


class MeanKind(StrEnum):
    """The mean of the losses that a variance or an interval belongs to."""

    MACRO = "macro"  # average of the block means, the papers' mu-hat
    POOLED = "pooled"  # average over all instances
    FIRST_SPLIT = "first_split"  # the mean of the first block of the first repeat: 5x2 alone


class Alternative(StrEnum):
    """The alternative of a test or interval; a difference is a minus b.

    A request's ``less`` asks whether a is better, and ``greater`` whether b is. Where higher values
    are better, the interval and the test are those of the other side: ``mirror``.
    """

    TWO_SIDED = "two_sided"
    LESS = "less"  # the difference is below 0
    GREATER = "greater"  # the difference is above 0

    def mirror(self) -> Alternative:
        """Return the alternative of the difference with its sign changed."""
        sides = {Alternative.LESS: Alternative.GREATER, Alternative.GREATER: Alternative.LESS}
        return sides.get(self, self)


class Needs(StrEnum):
    """The input that a method needs."""

    SPLITS = "splits"  # one mean loss per split is enough
    LOSSES = "losses"  # one loss per test instance
    REPEATS = "repeats"  # several partitions of the same instances
    PREDICTIONS = "predictions"  # the predictions and the truth
    REFITS = "refits"  # the learner and the data, to fit it again
