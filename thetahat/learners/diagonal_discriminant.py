"""Diagonal discriminant analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.learners._training_parts import read_columns
from thetahat.learners.base import FastLearner, OrdinaryFit, OverSplits
from thetahat.learners.fast.discriminants.class_means import Discriminant, Priors, fit_discriminant
from thetahat.learners.fast.discriminants.leave_one_out import discriminant_over_splits
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagonalDiscriminant(FastLearner):
    r"""A classifier with independent features in each class and variances common to all classes.

    .. math:: v_j = \frac{\sum_i w_i (x_{ij} - m_{y_i j})^2}{\sum_i w_i}

    Parameters
    ----------
    priors : {"shares", "equal"}
        :math:`\pi_c`: the share of the class in the weight of the training part, or one over the
        number of classes there.

    Under cross-validation the sums of the rows left out are subtracted from those of all rows. A
    split in which that could change the eighth digit is fitted from its rows.

    Deviations: the source has no weights, and divides by the number of rows minus the number of
    classes; here the divisor is the weight of the rows, as in scikit-learn.

    Degenerate cases: a feature that does not vary within the classes is ignored; a class
    that is absent from the training part has probability 0; a training part with a single class is
    refused, and also one in which no feature varies within the classes.
    """

    priors: Priors = "shares"

    info: ClassVar[MethodInfo] = MethodInfo(
        name="diagonal_discriminant",
        title="Diagonal linear discriminant analysis",
        summary=(
            "Linear discriminant analysis without correlations: each feature has one variance, "
            "the same in all classes. Made for more features than rows."
        ),
        formula=(
            r"\log p(c | x) = -\frac{1}{2} \sum_j (x_j - m_{cj})^2 / v_j "
            r"+ \log \pi_c + \mathrm{const}"
        ),
        references=("dudoit2002",),
        assumptions="Within classes features are normal and independent, of one variance each.",
        errs=(
            "Correlated features are counted several times, so probabilities lie too near 0 or "
            "1; the border can still be good."
        ),
    )
    tasks: ClassVar[frozenset[str]] = frozenset({"classification"})
    takes_weights: ClassVar[bool] = True
    gives_scores: ClassVar[bool] = True

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
        rng: np.random.Generator,
    ) -> Discriminant:
        """Compute class means and within-class variances."""
        del rng
        return fit_discriminant(
            features, y, weights, n_classes, shape="diagonal", priors=self.priors
        )

    def over_splits(
        self, features: Features, y: np.ndarray, *, weights: FloatArray | None, n_classes: int
    ) -> OverSplits | OrdinaryFit:
        """Compute the within-class sums of squares of all rows."""
        columns = read_columns(features)
        if isinstance(columns, OrdinaryFit):
            return columns
        return discriminant_over_splits(
            columns, y, weights, n_classes, shape="diagonal", priors=self.priors
        )


METHOD = DiagonalDiscriminant
