"""The nearest class mean."""

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
class NearestMean(FastLearner):
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
        name="nearest_mean",
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
        """Compute class means and a common within-class variance."""
        del rng
        return fit_discriminant(
            features, y, weights, n_classes, shape="spherical", priors=self.priors
        )

    def over_splits(
        self, features: Features, y: np.ndarray, *, weights: FloatArray | None, n_classes: int
    ) -> OverSplits | OrdinaryFit:
        """Compute the within-class sums of squares of all rows."""
        columns = read_columns(features)
        if isinstance(columns, OrdinaryFit):
            return columns
        return discriminant_over_splits(
            columns, y, weights, n_classes, shape="spherical", priors=self.priors
        )


METHOD = NearestMean
