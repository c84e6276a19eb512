"""Naive Bayes for continuous features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InsufficientData
from thetahat.learners._bayes_rule import BayesRule
from thetahat.learners._training_parts import check_two_classes, class_weights, read_weights
from thetahat.learners.base import FastLearner, OverSplits
from thetahat.learners.fast.naive_bayes.gaussian_over_splits import GaussianSplits
from thetahat.learners.fast.naive_bayes.gaussian_rows import gaussian_rows
from thetahat.parameter_checks import check_not_negative
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianNaiveBayes(FastLearner):
    r"""A classifier of features that are normal and independent conditional on the class.

    :math:`m_{cj}` is the weighted mean of feature j in class c and :math:`v_{cj}` its weighted
    variance (divided by the weight of the class) plus :math:`\epsilon` times the largest
    unweighted variance of a feature in the training part.

    Parameters
    ----------
    variance_smoothing : float
        :math:`\epsilon`, at least 0.

    Deviations: the smoothing of the variances is scikit-learn's; the source has none.

    Under cross-validation the moments of the rows left out are subtracted from those of all rows,
    class by class. A split in which that could change the eighth digit is fitted from its rows.

    Degenerate cases: a class that is absent from the training part has probability 0; a training
    part with a single class is refused. So is a variance of 0, which occurs only with
    ``variance_smoothing`` 0 or if all features are constant.
    """

    variance_smoothing: float = 1e-9

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Gaussian naive Bayes",
        summary=(
            "A classifier of measurements: each feature is normal with its own mean and variance "
            "in each class, and independent of the others given the class."
        ),
        formula=(
            r"\log \pi_c - \frac{1}{2} \sum_j [\log (2 \pi v_{cj}) + (x_j - m_{cj})^2 / v_{cj}]"
        ),
        references=("hastie2009",),
        assumptions="Features are normal and independent given the class.",
        errs=(
            "Dependent features are counted several times and heavy tails are taken for proof: "
            "probabilities come out too near 0 or 1."
        ),
    )
    tasks: ClassVar[frozenset[str]] = frozenset({"classification"})
    gives_scores: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_not_negative("variance_smoothing", self.variance_smoothing)

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
        rng: np.random.Generator,
    ) -> BayesRule:
        """Compute mean and variance of each feature in each class."""
        del rng
        X = features.complete_matrix()
        w = read_weights(weights, len(y))
        totals = class_weights(y, w, n_classes)
        check_two_classes(totals)
        present = np.flatnonzero(totals)
        # Centred on the mean of all rows, so that columns far from 0 lose no digits.
        centre = X.mean(axis=0)
        centred = X - centre
        means, variances = np.empty((2, len(present), X.shape[1]))
        for at, code in enumerate(present):
            of_class = y == code
            rows, row_weights = centred[of_class], w[of_class]
            means[at] = np.average(rows, axis=0, weights=row_weights)
            variances[at] = np.average((rows - means[at]) ** 2, axis=0, weights=row_weights)
        variances += self.variance_smoothing * np.var(centred, axis=0).max()
        _check_positive(variances, features)
        return BayesRule(
            present=present,
            log_prior=np.log(totals[present] / totals.sum()),
            log_likelihood=lambda of: _log_density(of.complete_matrix() - centre, means, variances),
            n_classes=n_classes,
        )

    def prepare_splits(
        self, features: Features, y: np.ndarray, w: FloatArray, n_classes: int
    ) -> OverSplits:
        """Compute the class moments of all rows, from which those of a block are subtracted."""
        rows = gaussian_rows(features, y, w, n_classes)
        return GaussianSplits(rows, self.variance_smoothing)


def _check_positive(variances: FloatArray, features: Features) -> None:
    flat = np.argwhere(variances <= 0)
    if len(flat):
        name = features.column_name(int(flat[0, 1]))
        raise InsufficientData(
            f"Column {name!r} does not vary inside a class of the training part, so it has no "
            "normal density. Leave the column out or raise variance_smoothing.",
            loc=("columns", "features", name),
        )


def _log_density(X: FloatArray, means: FloatArray, variances: FloatArray) -> FloatArray:
    """Return (n, C') log densities, one class at a time to save memory."""
    log_density = np.empty((len(X), len(means)))
    for at, (mean, variance) in enumerate(zip(means, variances, strict=True)):
        squares = ((X - mean) ** 2 / variance).sum(axis=1)
        log_density[:, at] = -0.5 * (np.log(2 * np.pi * variance).sum() + squares)
    return log_density
