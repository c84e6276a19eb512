"""The model confidence set of Hansen, Lunde and Nason."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from thetahat.cautions import INFINITE_STATISTIC, Caution
from thetahat.multiple_tests._resampled_means import (
    MOST_COUNTED,
    SMALL_SAMPLE,
    SmallSample,
    bootstrap_deviations,
    check_n_resamples,
    exceeded,
    inflation,
    n_resamples_of,
    ratios,
    roundings_of,
    unit_shares,
)
from thetahat.multiple_tests._rows import Rows, no_difference, row_refusal, rows_of
from thetahat.multiple_tests.base import OmnibusOutcome, alpha_of, check_alpha
from thetahat.paired_tests._choices import check_choice
from thetahat.paired_tests._units import unit_of
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import LossTable
from thetahat.values.layout import Layout
from thetahat.values.types import UNITS, FloatArray, Needs, Target, UnitName

Statistic = Literal["range", "max"]
STATISTICS = ("range", "max")


@dataclass(frozen=True, slots=True)
class ModelConfidenceSet:
    r"""The models that hold the best one with a given confidence, by stepwise elimination.

    .. math::

        T_R = \max_{i,j \in M} \frac{\bar d_{ij}}{\hat\sigma(\bar d_{ij})}, \qquad
        T_{\max} = \max_{i \in M} \frac{\bar d_{i \cdot}}{\hat\sigma(\bar d_{i \cdot})}

    with :math:`\bar d_{ij} = \bar L_i - \bar L_j` the difference of mean losses,
    :math:`\bar d_{i \cdot}` the mean loss of model i less the average over the models in M, and
    standard errors about the observed value over B resamples of the units. While equality is
    rejected, the model i that attains the maximum is taken out of M. A model's p-value is the
    largest of the steps up to the one that takes it out, and the set at alpha is the models
    whose p-value is above alpha. The reference of a step is the same maximum of the resampled
    deviations. Statistic and p-value of the outcome are those of the first step, all models.

    Assumes independent units, and enough of them that mean differences are near normal. Errors
    are not estimated anew in each resample, which makes the source's form liberal: with 20 units
    and eight equal models it rejects at .1 in one of four tables, and with 5 in four of five.
    ``student`` multiplies each draw's reference by :math:`\sqrt{n / \chi^2_{n-1}}`, which takes
    that to .15 and .4, and changes nothing for many units. Over instances of
    random folds it compares the fitted models, and is liberal as a test of the learners.

    Source: hansen2011 (its section 3.1.2 for both statistics); phipson2010 for the one that is
    added.

    Deviations: ``student``, which ``small_sample`` of ``none`` leaves out. Units are resampled with
    replacement one by one (clusters by size), not in blocks of time. p = (count + 1) / (B + 1),
    never 0 by the luck of the draw. With more than 131 072 units the counts of a resample are
    replaced by normal multipliers of equal mean and variance.

    Degenerate cases: models with equal losses have t = 0 and leave together with p-values that
    are alike. A difference that is the same for every unit has no error: T is infinite, so there
    is no statistic, and the step's p-value is 0. No difference at all gives p = 1 and all models.

    Parameters
    ----------
    statistic : str
        ``range`` (every pair) or ``max`` (each model against the average).
    small_sample : str
        ``student``: the reference allows for standard errors that are estimated. ``none``: it does
        not, as in the source.
    alpha : float or None
        In (0, 1): the set holds the best model with probability 1 - alpha at least. Left out:
        1 - the request's level.
    n_resamples : int or None
        B, in 99 to 100 000. Left out: 5000.
    unit : str or None
        What is resampled: ``instance``, ``cluster`` or ``block``. Left out: blocks for sources;
        for random folds and a holdout clusters, where they are known, or instances.
    """

    statistic: Statistic = "range"
    small_sample: SmallSample = "student"
    alpha: float | None = None
    n_resamples: int | None = None
    unit: UnitName | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        name="model_confidence_set",
        title="Model confidence set",
        summary=(
            "The models that cannot be told from the best: worse ones are taken out one at a "
            "time, until the test of equal mean losses no longer rejects."
        ),
        formula=(
            r"T_R = \max_{i,j} \bar d_{ij} / \hat\sigma(\bar d_{ij}), \quad"
            r" T_{\max} = \max_i \bar d_{i \cdot} / \hat\sigma(\bar d_{i \cdot})"
        ),
        references=("hansen2011", "phipson2010"),
        assumptions="Independent units (instances, clusters or blocks), and many of them.",
        errs=(
            "Liberal with few units: with 20 and eight equal models it rejects at .1 in 15 % of "
            "cases, with 5 in 40 %. With many models and few units the set is large, which means "
            "that the data say little, not that the models are alike. Over instances of random "
            "folds it speaks of the fitted models alone."
        ),
        needs=Needs.SPLITS,
        targets=(Target.NEW_SOURCE, Target.THESE_SOURCES, Target.THESE_MODELS),
    )

    def __post_init__(self) -> None:
        check_choice("statistic", self.statistic, STATISTICS)
        check_choice("small_sample", self.small_sample, SMALL_SAMPLE)
        check_alpha(self.alpha)
        check_n_resamples(self.n_resamples)
        check_choice("unit", self.unit, UNITS)

    def inapplicable(self, layout: Layout, n_models: int) -> str | None:
        """Say why there are no such units, or too few units or models, or None."""
        return row_refusal(self.info.name, layout, n_models, unit_of(layout, self.unit))

    def test(self, table: LossTable, rng: np.random.Generator) -> OmnibusOutcome:
        """Test that all models have equal mean losses, and find those tied with the best."""
        rows = rows_of(table, unit_of(table.layout, self.unit))
        alpha, shares = alpha_of(self.alpha), unit_shares(table, rows)
        shift = float(rows.losses[0, 0])
        shifted = rows.losses - shift
        centre = shares @ shifted
        drawn = bootstrap_deviations(
            shifted - centre, shares, n_resamples_of(self.n_resamples), rng
        )
        eliminate = by_range if self.statistic == "range" else by_largest_mean
        n, n_drawn = rows.n_rows, drawn.shape[1]
        inflated = inflation(self.small_sample, n, n - 1, n_drawn, rng)
        found = eliminate(centre, drawn, inflated, roundings_of(rows.losses))
        kept = [rows.names[i] for i in found.best_first if found.p_values[i] > alpha]
        return OmnibusOutcome(
            statistic=found.statistic if math.isfinite(found.statistic) else None,
            p_value=found.p_value,
            degrees_of_freedom=None,
            target=rows.target,
            unit=rows.unit,
            cautions=_cautions(rows, found),
            details={
                "rows": rows.n_rows,
                "alpha": alpha,
                "n_resamples": n_drawn,
                "small_sample": self.small_sample,
                "resampling": "counts" if rows.n_rows <= MOST_COUNTED else "normal_multipliers",
                "mean_losses": rows.by_model(shift + centre),
                "eliminated": [rows.names[i] for i in found.eliminated],
                "mcs_p_values": rows.by_model(found.p_values),
                "set": kept,
                "tied": [kept],
            },
        )


def _cautions(rows: Rows, found: Elimination) -> tuple[Caution, ...]:
    if math.isinf(found.statistic):
        return (
            *rows.cautions,
            INFINITE_STATISTIC(unit=rows.unit),
        )
    if found.statistic == 0:
        return (*rows.cautions, no_difference(rows))
    return rows.cautions


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


def _worst(t: FloatArray, means: FloatArray) -> int:
    """Return the place of the largest t; of equal ones the largest mean loss."""
    return int(np.lexsort((means, t))[-1])


def _told(statistic: float, eliminated: list[int], last: int, steps: list[float]) -> Elimination:
    p_values = np.ones(len(eliminated) + 1)
    p_values[np.array(eliminated, dtype=np.intp)] = np.maximum.accumulate(steps)
    return Elimination(statistic, steps[0], eliminated, last, p_values)


METHOD = ModelConfidenceSet
