r"""Scores of probabilities and their parts by isotonic recalibration (CORP).

With recalibrated probabilities r, the isotonic regression of the outcomes on p, and the share of
events :math:`\bar y` as the probability of all rows, miscalibration is :math:`S(p) - S(r)`,
discrimination :math:`S(\bar y) - S(r)` and uncertainty :math:`S(\bar y)`.

Source: dimitriadis2021.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from thetahat.numerics.isotonic import Steps, fit_isotonic
from thetahat.special_functions import xlog1py, xlogy
from thetahat.values.types import BoolArray, FloatArray


def price_brier(p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the Brier scores of an event and of another outcome at each probability."""
    return (1 - p) ** 2, p**2


def price_log(p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the log losses; infinite where an outcome had the probability 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(-xlogy(1.0, p)), np.asarray(-xlog1py(1.0, -p))


SCORES = {"brier": price_brier, "log": price_log}


@dataclass(frozen=True, slots=True, eq=False)
class OutcomeScores:
    """The scores of both outcomes at each of k probabilities."""

    of_events: FloatArray
    """(k,) score of an event; 0 where it is infinite."""
    of_others: FloatArray
    """(k,) score of another outcome; 0 where it is infinite."""
    never: BoolArray | None
    """(k,) where the score of an event is infinite; None if nowhere."""
    always: BoolArray | None
    """(k,) where that of another outcome is infinite; None if nowhere."""

    @classmethod
    def build_all(cls, names: Iterable[str], p: FloatArray) -> dict[str, OutcomeScores]:
        """Return the scores of these names."""
        return {name: cls.build(name, p) for name in names}

    @classmethod
    def build(cls, name: str, p: FloatArray) -> OutcomeScores:
        """Return the scores of this name."""
        both = SCORES[name](p)
        infinite = [np.isinf(scores) for scores in both]
        finite = [np.where(w, 0.0, scores) for scores, w in zip(both, infinite, strict=True)]
        return cls(*finite, *(where if where.any() else None for where in infinite))

    def add_up(self, events: FloatArray, others: FloatArray) -> float:
        """Return the sum over (k,) numbers, or weights, of both outcomes."""
        for counts, where in ((events, self.never), (others, self.always)):
            if where is not None and counts[where].any():
                return math.inf
        return float((events * self.of_events + others * self.of_others).sum())


@dataclass(frozen=True, slots=True)
class PartValues:
    """A score and its parts; infinite where the log loss is."""

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def divide_scores(
    sums: FloatArray, sizes: FloatArray, scores: Mapping[str, OutcomeScores]
) -> dict[str, PartValues]:
    """Return the parts of scores by name, from the levels of probabilities.

    Parameters
    ----------
    sums, sizes : ndarray of float
        (m,) events and rows, or their weights, of each level.
    scores : mapping of str to OutcomeScores
        Scores of the probabilities of the levels.

    Source: dimitriadis2021.
    """
    n, n_events = float(sizes.sum()), float(sums.sum())
    whole = Steps(np.array([0]), np.array([n_events]), np.array([n]))
    of_steps = (fit_isotonic(sums, sizes), whole)
    parts = {}
    for name, of_p in scores.items():
        score = of_p.add_up(sums, sizes - sums) / n
        of_r, of_rate = (add_up_steps(name, steps) / n for steps in of_steps)
        parts[name] = PartValues(score, score - of_r, of_rate - of_r, of_rate)
    return parts


def add_up_steps(name: str, steps: Steps) -> float:
    """Return the sum of scores if each row has the share of its step as its probability."""
    scores = OutcomeScores.build(name, steps.values)
    return scores.add_up(steps.events, steps.sizes - steps.events)
