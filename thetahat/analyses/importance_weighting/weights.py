"""Weights for the fits and for the risks: estimated once, or inside each training part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.analyses.importance_weighting.samples import Shift
from thetahat.errors import EvaluationError, InsufficientData, UnsupportedCombination
from thetahat.importance_weights import (
    IMPORTANCE_WEIGHTS,
    ImportanceWeights,
    Samples,
    WeightEstimator,
)
from thetahat.seeds import stream
from thetahat.values.types import FloatArray

_LARGEST: Final = 1e140


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ShiftWeights:
    """The weights of one evaluation.

    Parameters
    ----------
    weighing : Weighing
        From the whole source; the refit uses it.
    validation : ndarray of float
        (n,) weight of each row's validation loss.
    of_fits : tuple of ndarray or None
        (K,) of (n,) weights, of which the fit without fold k takes those of its training part;
        None where all fits take ``weighing``.
    target_values : ndarray of float or None
        (m,) the weights' function at the target rows, where there is one; with a function for
        each fold their average, weighted by the folds' sizes.
    """

    weighing: ImportanceWeights
    validation: FloatArray
    of_fits: tuple[FloatArray, ...] | None = None
    target_values: FloatArray | None = None

    def of_fit(self, k: int) -> FloatArray:
        """(n,) weights for the fit without fold k."""
        return self.weighing.values if self.of_fits is None else self.of_fits[k]

    def second_moment(self) -> tuple[float, float] | None:
        """Return the mean of the weights over the target and its variance; None if not known.

        The mean of the density ratio over the target is the mean of its square over the source.
        """
        if self.target_values is None or len(self.target_values) < 2:
            return None
        mean = float(self.target_values.mean())
        return mean, float(self.target_values.var(ddof=1) / len(self.target_values))


def weights_on_all(method: WeightEstimator, shift: Shift, seed: int) -> ShiftWeights:
    """Estimate the weights from all source and target rows, as the source text does.

    The validation rows have a part in their own weights and, through the weights, in the fits.

    Source: kouw2019, section 5.2.
    """
    weighing = method.estimate(shift.samples(), stream(seed, "weights"))
    return ShiftWeights(
        weighing=weighing, validation=weighing.values, target_values=weighing.target_values
    )


def weights_in_training(method: WeightEstimator, shift: Shift, seed: int) -> ShiftWeights:
    """Estimate the weights inside each training part, from it and the target.

    The fit without fold k is weighted by what its training rows and the target give, and the rows
    of fold k by the same function, which has not seen them. The refit takes the whole source.

    Degenerate cases: weights that are ``given`` are the same either way.
    """
    check_in_training(method)
    on_all = weights_on_all(method, shift, seed)
    if method.info.weights.are_given:
        return on_all
    samples = shift.samples()
    validation, of_fits = np.empty(shift.n), []
    target_values: FloatArray | None = np.zeros(shift.m)
    for k in range(shift.n_folds):
        split = shift.split(k)
        try:
            part = Samples(samples.source[split.train], samples.target)
            weighing = method.estimate(part, stream(seed, "weights in training", k))
        except EvaluationError as error:
            message = f"in the training part of fold {split.label!r}: {error.message}"
            raise type(error)(message, loc=error.loc, value=error.value) from error
        own = np.zeros(shift.n)
        own[split.train] = weighing.values
        of_fits.append(own)
        validation[split.test] = _at(weighing, samples.source[split.test], split.test)
        share = len(split.test) / shift.n
        if target_values is not None:
            values = weighing.target_values
            target_values = None if values is None else target_values + share * values
    return ShiftWeights(
        weighing=on_all.weighing,
        validation=validation,
        of_fits=tuple(of_fits),
        target_values=target_values,
    )


def check_in_training(method: WeightEstimator) -> None:
    """Refuse an estimator that cannot weigh rows it has not seen."""
    if not method.info.weights.has_function:
        fit = ", ".join(
            name for name, kind in IMPORTANCE_WEIGHTS.items() if kind.info.weights.has_function
        )
        raise UnsupportedCombination(
            f"{method.info.name} weighs the rows it is given and no others, so it cannot be "
            f"estimated inside training parts; {fit} can",
            loc=("weights_from",),
            value=method.info.name,
        )


def _at(weighing: ImportanceWeights, rows: FloatArray, places: np.ndarray) -> FloatArray:
    """Return the weights of other rows, refused where one is beyond the range of numbers."""
    assert weighing.weight_function is not None  # noqa: S101 - check_in_training saw to it
    values = weighing.weight_function(rows)
    fit = values <= _LARGEST
    if not fit.all():
        at = int(places[int(np.argmin(fit))])
        raise InsufficientData(
            f"source row {at} would have a weight beyond {_LARGEST:g} by the function of the "
            "training part without it: it lies where hardly any other source row is",
            loc=("weights_from",),
            value=at,
        )
    return values
