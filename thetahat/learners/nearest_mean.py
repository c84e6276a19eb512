"""The nearest class mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.learners.fast.discriminants.class_means import Priors, Shape
from thetahat.learners.fast.discriminants.discriminant_learner import DiscriminantLearner
from thetahat.registry import MethodInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestMean(DiscriminantLearner):
    r"""A classifier that predicts the class with the nearest mean.

    .. math:: \sigma^2 = \frac{\sum_i w_i \|x_i - m_{y_i}\|^2}{p \sum_i w_i}

    with p the number of features. With equal priors the class is that of the nearest mean, whatever
    :math:`\sigma^2` is; only the probabilities depend on it.

    Parameters
    ----------
    priors : {"shares", "equal"}
        :math:`\pi_c`: the share of the class in the weight of the training part, or one over the
        number of classes there.

    Under cross-validation the sums of the rows left out are subtracted from those of all rows. A
    split in which that could change the eighth digit is fitted from its rows.

    If features are not in comparable units, put ``standardise`` first in ``prepare``.

    Deviations: the source shrinks the means; here they are not shrunk.

    Degenerate cases: of means that are equally near, that of the lowest class is taken; with as
    many classes as rows there is no variation within classes, and the nearest mean has probability
    1; a class that is absent from the training part has probability 0; a training part with a
    single class is refused.
    """

    priors: Priors = "equal"

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Nearest mean",
        summary=(
            "The class whose mean is nearest, with probabilities as if the classes were round "
            "normal clouds of one size."
        ),
        formula=(r"\log p(c | x) = -\|x - m_c\|^2 / (2 \sigma^2) + \log \pi_c + \mathrm{const}"),
        references=("hastie2009",),
        assumptions="Numeric features in comparable units.",
        errs=(
            "A feature in large units decides alone; probabilities lie too near 0 or 1 where "
            "features are correlated."
        ),
    )
    shape: ClassVar[Shape] = "spherical"
