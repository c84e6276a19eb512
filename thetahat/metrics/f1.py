"""F1 score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal, get_args

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.metrics._classes import find_positive_code
from thetahat.metrics._confusion import average_known, build_table_statistic, compute_ratios
from thetahat.metrics.base import (
    Metric,
    TruthAndPredictions,
    WeightedMetric,
    check_resamples,
    describe_metric,
)
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray, Label

Average = Literal["binary", "macro", "micro", "weighted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class F1(Metric):
    r"""Harmonic mean of precision and recall.

    It is of the positive class (``binary``), its average over classes (``macro``) or over rows by
    their true class (``weighted``), or the same ratio of counts summed over classes (``micro``),
    which for one label per instance is the accuracy. With D the mean over rows of
    :math:`2\,tp_i + fp_i + fn_i`, the influence function of one class is

    .. math:: \mathrm{IF}_i = \frac{2\,tp_i - F\,(2\,tp_i + fp_i + fn_i)}{D},

    and that of an average is the average; where it is weighted, with W the average and
    :math:`F_{y_i}` that of the row's class, it has the further term :math:`F_{y_i} - W`.

    Deviations: the variance of macro F1 in takahashi2022 is the delta method over the table of
    classes, as here, but without the factor n/(n-1).

    Degenerate cases: undefined where no row is positive or predicted positive; ``macro`` is over
    the classes that occur, as in scikit-learn.

    Parameters
    ----------
    average : str
        ``binary``, ``macro``, ``micro`` or ``weighted``.
    positive : str or int or None
        The positive class of ``binary``; the second of two, if left out.
    n_resamples : int or None
        Of the bootstrap intervals; 0 for none. If left out, as in ``choose_n_resamples``.
    """

    average: Average = "binary"
    positive: Label | None = None
    n_resamples: int | None = None

    info: ClassVar[MethodInfo] = describe_metric(
        title="F1 score",
        summary=(
            "The harmonic mean of precision and recall of the positive class, its average over "
            "classes or rows, or the ratio of counts summed over classes."
        ),
        formula=r"\frac{2 TP}{2 TP + FP + FN}",
        references=("forman2010", "takahashi2022"),
        errs=(
            "The mean over small folds is biased, because F1 is a ratio. With few positives the "
            "normal interval is too short and may pass 1."
        ),
    )
    undefined_if: ClassVar[str] = "no row is, or is called, positive"

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)
        if self.average not in get_args(Average):
            listed = ", ".join(get_args(Average))
            raise InvalidParameter(
                f"average is not one of {listed}, got {self.average!r}.",
                loc=("average",),
                value=self.average,
            )
        if self.positive is not None and self.average != "binary":
            raise InvalidParameter(
                f"positive is for average binary, and average is {self.average}.",
                loc=("positive",),
                value=self.positive,
            )

    def statistic(self, judged: TruthAndPredictions) -> WeightedMetric:
        """Return the F1 score on those rows."""
        if self.average == "macro":
            return build_table_statistic(judged, _compute_macro_f1, _compute_macro_slopes)
        if self.average == "micro":
            return build_table_statistic(judged, _compute_micro_f1, _compute_micro_slopes)
        if self.average == "weighted":
            return build_table_statistic(judged, _compute_weighted_f1, _compute_weighted_slopes)
        code = find_positive_code(self.info.name, self.positive, judged.classes)
        return build_table_statistic(
            judged,
            partial(_compute_binary_f1, code=code),
            partial(_compute_binary_slopes, code=code),
        )

    def check(self, classes: tuple[Label, ...]) -> None:
        """Raise ``InvalidParameter`` if the positive class is not one of the classes."""
        if self.average == "binary":
            find_positive_code(self.info.name, self.positive, classes)


def _compute_f1_by_class(tables: FloatArray) -> FloatArray:
    hits = np.einsum("bcc->bc", tables)
    return compute_ratios(2 * hits, tables.sum(axis=1) + tables.sum(axis=2))


def _compute_binary_f1(tables: FloatArray, code: int) -> FloatArray:
    return _compute_f1_by_class(tables)[:, code]


def _compute_macro_f1(tables: FloatArray) -> FloatArray:
    return average_known(_compute_f1_by_class(tables), 1)


def _compute_micro_f1(tables: FloatArray) -> FloatArray:
    return compute_ratios(np.einsum("bcc->b", tables), tables.sum(axis=(1, 2)))


def _compute_weighted_f1(tables: FloatArray) -> FloatArray:
    support = tables.sum(axis=2)
    scores = np.nan_to_num(_compute_f1_by_class(tables))
    return compute_ratios((support * scores).sum(axis=1), support.sum(axis=1))


def _compute_binary_slopes(table: FloatArray, code: int) -> FloatArray:
    spread = table[code].sum() + table[:, code].sum()
    score = 2 * table[code, code] / spread
    slopes = np.zeros_like(table)
    slopes[code] -= score
    slopes[:, code] -= score
    slopes[code, code] += 2
    return np.asarray(slopes / spread)


def _compute_macro_slopes(table: FloatArray) -> FloatArray:
    occurring = np.flatnonzero(table.sum(axis=0) + table.sum(axis=1))
    return np.asarray(
        sum(_compute_binary_slopes(table, int(c)) for c in occurring) / len(occurring)
    )


def _compute_weighted_slopes(table: FloatArray) -> FloatArray:
    support = table.sum(axis=1)
    scores = np.nan_to_num(_compute_f1_by_class(table[None])[0])
    by_class = sum(
        support[c] * _compute_binary_slopes(table, int(c)) for c in np.flatnonzero(support)
    )
    total = support.sum()
    moved = scores[:, None] - (support @ scores) / total
    return np.asarray((by_class + moved) / total)


def _compute_micro_slopes(table: FloatArray) -> FloatArray:
    total = table.sum()
    return np.asarray((np.eye(len(table)) - np.trace(table) / total) / total)
