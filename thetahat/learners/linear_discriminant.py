"""Linear discriminant analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.learners.fast.discriminants.class_means import Priors, Shape
from thetahat.learners.fast.discriminants.discriminant_learner import DiscriminantLearner
from thetahat.registry import MethodInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearDiscriminant(DiscriminantLearner):
    r"""A classifier for normal classes with different means and a common covariance matrix.

    .. math:: \Sigma = \frac{\sum_i w_i (x_i - m_{y_i})(x_i - m_{y_i})^T}{\sum_i w_i}

    is the weighted mean of the products within the classes.

    Parameters
    ----------
    priors : {"shares", "equal"}
        :math:`\pi_c`: the share of the class in the weight of the training part, or one over the
        number of classes there.

    Under cross-validation the sums of squares and products of the rows left out are subtracted from
    those of all rows; for leave-one-out there is a closed form. A split in which that could change
    the eighth digit is fitted from its rows.

    Deviations: the source has no weights, and divides by the number of rows minus the number of
    classes; here the divisor is the weight of the rows, as in scikit-learn.

    Degenerate cases: directions in which nothing varies within the classes are ignored, as with
    collinear features, with more features than rows, and for a column that is constant in each
    class; a class that is absent from the training part has probability 0; a training part with a
    single class is refused, and also one in which no feature varies within the classes.
    """

    priors: Priors = "shares"

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Linear discriminant analysis",
        summary=(
            "A classifier with linear borders: the classes are normal with means of their own and "
            "one covariance matrix, estimated within the classes."
        ),
        formula=(
            r"\log p(c | x) = x^T \Sigma^{-1} m_c - \frac{1}{2} m_c^T \Sigma^{-1} m_c "
            r"+ \log \pi_c + \mathrm{const}"
        ),
        references=("hastie2009",),
        assumptions="Classes are normal and have the same covariance matrix.",
        errs=(
            "Where the classes' spreads differ the border is wrongly placed; with nearly as many "
            "features as rows the covariance matrix follows the noise and probabilities lie too "
            "near 0 or 1."
        ),
    )
    shape: ClassVar[Shape] = "full"
