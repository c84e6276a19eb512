"""Rotation of wide features to as many coordinates as there are rows.

The predictions of some learners do not change when the features are rotated. With far more features
than rows such a learner is fitted to the coordinates of the rows in the space that they span, and
the cost of a fit no longer depends on the number of features.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from thetahat.cross_validation.thresholds import MIN_FEATURES_PER_ROW
from thetahat.errors import EvaluationError
from thetahat.learners.base import FastLearner, Learner
from thetahat.tables.data import Data
from thetahat.tables.features import Features


def rotate_wide_features(learner: Learner, data: Data) -> Data:
    """Return data with n rotated features if the learner allows it and there are many more.

    A learner allows it with ``is_rotation_invariant``. Columns of text, sparse columns and columns
    with missing values are left as they are. The data are cached, because the chunks of one
    evaluation follow each other.
    """
    if not (isinstance(learner, FastLearner) and learner.is_rotation_invariant):
        return data
    features = data.features
    if features.wide or len(features.columns) < MIN_FEATURES_PER_ROW * data.n:
        return data
    return _rotate(data, has_intercept=getattr(learner, "intercept", False))


@lru_cache(maxsize=2)
def _rotate(data: Data, *, has_intercept: bool) -> Data:
    """Return the data with the coordinates of their rows, about their mean with an intercept."""
    features = data.features
    try:
        columns = np.array(features.complete_columns())
    except EvaluationError:  # the learner's own message names the split as well
        return data
    if has_intercept:
        columns -= columns.mean(axis=1, keepdims=True)
    coordinates = np.linalg.qr(columns, mode="r")
    names = tuple(f"coordinate {at}" for at in range(len(coordinates)))
    return replace(data, features=Features(names, coordinates, features.row_numbers))
