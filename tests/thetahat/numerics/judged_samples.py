"""The vectors of prediction-powered means, as samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np

from tests.thetahat.naive.prediction_powered import Grades
from thetahat.numerics.prediction_powered import GradedSample

VECTORS: Final[dict[str, Any]] = json.loads(
    Path(__file__).with_name("prediction_powered_vectors.json").read_text()
)
"""Inputs and outputs of ppi-python 0.2.3, glide 0.10.0 and truescore 0.7.4, by id."""


def read_sample(name: str) -> GradedSample:
    """Return the labels and grades of a vector; of a pair the differences."""
    inputs = VECTORS[name]["inputs"]
    labels, grades = inputs["labelled"], inputs["judge_on_labelled"]
    if "judge_on_unlabelled_by_fold" in inputs:
        unlabelled = np.mean(inputs["judge_on_unlabelled_by_fold"], axis=0)
    else:
        unlabelled = inputs["judge_on_unlabelled"]
    codes = {
        field: np.unique(inputs[key], return_inverse=True)[1]
        for field, key in (
            ("stratum", "stratum"),
            ("stratum_unlabelled", "stratum_of_unlabelled"),
            ("cluster", "cluster"),
            ("cluster_unlabelled", "cluster_of_unlabelled"),
        )
        if key in inputs
    }
    return GradedSample(
        labels=_subtract(labels),
        grades=_subtract(grades),
        unlabelled=_subtract(unlabelled),
        **codes,
    )


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


def _subtract(values: Any) -> Any:
    if isinstance(values, dict):
        return np.subtract(values["a"], values["b"], dtype=np.float64)
    return np.asarray(values, dtype=np.float64)
