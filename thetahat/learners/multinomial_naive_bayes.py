"""Naive Bayes for counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.features import Features
from thetahat.learners._class_sums import entries, matrix_of, scores, shortened, sums_by_class
from thetahat.learners._count_bayes import MOST_DOUBT, CountsOverSplits, rounding_of_sums
from thetahat.learners._count_rows import CountRows
from thetahat.learners._naive_bayes import BayesRule, check_smoothing
from thetahat.learners._parts import check_two_classes, class_weights, weights_of
from thetahat.learners._smoothing_path import SmoothingPath
from thetahat.learners.base import OverSplits, Plain
from thetahat.registry import MethodInfo
from thetahat.types import FloatArray

if TYPE_CHECKING:
    from thetahat.sparse import CsrMatrix


@dataclass(frozen=True, slots=True, kw_only=True)
class MultinomialNaiveBayes:
    r"""A classifier of counts (words of a text): each class draws its counts from a multinomial.

    .. math:: \log p(c | x) = \log \pi_c + \sum_j x_j \log \theta_{cj} + \text{const}, \quad
              \theta_{cj} = \frac{N_{cj} + \alpha}{N_c + \alpha p}

    with :math:`N_{cj}` the weighted sum of feature j over class c, :math:`N_c` its sum over the
    p features, and :math:`\pi_c` the weighted share of the class in the training part.

    Parameters
    ----------
    smoothing : float
        :math:`\alpha`, greater than 0; 1 is Laplace's.

    Assumptions: features are counts, or at least not negative, and independent given the class.
    They are not, so the class is often right and its probability too near 0 or 1.

    Source: mccallum1998 (the multinomial event model).

    Under cross-validation the counts of a block are subtracted from those of all rows, where all
    are whole numbers; leave-one-out changes but the words of one row in its own class.

    Degenerate cases: a class that is absent from the training part has probability 0; one class
    alone is refused.
    """

    smoothing: float = 1.0

    info: ClassVar[MethodInfo] = MethodInfo(
        name="multinomial_naive_bayes",
        title="Multinomial naive Bayes",
        summary=(
            "A classifier of counts, such as the words of a text: features are independent draws "
            "of a multinomial, given the class."
        ),
        formula=(
            r"\log \pi_c + \sum_j x_j \log \theta_{cj}, \quad "
            r"\theta_{cj} = (N_{cj} + \alpha) / (N_c + \alpha p)"
        ),
        references=("mccallum1998", "manning2008"),
        assumptions="Features are not negative and are independent given the class.",
        errs=(
            "Dependent features are counted several times: probabilities come out too near 0 "
            "or 1, which the log loss punishes and the zero-one loss does not see."
        ),
    )
    tasks: ClassVar[frozenset[str]] = frozenset({"classification"})
    takes_weights: ClassVar[bool] = True
    path_parameter: ClassVar[str] = "smoothing"

    def __post_init__(self) -> None:
        check_smoothing(self.smoothing)

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
        rng: np.random.Generator,
    ) -> BayesRule:
        """Count each feature in each class."""
        del rng
        counts = _counts(features)
        w = weights_of(weights, len(y))
        totals = class_weights(y, w, n_classes)
        check_two_classes(totals)
        present = np.flatnonzero(totals)
        sums = sums_by_class(counts, np.arange(len(y)), y, w, n_classes)
        table, constant = self.terms(sums[present], totals[present])
        return BayesRule(
            present=present,
            log_prior=np.log(totals[present] / totals.sum()),
            log_likelihood=lambda of: scores(_counts(of), None, table) + constant,
            n_classes=n_classes,
        )

    def over_splits(
        self, features: Features, y: np.ndarray, *, weights: FloatArray | None, n_classes: int
    ) -> OverSplits | Plain:
        """Count in all rows, from which the counts of a block are subtracted."""
        rows = self._rows(features, y, weights, n_classes)
        return rows if isinstance(rows, Plain) else CountsOverSplits(rows, self)

    def over_path(
        self,
        values: Sequence[Any],
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
    ) -> SmoothingPath | Plain:
        """Count once for every smoothing."""
        rows = self._rows(features, y, weights, n_classes)
        models = [replace(self, smoothing=value) for value in values]
        return rows if isinstance(rows, Plain) else SmoothingPath(rows, models)

    def _rows(
        self, features: Features, y: np.ndarray, weights: FloatArray | None, n_classes: int
    ) -> CountRows | Plain:
        try:
            counts = _checked(features, shortened(matrix_of(features)))
        except EvaluationError as error:
            return Plain(error.message)
        return CountRows(counts, y, np.ones(len(y)) if weights is None else weights, n_classes)

    def terms(self, sums: FloatArray, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(C', p) logs of the shares of the features in each class, and zeros."""
        smoothed = sums + self.smoothing
        table = np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))
        return table, np.zeros(len(totals))

    def odds(self, sums: FloatArray, totals: FloatArray) -> tuple[FloatArray, float]:
        r"""Return the second row of ``terms`` less the first, and 0."""
        del totals
        smoothed = sums + self.smoothing
        all_of_first, all_of_second = smoothed.sum(axis=1)
        odds = np.divide(smoothed[1], smoothed[0], out=smoothed[0])
        odds *= all_of_first / all_of_second
        return np.log(odds, out=odds), 0.0

    def one_left_out(self, rows: CountRows) -> FloatArray:
        """(n,) log-likelihood of each row under its class without it: its own words change."""
        y, w = rows.y, rows.weights
        sums, totals = rows.sums, rows.sums.sum(axis=1)
        slack = 0.0 if rows.is_exact else rounding_of_sums(len(y))
        own = np.empty(len(y))
        for some, row, column, count in entries(rows.matrix):
            codes, weights, n = y[some], w[some], some.stop - some.start
            before = sums[codes[row], column]
            after = before - weights[row] * count + self.smoothing
            length = np.bincount(row, count, n)
            all_after = totals[codes] - weights * length + self.smoothing * sums.shape[1]
            said = np.bincount(row, count * np.log(after), n) - length * np.log(all_after)
            doubt = np.bincount(row, count * before / after, n)
            doubt += length * totals[codes] / all_after
            own[some] = np.where(slack * doubt < MOST_DOUBT, said, np.nan)
        return own


def _counts(features: Features) -> FloatArray | CsrMatrix:
    return _checked(features, matrix_of(features))


def _checked(features: Features, counts: FloatArray | CsrMatrix) -> FloatArray | CsrMatrix:
    stored = counts if isinstance(counts, np.ndarray) else counts.data
    if stored.min(initial=0.0) < 0:
        _refuse_negative(features, counts)
    return counts


def _refuse_negative(features: Features, counts: FloatArray | CsrMatrix) -> NoReturn:
    if isinstance(counts, np.ndarray):
        position, column = (int(i) for i in np.argwhere(counts < 0)[0])
    else:
        at = int(np.argmax(counts.data < 0))
        position = int(np.searchsorted(counts.indptr, at, side="right")) - 1
        column = int(counts.indices[at])
    value = float(counts[position, column])
    row, name = features.row_number(position), features.column_name(column)
    raise InvalidParameter(
        f"multinomial_naive_bayes takes counts, and column {name!r} is {value} in row {row}; "
        "gaussian_naive_bayes takes any number",
        loc=("columns", "features", name, row),
        value=value,
    )


METHOD = MultinomialNaiveBayes
