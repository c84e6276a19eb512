"""Predictions and losses of several learners on the same rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from thetahat.cross_validation.outcomes import PREDICTION_FIELDS
from thetahat.errors import EvaluationError
from thetahat.learners._training_parts import take_rows
from thetahat.losses.base import Loss, Predictions
from thetahat.values.batch_sizes import NUMBERS_IN_256_KB
from thetahat.values.types import FloatArray

_ARRAY_NAMES: Final = ("usable", "losses", *PREDICTION_FIELDS)


@dataclass(frozen=True, slots=True, eq=False)
class PredictedRows:
    """Predictions and losses of n rows by each of L learners."""

    usable: np.ndarray
    """(L, n) whether the values may be used; where False, the learner has to be run on its own."""
    losses: FloatArray
    """(L, n) finite where ``usable``."""
    output: np.ndarray | None = None
    probabilities: FloatArray | None = None
    scores: FloatArray | None = None
    """(L, n), (L, n, C) and (L, n), if predictions are kept."""

    def select_rows(self, rows: slice) -> PredictedRows:
        """Return the values of a range of rows."""
        if rows.start == 0 and rows.stop >= self.usable.shape[1]:
            return self
        return PredictedRows(**{name: part[:, rows] for name, part in self.list_arrays().items()})

    def select_learner(self, learner: int) -> dict[str, Any]:
        """Return the (n, ...) losses and predictions of one learner, by name."""
        arrays = self.list_arrays().items()
        return {name: part[learner] for name, part in arrays if name != "usable"}

    def list_arrays(self) -> dict[str, Any]:
        """Return the arrays that are not None, by name."""
        arrays = {name: getattr(self, name) for name in _ARRAY_NAMES}
        return {name: part for name, part in arrays.items() if part is not None}


class PredictedRowsBuilder:
    """Builds a ``PredictedRows`` of L learners and n rows, one batch of rows after another.

    The arrays are allocated once, because concatenation would copy every number.

    Parameters
    ----------
    n_learners, n : int
        L and n.
    keep : bool
        Whether predictions are kept beside losses.
    """

    def __init__(self, n_learners: int, n: int, *, keep: bool) -> None:
        self.n, self.keep, self.n_filled = n, keep, 0
        self.arrays: dict[str, np.ndarray] = {
            "usable": np.ones((n_learners, n), dtype=np.bool_),
            "losses": np.empty((n_learners, n)),
        }

    def build(self) -> PredictedRows:
        """Return the values of all rows."""
        return PredictedRows(**self.arrays)

    def append(self, batch: PredictedRows) -> None:
        """Append a batch of rows."""
        rows = self._advance(batch.usable.shape[1])
        for name, part in batch.list_arrays().items():
            if self.keep or name in self.arrays:
                self._get_array(name, part)[:, rows] = part

    def append_predictions(
        self, predictions: Predictions, usable: np.ndarray, y: np.ndarray, loss: Loss
    ) -> None:
        """Append a batch of predicted rows; values that are not finite are marked as not usable.

        Parameters
        ----------
        predictions : Predictions
            Of L * m rows: the m rows of the first learner, then those of the next.
        usable : ndarray of bool
            (L, m) or (L, 1) whether the learner allows their use.
        y : ndarray
            (m,) target values.
        """
        rows, n_learners = self._advance(len(y)), len(usable)
        all_usable = self.arrays["usable"][:, rows]
        all_usable[:] = usable
        for name in PREDICTION_FIELDS:
            values = getattr(predictions, name)
            if values is None:
                continue
            part = values.reshape(n_learners, len(y), *values.shape[1:])
            if not _is_surely_finite(part):
                all_usable &= np.isfinite(part).reshape(*all_usable.shape, -1).all(axis=2)
            if self.keep:
                self._get_array(name, part)[:, rows] = part
        self._compute_losses(rows, predictions, y, loss)

    def _compute_losses(
        self, rows: slice, predictions: Predictions, y: np.ndarray, loss: Loss
    ) -> None:
        """Compute the losses of a batch of rows, for some learners at a time."""
        n_learners = len(self.arrays["usable"])
        step = max(1, NUMBERS_IN_256_KB // max(1, len(y)))
        repeated_y = y if n_learners == 1 else np.tile(y, min(step, n_learners))
        for first in range(0, n_learners, step):
            learners = slice(first, min(first + step, n_learners))
            of_learners = slice(learners.start * len(y), learners.stop * len(y))
            self._compute_learner_losses(
                learners, rows, take_rows(predictions, of_learners), repeated_y, loss
            )

    def _compute_learner_losses(
        self, learners: slice, rows: slice, predictions: Predictions, y: np.ndarray, loss: Loss
    ) -> None:
        losses, usable = (self.arrays[name][learners, rows] for name in ("losses", "usable"))
        try:
            values = loss.losses(y[: len(predictions.output)], predictions)
            losses[:] = values.reshape(losses.shape)
        except EvaluationError:  # raised again, with the row, when a learner is run on its own
            losses[:], usable[:] = 0.0, False
        if not _is_surely_finite(losses):
            usable &= np.isfinite(losses)

    def _advance(self, n: int) -> slice:
        """Return the range of the next n rows, and count them as filled."""
        self.n_filled += n
        return slice(self.n_filled - n, self.n_filled)

    def _get_array(self, name: str, like: np.ndarray) -> np.ndarray:
        """Return the array of this name, allocated at its first use."""
        if name not in self.arrays:
            self.arrays[name] = np.empty((len(like), self.n, *like.shape[2:]), dtype=like.dtype)
        return self.arrays[name]


def _is_surely_finite(part: np.ndarray) -> bool:
    """Return whether the sum, and with it every value, is finite; False leaves the values open."""
    if part.dtype.kind != "f":
        return part.dtype.kind in "iub"
    with np.errstate(all="ignore"):
        return math.isfinite(part.sum())
