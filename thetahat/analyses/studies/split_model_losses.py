"""The losses that the models of many splits have on other rows, from one pass over both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any

import numpy as np

from thetahat.cross_validation.many_splits import finite_or_plain
from thetahat.cross_validation.split_ranges import predicted_in_stretches
from thetahat.learners.base import Learner, OrdinaryFit, OverSplits
from thetahat.losses.base import Loss, Predictions
from thetahat.schemes.base import Split
from thetahat.tables.data import Data
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray, IntArray


def compute_split_losses(  # noqa: PLR0913 - whose models, of which splits, and where they are tested
    learner: Learner,
    loss: Loss,
    data: Data,
    splits: Sequence[Split],
    on: Data,
    tested: Sequence[IntArray],
) -> Iterator[FloatArray | None]:
    """Yield the losses of each split's model on some rows of ``on``; None where it has to be fit.

    A learner that predicts every split from what all rows share is given the drawn rows and those
    of ``on`` behind them, which have no weight and so teach it nothing. What it says is what a fit
    would, to 1e-8.

    Parameters
    ----------
    splits : sequence of Split
        Of ``data``; their test parts are not looked at.
    tested : sequence of ndarray of int
        By split, the rows of ``on``.
    """
    fast: Any = learner  # a frozen dataclass, so it can be a key
    shared = _shared(fast, data, on) if _can(learner, data, on) else None
    predict_all = getattr(shared, "predict_all", None)
    if predict_all is None:
        yield from repeat(None, len(splits))
        return
    pairs = zip(splits, tested, strict=True)
    behind = (Split(s.repeat, s.block, s.label, s.train, data.n + rows) for s, rows in pairs)
    told = predicted_in_stretches(predict_all, behind, data.n + on.n, ask_of_one_row=True)
    for some, said in told:
        for split, one in zip(some, said, strict=True):
            usable = None if one is None else finite_or_plain(one)
            if isinstance(usable, Predictions):
                yield loss.losses(on.y[split.test - data.n], usable)
            else:
                yield None


def _can(learner: Learner, data: Data, on: Data) -> bool:
    """Whether a learner has such a path and takes weights, and the columns are all dense."""
    wide = data.features.wide or on.features.wide
    return hasattr(learner, "over_splits") and learner.takes_weights and not wide


@lru_cache(maxsize=2)
def _shared(learner: Any, data: Data, on: Data) -> OverSplits | OrdinaryFit:
    """Return what the learner knows of both; kept, for the estimators of one draw share it."""
    columns = zip(data.features.columns, on.features.columns, strict=True)
    features = Features(data.features.names, tuple(np.concatenate(pair) for pair in columns))
    given = np.ones(data.n) if data.weight is None else data.weight
    with np.errstate(all="ignore"):
        shared: OverSplits | OrdinaryFit = learner.over_splits(
            features,
            np.concatenate([data.y, on.y]),
            weights=np.concatenate([given, np.zeros(on.n)]),
            n_classes=data.n_classes,
        )
    return shared
