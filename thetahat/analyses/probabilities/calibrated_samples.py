"""Samples of outcomes of calibrated probabilities: what miscalibration chance alone makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.analyses.probabilities.bins import compute_binned_error
from thetahat.analyses.probabilities.events import BinaryEvent
from thetahat.analyses.probabilities.score_parts import OutcomeScores, add_up_steps
from thetahat.numerics.isotonic import ProbabilityLevels, fit_isotonic
from thetahat.values.types import FloatArray, IntArray

TIE: Final = 1e-10
"""Relative difference up to which two miscalibrations are taken as equal."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CalibratedSamples:
    """What B samples of calibrated probabilities have."""

    miscalibration: dict[str, FloatArray]
    """(B,) by score."""
    binned: FloatArray | None
    """(B,) expected calibration errors."""
    curves: FloatArray
    """(B, k) recalibrated probabilities at the points of the curve."""


def draw_samples(  # noqa: PLR0913 - what is computed of each sample
    event: BinaryEvent,
    names: Sequence[str],
    bins: IntArray | None,
    points: IntArray,
    n_samples: int,
    rng: np.random.Generator,
) -> CalibratedSamples:
    """Draw outcomes of each row with its own probability.

    Parameters
    ----------
    names : sequence of str
        Scores whose miscalibration is computed.
    bins : ndarray of int or None
        (m,) bin of each level.
    points : ndarray of int
        (k,) levels of the curve's points.
    """
    levels = event.levels
    p, sizes = levels.values, levels.sizes
    of_p = OutcomeScores.build_all(names, p)
    of_scores = {name: np.empty(n_samples) for name in names}
    binned = None if bins is None else np.empty(n_samples)
    curves = np.empty((n_samples, len(points)))
    for b in range(n_samples):
        sums = _draw_sums(levels, rng)
        fitted, others = fit_isotonic(sums, sizes), sizes - sums
        for name, values in of_scores.items():
            values[b] = of_p[name].add_up(sums, others) - add_up_steps(name, fitted)
        if binned is not None and bins is not None:
            binned[b] = compute_binned_error(bins, sizes, p, sums)
        curves[b] = fitted.at(points)
    of_scores = {name: values / event.n for name, values in of_scores.items()}
    return CalibratedSamples(miscalibration=of_scores, binned=binned, curves=curves)


def _draw_sums(levels: ProbabilityLevels, rng: np.random.Generator) -> FloatArray:
    if len(levels.values) == len(levels.index):
        return (rng.random(len(levels.values)) < levels.values).astype(np.float64)
    return rng.binomial(levels.sizes.astype(np.intp), levels.values).astype(np.float64)


def compute_sample_p_value(samples: FloatArray, observed: float) -> float:
    """Return the share of samples and data with at least the observed value.

    The data count as one sample of their own, so that the p-value is never 0 and a test at any
    level rejects calibrated probabilities in at most that share of samples.
    """
    at_least = int((samples >= observed - TIE * abs(observed)).sum())
    return (1 + at_least) / (1 + len(samples))
