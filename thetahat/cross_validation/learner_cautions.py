"""What several learners say of the same rows, and what that costs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Final

import numpy as np

from thetahat.errors import EvaluationError
from thetahat.losses.base import Loss, Predictions
from thetahat.values.types import FloatArray

_NAMES: Final = ("fits", "losses", "output", "probabilities", "scores")
_IN_CACHE: Final = 32_768
"""Losses taken at a time: what they are made from stays near the processor."""


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
        (L, n), (L, n, C) and (L, n), where predictions are kept.
    """

    fits: np.ndarray
    losses: FloatArray
    output: np.ndarray | None = None
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


class Gathering:
    """Arrays of L learners and n rows, which are filled stretch by stretch.

    They are made once: to join stretches later would write every number a second time.

    Parameters
    ----------
    n_learners, n : int
        L and n.
    keep : bool
        Whether predictions are kept besides losses.
    """

    def __init__(self, n_learners: int, n: int, *, keep: bool) -> None:
        self.n, self.keep, self.filled = n, keep, 0
        self.found: dict[str, np.ndarray] = {
            "fits": np.ones((n_learners, n), dtype=np.bool_),
            "losses": np.empty((n_learners, n)),
        }

    def told(self) -> Told:
        """Return what is told of all rows."""
        return Told(**self.found)

    def append(self, told: Told) -> None:
        """Put a stretch of rows after those that are there."""
        cut = self._next(told.fits.shape[1])
        for name, part in told.arrays().items():
            if self.keep or name in self.found:
                self._array(name, part)[:, cut] = part

    def add(self, said: Predictions, fits: np.ndarray, y: np.ndarray, loss: Loss) -> None:
        """Put a stretch of rows after those that are there; what is not finite does not fit.

        Parameters
        ----------
        said : Predictions
            Of L * m rows: the m of the first learner, then those of the next.
        fits : ndarray of bool
            (L, m) or (L, 1) whether the learner itself trusts it.
        y : ndarray
            (m,) the truth.
        """
        cut, n_learners = self._next(len(y)), len(fits)
        trusted = self.found["fits"][:, cut]
        trusted[:] = fits
        for name in _NAMES[2:]:
            given = getattr(said, name)
            if given is None:
                continue
            part = given.reshape(n_learners, len(y), *given.shape[1:])
            if not _is_finite(part):
                trusted &= np.isfinite(part).reshape(*trusted.shape, -1).all(axis=2)
            if self.keep:
                self._array(name, part)[:, cut] = part
        self._lose_in_steps(cut, said, y, loss)

    def room(self, sizes: Sequence[int]) -> list[FloatArray]:
        """(L, m) for each of the next stretches of rows, to write errors into."""
        ends = list(accumulate(sizes, initial=self.filled))
        return [self.found["losses"][:, a:b] for a, b in pairwise(ends)]

    def add_errors(self, errors: FloatArray, fits: np.ndarray, y: FloatArray, loss: Loss) -> None:
        """Put a stretch of rows after those that are there, of learners of values.

        Parameters
        ----------
        errors : ndarray of float
            (L, m) predictions less the truth; their ``room`` or any other array.
        fits : ndarray of bool
            (L, m), (L, 1) or (1, 1) whether the learner itself trusts them.
        y : ndarray
            (m,) the truth.
        """
        cut, of_errors = self._next(len(y)), getattr(loss, "of_errors", None)
        losses, trusted = self.found["losses"][:, cut], self.found["fits"][:, cut]
        if not fits.all():
            trusted[:] = fits
        if self.keep or of_errors is None:
            output = errors + y
            if self.keep:
                self._array("output", output)[:, cut] = output
        if of_errors is not None:
            of_errors(errors, losses)
            if not (_has_finite_squares(errors) or _is_finite(losses)):
                trusted &= np.isfinite(losses)
            return
        if not _is_finite(errors):
            trusted &= np.isfinite(errors)
        self._lose_in_steps(cut, Predictions(output.reshape(-1)), y, loss)

    def _lose_in_steps(self, cut: slice, said: Predictions, y: np.ndarray, loss: Loss) -> None:
        n_learners = len(self.found["fits"])
        step = max(1, _IN_CACHE // max(1, len(y)))
        repeated = y if n_learners == 1 else np.tile(y, min(step, n_learners))
        for first in range(0, n_learners, step):
            some = slice(first, min(first + step, n_learners))
            self._lose(some, cut, _of(said, some, len(y)), repeated, loss)

    def _lose(
        self, learners: slice, cut: slice, said: Predictions, y: np.ndarray, loss: Loss
    ) -> None:
        losses, fits = (self.found[name][learners, cut] for name in ("losses", "fits"))
        try:
            losses[:] = loss.losses(y[: len(said.output)], said).reshape(losses.shape)
        except EvaluationError:  # one learner by itself is told which row it is about
            losses[:], fits[:] = 0.0, False
        if not _is_finite(losses):
            fits &= np.isfinite(losses)

    def _next(self, n: int) -> slice:
        self.filled += n
        return slice(self.filled - n, self.filled)

    def _array(self, name: str, like: np.ndarray) -> np.ndarray:
        if name not in self.found:
            self.found[name] = np.empty((len(like), self.n, *like.shape[2:]), dtype=like.dtype)
        return self.found[name]


def _is_finite(part: np.ndarray) -> bool:
    """Whether all are finite numbers, most often; a sum that is finite has no other terms."""
    if part.dtype.kind != "f":
        return part.dtype.kind in "iub"
    with np.errstate(all="ignore"):
        return math.isfinite(part.sum())


def _has_finite_squares(part: np.ndarray) -> bool:
    """Whether an array in one piece has, most often; for others it is not looked at."""
    flat = part.reshape(-1) if part.flags.c_contiguous else None
    if flat is None:
        return False
    with np.errstate(all="ignore"):
        return math.isfinite(flat.dot(flat))


def _of(said: Predictions, learners: slice, n: int) -> Predictions:
    """Return what some of the learners said."""
    rows = slice(learners.start * n, learners.stop * n)
    return Predictions(
        said.output[rows],
        None if said.probabilities is None else said.probabilities[rows],
        None if said.scores is None else said.scores[rows],
        said.classes,
    )
