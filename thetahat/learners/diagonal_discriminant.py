"""Diagonal discriminant analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.learners.fast.discriminants.class_means import Priors, Shape
from thetahat.learners.fast.discriminants.discriminant_learner import DiscriminantLearner
from thetahat.registry import MethodInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagonalDiscriminant(DiscriminantLearner):
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
    shape: ClassVar[Shape] = "diagonal"
