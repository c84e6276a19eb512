"""Losses of the models of many splits on other rows, computed together where possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import repeat

import numpy as np

from thetahat.cross_validation.fast_path import require_finite
from thetahat.cross_validation.split_batches import predict_in_batches
from thetahat.learners.base import FastLearner, Learner, OrdinaryFit, OverSplits
from thetahat.losses.base import Loss, Predictions
from thetahat.schemes.base import Split
from thetahat.tables.data import Data
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray, IntArray


def compute_split_losses(  # noqa: PLR0913 - the models, their splits, and the rows they are tested on
    learner: Learner,
    loss: Loss,
    data: Data,
    splits: Sequence[Split],
    on: Data,
    tested: Sequence[IntArray],
) -> Iterator[FloatArray | None]:
    """Yield the losses of each split's model on rows of ``on``; None if it must be fitted.

    A learner that predicts all splits from shared sums over all rows gets the drawn rows followed
    by those of ``on`` with weight 0, from which it learns nothing. Its predictions are those of
    separate fits to 1e-8. ``splits`` are those of ``data``, whose test parts are ignored;
    ``tested`` has by split the rows of ``on``.
    """
    wide = data.features.wide or on.features.wide
    shared: OverSplits | OrdinaryFit | None = None
    if isinstance(learner, FastLearner) and learner.takes_weights and not wide:
        shared = _fit_over_splits(learner, data, on)
    if shared is None or isinstance(shared, OrdinaryFit):
        yield from repeat(None, len(splits))
        return
    pairs = zip(splits, tested, strict=True)
    moved = (Split(s.repeat, s.block, s.label, s.train, data.n + rows) for s, rows in pairs)
    batches = predict_in_batches(shared.predict_all, moved, data.n + on.n, predict_single_rows=True)
    for batch, predictions in batches:
        for split, prediction in zip(batch, predictions, strict=True):
            usable = None if prediction is None else require_finite(prediction)
            if isinstance(usable, Predictions):
                yield loss.losses(on.y[split.test - data.n], usable)
            else:
                yield None


@lru_cache(maxsize=2)
def _fit_over_splits(learner: FastLearner, data: Data, on: Data) -> OverSplits | OrdinaryFit:
    """Return the sums that the fits of a learner share, cached for the estimators of one draw."""
    columns = zip(data.features.columns, on.features.columns, strict=True)
    features = Features(data.features.names, tuple(np.concatenate(pair) for pair in columns))
    weights = np.ones(data.n) if data.weight is None else data.weight
    with np.errstate(all="ignore"):
        return learner.over_splits(
            features,
            np.concatenate([data.y, on.y]),
            weights=np.concatenate([weights, np.zeros(on.n)]),
            n_classes=data.n_classes,
        )
