"""The two-dimensional setting of the paper, with normal source and target populations."""

from __future__ import annotations

import math

import numpy as np

from thetahat.generators.gaussian_shift import GaussianShift, ShiftedSamples
from thetahat.parameter_checks import require
from thetahat.values.types import FloatArray
from thetahat_replications.importance.penalty_selection import GRAIN
from thetahat_replications.parameter_checks import check_largest


def check_sample_sizes(n_source: int, n_target: int, n_folds: int) -> None:
    """Raise ``InvalidParameter`` for samples too small for the folds or for a covariance."""
    least = 2 * n_folds
    require(n_source >= least, "n_source", n_source, f"must be {least} or more")
    require(n_target >= 6, "n_target", n_target, "must be 6 or more")
    check_largest("n_source", n_source)
    check_largest("n_target", n_target)


def draw_samples(
    gamma: float, rng: np.random.Generator, *, n_source: int, n_target: int
) -> ShiftedSamples:
    """Draw data sets; gamma is the variance of the source population."""
    setting = GaussianShift(n_features=2, scale=math.sqrt(gamma))
    return setting.draw_many(rng, GRAIN, n_source, n_target)


def compute_true_weights(
    drawn: ShiftedSamples, gamma: float, rng: np.random.Generator
) -> FloatArray:
    """Return the true density ratios of the source rows."""
    del rng
    return GaussianShift(n_features=2, scale=math.sqrt(gamma)).weights(drawn.source)
