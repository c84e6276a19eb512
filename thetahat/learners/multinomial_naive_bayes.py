"""Naive Bayes for counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NoReturn

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.learners._count_learner import CountLearner
from thetahat.parameter_checks import check_positive
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix


@dataclass(frozen=True, slots=True, kw_only=True)
class MultinomialNaiveBayes(CountLearner):
    r"""A classifier of counts (words of a text) with a multinomial distribution for each class.

    :math:`N_{cj}` is the weighted sum of feature j over class c, :math:`N_c` its sum over the
    p features, and :math:`\pi_c` the weighted share of the class in the training part. It is the
    multinomial event model of the source.

    Parameters
    ----------
    smoothing : float
        :math:`\alpha`, greater than 0; 1 is Laplace's.

    Degenerate cases: a class that is absent from the training part has probability 0; a training
    part with a single class is refused.
    """

    smoothing: float = 1.0

    info: ClassVar[MethodInfo] = MethodInfo(
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

    def __post_init__(self) -> None:
        check_positive("smoothing", self.smoothing)

    def counts(self, features: Features) -> FloatArray | CsrMatrix:
        """Return the (n, p) counts; raises for a negative value."""
        counts = features.sparse_matrix() if features.wide else features.complete_matrix()
        stored = counts if isinstance(counts, np.ndarray) else counts.data
        if stored.dtype.kind != "u" and stored.min(initial=0.0) < 0:
            _refuse_negative(features, counts)
        return counts

    def terms(self, sums: FloatArray, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (C', p) log shares of the features in each class, and zeros."""
        table = np.log(sums + self.smoothing)
        table -= np.log(sums.sum(axis=1) + sums.shape[1] * self.smoothing)[:, None]
        return table, np.zeros(len(totals))


def _refuse_negative(features: Features, counts: FloatArray | CsrMatrix) -> NoReturn:
    if isinstance(counts, np.ndarray):
        position, column = (int(i) for i in np.argwhere(counts < 0)[0])
    else:
        at = int(np.argmax(counts.data < 0))
        position = int(np.searchsorted(counts.indptr, at, side="right")) - 1
        column = int(counts.indices[at])
    value = float(counts[position, column])
    row, name = features.get_row_number(position), features.column_name(column)
    raise InvalidParameter(
        f"multinomial_naive_bayes takes counts, and column {name!r} is {value} in row {row}. "
        "gaussian_naive_bayes takes any number.",
        loc=("columns", "features", name, row),
        value=value,
    )
