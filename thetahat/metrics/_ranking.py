"""Rows sorted by their score, areas under the ROC and precision-recall curves, and influences."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from thetahat.numerics.loops.compiling import compiled
from thetahat.values.types import BoolArray, FloatArray, IntArray

AnyArray = TypeVar("AnyArray", FloatArray, IntArray)


class Ranking:
    """The rows in ascending order of their (m,) scores, with the positive ones marked.

    Rows with the same score form a group, and no result depends on their order in it.
    """

    def __init__(self, scores: FloatArray, positive: BoolArray) -> None:
        self.order: IntArray = np.argsort(scores, kind="stable")
        ordered = scores[self.order]
        self.positive = positive[self.order].astype(np.float64)
        new = np.ones(len(scores), dtype=bool)
        new[1:] = ordered[1:] != ordered[:-1]
        self.starts: IntArray = np.flatnonzero(new)
        self.group: IntArray = np.cumsum(new) - 1

    @property
    def is_defined(self) -> bool:
        """Whether there are positive and negative rows."""
        return 0 < float(self.positive.sum()) < len(self.positive)

    def sum_groups(self, weights: FloatArray) -> FloatArray:
        """Return the (B, G) weights of the groups from (B, m) weights in ascending order."""
        if len(self.starts) == weights.shape[1]:
            return weights
        return np.asarray(np.add.reduceat(weights, self.starts, axis=1))

    def sum_by_class(self, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the (B, G) weights of the positive and of the negative rows of each group."""
        ordered = counts[:, self.order]
        positives = ordered * self.positive
        ordered -= positives
        return self.sum_groups(positives), self.sum_groups(ordered)

    def kinds(self) -> tuple[IntArray, int]:
        """Return the (m,) kind of each row, its group and class, and the number of kinds."""
        codes = 2 * self.group + self.positive.astype(np.intp)
        return self.to_rows(codes), 2 * len(self.starts)

    def compute_by_kernel(self, kernel: Callable[..., None], counts: FloatArray) -> FloatArray:
        """Return (B,) areas for (B, m) weights by a loop of ``numerics.loops.ranked_areas``."""
        last = np.ones(len(self.order), dtype=bool)
        last[:-1] = self.group[1:] != self.group[:-1]
        out = np.empty(len(counts))
        order = self.order.astype(np.uint32)
        compiled(kernel)(np.ascontiguousarray(counts), order, self.positive, last, out)
        return out

    def compute_unit_weights(self) -> tuple[FloatArray, FloatArray]:
        """Return the (G,) numbers of positive and of negative rows of each group."""
        n_groups = len(self.starts)
        positives = np.bincount(self.group, weights=self.positive, minlength=n_groups)
        sizes = np.bincount(self.group, minlength=n_groups).astype(np.float64)
        return positives.astype(np.float64), sizes - positives

    def to_rows(self, by_order: AnyArray) -> AnyArray:
        """Return values in ascending order as values by row."""
        by_row = np.empty_like(by_order)
        by_row[self.order] = by_order
        return by_row


def compute_roc_areas(positives: FloatArray, negatives: FloatArray) -> FloatArray:
    """Return (B,) areas under the ROC curve for (B, G) weights; NaN if a class has no weight."""
    below = np.cumsum(negatives, axis=1)
    total = positives.sum(axis=1) * below[:, -1]
    below -= 0.5 * negatives
    wins = np.einsum("bg,bg->b", positives, below)
    return _divide_where_positive(wins, total)


def compute_average_precisions(positives: FloatArray, negatives: FloatArray) -> FloatArray:
    """Return (B,) average precisions for (B, G) weights; NaN without positive rows."""
    positives_so_far = np.cumsum(positives[:, ::-1], axis=1)
    rows_so_far = positives_so_far + np.cumsum(negatives[:, ::-1], axis=1)
    precision = np.divide(
        positives_so_far, rows_so_far, out=np.zeros_like(positives_so_far), where=rows_so_far > 0
    )
    return _divide_where_positive(
        np.einsum("bg,bg->b", positives[:, ::-1], precision), positives_so_far[:, -1]
    )


def compute_placements(ranking: Ranking, tie: float = 0.5) -> FloatArray:
    """Return, for each of (m,) rows, the share of the other class on the right side of its score.

    A row with an equal score counts ``tie``: one half, or 0.
    """
    positives, negatives = ranking.compute_unit_weights()
    below = np.cumsum(negatives) - (1 - tie) * negatives
    above = positives.sum() - np.cumsum(positives) + tie * positives
    of_group = np.where(
        ranking.positive > 0,
        (below / negatives.sum())[ranking.group],
        (above / positives.sum())[ranking.group],
    )
    return ranking.to_rows(of_group)


def compute_precision_slopes(ranking: Ranking) -> FloatArray:
    r"""Return the (m,) values of the influence function of average precision.

    With :math:`P_h` the positives of the h-th group, :math:`D_h` all rows at or above it,
    :math:`\pi` the share of positives and precision :math:`p_h`, a row of group g moves the
    average by

    .. math::
        \frac1\pi \Bigl[ y (p_g - \mathrm{AP}) + y \sum_{h \le g} \frac{P_h}{D_h}
        - \sum_{h \le g} \frac{P_h p_h}{D_h} \Bigr],

    the sums over groups whose score is not above its own.
    """
    positives, negatives = ranking.compute_unit_weights()
    positives_so_far = np.cumsum(positives[::-1])[::-1]
    rows_so_far = positives_so_far + np.cumsum(negatives[::-1])[::-1]
    precision, density = positives_so_far / rows_so_far, positives / rows_so_far
    average = float(positives @ precision) / positives_so_far[0]
    gained, lost = np.cumsum(density), np.cumsum(density * precision)
    share = positives_so_far[0] / len(ranking.positive)
    of_row = ranking.positive * (precision - average + gained)[ranking.group] - lost[ranking.group]
    return ranking.to_rows(of_row / share)


def _divide_where_positive(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    undefined = np.full_like(numerator, np.nan)
    return np.asarray(np.divide(numerator, denominator, out=undefined, where=denominator > 0))
