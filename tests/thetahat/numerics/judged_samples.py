"""The vectors of prediction-powered means, as samples."""

from __future__ import annotations

from typing import Final

import numpy as np

from tests.thetahat.naive.prediction_powered import Grades
from tests.vectors.reading import read_family
from thetahat.numerics.prediction_powered import GradedSample

VECTORS: Final = read_family("ppi")
"""Inputs and outputs of ppi-python 0.2.3, glide 0.10.0 and truescore 0.7.4, by id."""


def draw_sample(rng: np.random.Generator, n: int, n_others: int) -> GradedSample:
    """Draw labels and grades that are correlated by .8."""
    labels = rng.normal(size=n)
    return GradedSample(
        labels=labels,
        grades=0.8 * labels + 0.6 * rng.normal(size=n),
        unlabelled=rng.normal(size=n_others),
    )


def to_lists(sample: GradedSample) -> Grades:
    """Return a sample as the naive implementation takes it."""
    return Grades(sample.labels.tolist(), sample.grades.tolist(), sample.unlabelled.tolist())
