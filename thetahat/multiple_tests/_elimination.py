"""Stepwise elimination of models by resampled maxima of their differences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thetahat.multiple_tests._resampled_means import ratios
from thetahat.values.types import FloatArray

_SAME = 1e-9  # of T: maxima this close are equal but for rounding


@dataclass(frozen=True, slots=True, eq=False)
class Elimination:
    """Which models left in which order, and how surely.

    Parameters
    ----------
    statistic : float
        Of the first step; infinite where a difference has no error.
    p_value : float
        Of the first step.
    eliminated : list of int
        (k - 1,) models in the order in which they leave, the worst first.
    last : int
        The model that is left.
    p_values : ndarray of float
        (k,) running maximum over the steps up to the one that takes the model out; 1 for the
        last.
    """

    statistic: float
    p_value: float
    eliminated: list[int]
    last: int
    p_values: FloatArray

    @property
    def best_first(self) -> list[int]:
        """All models, the last one left first."""
        return [self.last, *reversed(self.eliminated)]


def by_range(
    means: FloatArray, drawn: FloatArray, inflated: FloatArray, roundings: FloatArray
) -> Elimination:
    """Eliminate by the largest difference of two models over its standard error.

    ``means`` is (k,), ``drawn`` (k, B) the resampled means less the observed ones, ``inflated``
    (B,) by how much each draw's reference is larger, ``roundings`` (k,). The order of
    elimination does not depend on the resampled maxima, so that they are found from the last
    set on, by adding one model at a time: B times the number of pairs.
    """
    k = len(means)
    errors = np.zeros((k, k))
    for i in range(1, k):
        apart = drawn[:i] - drawn[i]
        errors[i, :i] = errors[:i, i] = np.sqrt(
            np.einsum("jb,jb->j", apart, apart) / drawn.shape[1]
        )
    slack = np.maximum(roundings[:, np.newaxis], roundings)
    t = ratios(means[:, np.newaxis] - means, errors, slack)

    eliminated, statistics, left = [], [], np.arange(k)
    while len(left) > 1:
        worst = t[np.ix_(left, left)].max(axis=1)
        statistics.append(float(worst.max()))
        out = _worst(worst, means[left])
        eliminated.append(int(left[out]))
        left = np.delete(left, out)

    inverse = np.where(errors > slack, 1 / np.where(errors > slack, errors, 1.0), 0.0)
    largest, steps, inside = np.zeros(drawn.shape[1]), [], [int(left[0])]
    for model, statistic in zip(reversed(eliminated), reversed(statistics), strict=True):
        apart = np.abs(drawn[inside] - drawn[model]) * inverse[model, inside][:, np.newaxis]
        largest = np.maximum(largest, apart.max(axis=0))
        steps.append(exceeded(largest * inflated, statistic))
        inside.append(model)
    return _told(statistics[0], eliminated, int(left[0]), steps[::-1])


def by_largest_mean(
    means: FloatArray, drawn: FloatArray, inflated: FloatArray, roundings: FloatArray
) -> Elimination:
    """Eliminate by the largest mean loss against the average of the set, over its standard error.

    Arguments as for ``by_range``.
    """
    slack = np.full(len(means), roundings.max())
    eliminated, statistics, steps, left = [], [], [], np.arange(len(means))
    while len(left) > 1:
        apart = drawn[left] - drawn[left].mean(axis=0)
        errors = np.sqrt(np.einsum("jb,jb->j", apart, apart) / drawn.shape[1])
        t = ratios(means[left] - means[left].mean(), errors, slack[left])
        statistics.append(float(t.max()))
        sure = errors <= slack[left]
        scaled = apart / np.where(sure, np.inf, errors)[:, np.newaxis]
        steps.append(exceeded(scaled.max(axis=0) * inflated, statistics[-1]))
        out = _worst(t, means[left])
        eliminated.append(int(left[out]))
        left = np.delete(left, out)
    return _told(statistics[0], eliminated, int(left[0]), steps)


def exceeded(reference: FloatArray, statistic: float) -> float:
    """Return (count + 1) / (B + 1) of the (B,) reference values that reach the statistic.

    0 where the statistic is infinite.
    """
    if statistic == np.inf:
        return 0.0
    reached = int((reference >= statistic - _SAME * abs(statistic)).sum())
    return (reached + 1) / (len(reference) + 1)


def _worst(t: FloatArray, means: FloatArray) -> int:
    """Return the place of the largest t; of equal ones the largest mean loss."""
    return int(np.lexsort((means, t))[-1])


def _told(statistic: float, eliminated: list[int], last: int, steps: list[float]) -> Elimination:
    p_values = np.ones(len(eliminated) + 1)
    p_values[np.array(eliminated, dtype=np.intp)] = np.maximum.accumulate(steps)
    return Elimination(statistic, steps[0], eliminated, last, p_values)
