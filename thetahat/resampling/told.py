"""What several learners say of the same rows, and what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from thetahat.errors import EvaluationError
from thetahat.losses.base import Loss, Predictions
from thetahat.types import FloatArray

_NAMES: Final = ("fits", "losses", "output", "probabilities", "scores")


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """Predictions and losses of n rows by each of L learners.

    Parameters
    ----------
    fits : ndarray of bool
        (L, n) whether this may be used; the learner is asked by itself where not.
    losses : ndarray of float
        (L, n) finite where ``fits``.
    output, probabilities, scores : ndarray or None
        (L, n), (L, n, C) and (L, n).
    """

    fits: np.ndarray
    losses: FloatArray
    output: np.ndarray
    probabilities: FloatArray | None = None
    scores: FloatArray | None = None

    def of_rows(self, rows: slice) -> Told:
        """Return a stretch of the rows."""
        if rows.start == 0 and rows.stop >= self.fits.shape[1]:
            return self
        return Told(**{name: part[:, rows] for name, part in self.arrays().items()})

    def of_learner(self, learner: int) -> dict[str, Any]:
        """(n, ...) arrays of one learner, by name."""
        return {name: part[learner] for name, part in self.arrays().items() if name != "fits"}

    def arrays(self) -> dict[str, Any]:
        """Return the arrays that there are, by name."""
        found = {name: getattr(self, name) for name in _NAMES}
        return {name: part for name, part in found.items() if part is not None}


def told_of(said: Predictions, fits: np.ndarray, y: np.ndarray, loss: Loss) -> Told:
    """Return what was said, with what it costs; what is not finite does not fit.

    Parameters
    ----------
    said : Predictions
        Of L * n rows: the n of the first learner, then those of the next.
    fits : ndarray of bool
        (L, n) whether the learner itself trusts it.
    y : ndarray
        (n,) the truth.
    """
    shape = fits.shape
    parts: dict[str, Any] = {"output": said.output.reshape(shape)}
    if said.probabilities is not None:
        parts["probabilities"] = said.probabilities.reshape(*shape, -1)
    if said.scores is not None:
        parts["scores"] = said.scores.reshape(shape)
    fits = fits.copy()
    for part in parts.values():
        is_finite = np.isfinite(part)
        if not is_finite.all():
            fits &= is_finite.reshape(*shape, -1).all(axis=2)
    try:
        losses = loss.losses(np.tile(y, shape[0]), said).reshape(shape)
    except EvaluationError:  # one learner by itself is told which row it is about
        return Told(np.zeros(shape, dtype=np.bool_), np.zeros(shape), **parts)
    return Told(fits & np.isfinite(losses), losses, **parts)


def told_in_turn(parts: Sequence[Told]) -> Told:
    """Return several stretches of rows as one."""
    if len(parts) == 1:
        return parts[0]
    each = [part.arrays() for part in parts]
    return Told(**{name: np.concatenate([one[name] for one in each], axis=1) for name in each[0]})
