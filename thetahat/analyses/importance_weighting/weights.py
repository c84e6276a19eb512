"""Importance weights for fits and risks, from all rows or from each training part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.analyses.importance_weighting.samples import SourceAndTarget
from thetahat.errors import EvaluationError, InsufficientData, UnsupportedCombination
from thetahat.importance_weights import (
    IMPORTANCE_WEIGHTS,
    ImportanceWeights,
    Samples,
    WeightEstimator,
)
from thetahat.seeds import make_random_stream
from thetahat.values.types import FloatArray

_MAX_WEIGHT: Final = 1e140


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ShiftWeights:
    """Importance weights of one evaluation."""

    weighing: ImportanceWeights
    """Weights estimated from the whole source, which the refit uses."""
    validation: FloatArray
    """(n,) weight of each row's validation loss."""
    fit_weights: tuple[FloatArray, ...] | None = None
    """(K,) arrays of (n,) weights, one for the fit without each fold, 0 on that fold; None if all
    fits use the weights in ``weighing``."""
    target_values: FloatArray | None = None
    """(m,) values of the weight function at the target rows, averaged over the folds' functions by
    the sizes of the folds; None if the estimator has no such function."""

    def get_fit_weights(self, k: int) -> FloatArray:
        """Return (n,) weights for the fit without fold k."""
        return self.weighing.values if self.fit_weights is None else self.fit_weights[k]

    def second_moment(self) -> tuple[float, float] | None:
        """Return the mean weight over the target with its variance; None if unknown.

        The mean of the density ratio over the target is the mean of its square over the source.
        """
        if self.target_values is None or len(self.target_values) < 2:
            return None
        mean = float(self.target_values.mean())
        return mean, float(self.target_values.var(ddof=1) / len(self.target_values))


def estimate_weights_on_all_rows(
    method: WeightEstimator, shift: SourceAndTarget, seed: int
) -> ShiftWeights:
    """Estimate the weights once, from all source and target rows.

    The validation rows influence their own weights and, through the weights, the fits.

    Source: kouw2019, section 5.2.
    """
    weighing = method.estimate(shift.samples(), make_random_stream(seed, "weights"))
    return ShiftWeights(
        weighing=weighing, validation=weighing.values, target_values=weighing.target_values
    )


def estimate_weights_in_training_parts(
    method: WeightEstimator, shift: SourceAndTarget, seed: int
) -> ShiftWeights:
    """Estimate the weights for each fold from the other folds and the target.

    The same weight function gives the weights of the training rows and those of the fold, which it
    was not estimated from. The refit uses weights estimated from the whole source.

    Degenerate cases: weights that come with the request are used as they are.
    """
    check_can_weigh_new_rows(method)
    on_all = estimate_weights_on_all_rows(method, shift, seed)
    if method.info.weights.are_supplied:
        return on_all
    samples = shift.samples()
    validation, fit_weights = np.empty(shift.n), []
    target_values: FloatArray | None = np.zeros(shift.m)
    for k in range(shift.n_folds):
        split = shift.split(k)
        try:
            part = Samples(samples.source[split.train], samples.target)
            weighing = method.estimate(part, make_random_stream(seed, "weights in training", k))
        except EvaluationError as error:
            message = f"In the training part without fold {split.label!r}: {error.message}"
            raise type(error)(message, loc=error.loc, value=error.value) from error
        padded = np.zeros(shift.n)
        padded[split.train] = weighing.values
        fit_weights.append(padded)
        validation[split.test] = _weigh_rows(weighing, samples.source[split.test], split.test)
        share = len(split.test) / shift.n
        if target_values is not None:
            values = weighing.target_values
            target_values = None if values is None else target_values + share * values
    return ShiftWeights(
        weighing=on_all.weighing,
        validation=validation,
        fit_weights=tuple(fit_weights),
        target_values=target_values,
    )


def check_can_weigh_new_rows(method: WeightEstimator) -> None:
    """Refuse an estimator that can only weigh the rows it was estimated from."""
    if not method.info.weights.has_function:
        alternatives = ", ".join(
            name for name, kind in IMPORTANCE_WEIGHTS.items() if kind.info.weights.has_function
        )
        raise UnsupportedCombination(
            f"{method.info.name} weighs only the rows that it is estimated from, so it cannot be "
            f"estimated inside training parts. Use one of {alternatives}.",
            loc=("weights_from",),
            value=method.info.name,
        )


def _weigh_rows(
    weighing: ImportanceWeights, rows: FloatArray, row_numbers: np.ndarray
) -> FloatArray:
    """Return the weights of other rows; raise ``InsufficientData`` if one is too large."""
    assert weighing.weight_function is not None  # noqa: S101 - checked by check_can_weigh_new_rows
    values = weighing.weight_function(rows)
    is_usable = values <= _MAX_WEIGHT
    if not is_usable.all():
        row = int(row_numbers[int(np.argmin(is_usable))])
        raise InsufficientData(
            f"Source row {row} would have a weight above {_MAX_WEIGHT:g}, because hardly any other "
            "source row is near it. Use weights_from 'all', or leave the row out.",
            loc=("weights_from",),
            value=row,
        )
    return values
