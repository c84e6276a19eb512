"""Doubts about predictions that seem to name the classes otherwise than the true values do."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

import numpy as np
import scipy

from thetahat.cautions import CLASSES_NAMED_OTHERWISE, SCORES_OF_OTHER_CLASSES, Caution
from thetahat.losses.base import Predictions
from thetahat.values.types import FloatArray, IntArray, Label

ROUNDING: Final = 1e-9
"""Differences of scores below this share of the largest one are none."""


def doubt_classes(
    truth: IntArray,
    models: Mapping[str, Predictions],
    predicting: Collection[str],
    scores: Mapping[str, FloatArray],
    classes: tuple[Label, ...],
) -> Iterator[Caution]:
    """Yield cautions about labels that only the predictions have, and scores of other classes.

    Parameters
    ----------
    truth : ndarray of int
        (n,) codes of the true classes.
    models : mapping of str to Predictions
        The predictions of every model.
    predicting : collection of str
        The models that sent classes; those of the others are made from their scores.
    scores : mapping of str to ndarray
        (n,) or (n, C) scores by model.
    classes : tuple of label
        (C,) classes in the order of their codes.
    """
    n_classes = len(classes)
    for model, predicted in models.items():
        named = []
        if model in predicting:
            named.append(np.bincount(predicted.output.astype(np.intp), minlength=n_classes))
        if predicted.sets is not None:
            named.append(predicted.sets.sum(axis=0))
        for n_named in named:
            yield from _doubt_labels(model, truth, n_named, classes)
        if model in scores:
            yield from _doubt_order(model, truth, scores[model], classes)


def _doubt_labels(
    model: str, truth: IntArray, n_predicted: IntArray, classes: tuple[Label, ...]
) -> Iterator[Caution]:
    """Doubt predictions of which many are no true class, where many true classes are none of them.

    ``n_predicted`` counts the rows with each class as the prediction, or in their set.

    A class that only one of both has is ordinary: it may be rare, or the model may ignore it.
    """
    n_true = np.bincount(truth, minlength=len(classes))
    only_predicted, only_true = n_predicted * (n_true == 0), n_true * (n_predicted == 0)
    least = CLASSES_NAMED_OTHERWISE.threshold * len(truth)
    if min(only_predicted.sum(), only_true.sum()) > least:
        yield CLASSES_NAMED_OTHERWISE(
            model=model,
            predicted=repr(classes[int(np.argmax(only_predicted))]),
            n=int(only_predicted.sum()),
            true=repr(classes[int(np.argmax(only_true))]),
            n_true=int(only_true.sum()),
        )


def _doubt_order(
    model: str, truth: IntArray, scores: FloatArray, classes: tuple[Label, ...]
) -> Iterator[Caution]:
    """Doubt scores that would be higher for the true classes in another order of the classes."""
    flat = scores.ravel() if scores.size == len(scores) else None
    columns = scores if flat is None else np.column_stack([-flat, flat])
    n, n_classes = columns.shape
    if n_classes != len(classes) or n_classes < 2:
        return
    sizes = np.bincount(truth, minlength=n_classes)
    present = sizes > 0
    means = np.zeros((n_classes, n_classes))
    np.add.at(means, truth, columns)
    means[present] /= sizes[present, None]
    means[present] -= means[present].mean(axis=0)  # else frequent classes would decide
    if (means.diagonal() == means.max(axis=1)).all():
        return  # no other order is better, and scipy.optimize, which takes 0.1 s, is not loaded
    _, order = scipy.optimize.linear_sum_assignment(means, maximize=True)
    rows, codes = np.arange(n), np.arange(n_classes)
    gains = columns[rows, order[truth]] - columns[rows, truth]
    gain = (means[codes, order] - means[codes, codes])[present].mean()
    variances = [gains[truth == c].var() / sizes[c] for c in codes[present]]
    spread = np.sqrt(sum(variances)) / len(variances)
    least = max(ROUNDING * np.abs(columns).max(), SCORES_OF_OTHER_CLASSES.threshold * spread)
    if gain > least:
        moved = next(c for c in range(n_classes) if order[c] != c and present[c])
        yield SCORES_OF_OTHER_CLASSES(
            model=model,
            order=", ".join(map(repr, classes[:8])) + (" and so on" if n_classes > 8 else ""),
            first=repr(classes[moved]),
            second=repr(classes[int(order[moved])]),
        )
