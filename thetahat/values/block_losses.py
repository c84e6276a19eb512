"""The losses of one model, or of one pair's difference, over a layout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.numerics.loops.compiling import is_loaded
from thetahat.numerics.loops.moments import MANY_ROWS
from thetahat.values.layout import Layout
from thetahat.values.moments import Moments, moments_of_rows, moments_of_scores
from thetahat.values.types import FloatArray

LARGEST = 1e140  # sums of squares of larger losses leave double precision
SMALLEST = 1e-140  # squares of smaller losses are lost below double precision
ROUNDING = 8 * float(np.finfo(np.float64).eps)
"""Rounding error of a difference relative to its losses: of a loss, a mean and a subtraction."""


def rounding_of_pair(a: FloatArray, b: FloatArray) -> float:
    """Return the size up to which the differences of two models' losses are rounding errors.

    It is ``ROUNDING`` times their largest loss; smaller than ``SMALLEST``, no square is known.
    """
    return max(ROUNDING * max(_largest(a), _largest(b)), SMALLEST)


def zero_rounding(differences: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the differences a - b, or zeros if all of them are only rounding errors."""
    if _largest(differences) <= rounding_of_pair(a, b):
        return np.zeros_like(differences)
    return differences


def _largest(values: FloatArray) -> float:
    return max(float(values.max(initial=0)), -float(values.min(initial=0)))


@dataclass(frozen=True, eq=False)
class BlockLosses:
    """Losses of one model (or differences of two) over a layout.

    Parameters
    ----------
    layout : Layout
        Splits, repeats, clusters.
    values : ndarray of float or None
        (n,) losses in input order; None where only one number per split is known.
    scores : ndarray of float or None
        (J,) mean loss of each split, given where ``values`` is not.
    """

    layout: Layout
    values: FloatArray | None = None
    scores: FloatArray | None = None

    def __post_init__(self) -> None:
        given = self.values if self.values is not None else self.scores
        wanted = self.layout.n_rows if self.values is not None else self.layout.n_splits
        if given is None or given.shape != (wanted,):
            shape = None if given is None else given.shape
            raise InvalidParameter(f"expected {wanted} losses, got shape {shape}", loc=("losses",))
        if self._is_told_by_moments():
            return
        # NaN is neither; the place of the first bad one is looked for only where there is one
        if not (float(given.min()) >= -LARGEST and float(given.max()) <= LARGEST):
            at = int(np.argmin(np.abs(given) <= LARGEST))
            raise InvalidParameter(
                f"loss {at} is {given[at]}; losses must be finite and at most {LARGEST:g} in size",
                loc=("losses", at),
                value=str(given[at]),
            )
        largest = _largest(given)
        if 0 < largest < SMALLEST:
            raise InvalidParameter(
                f"The largest loss is {largest:g}; the largest must be 0 or at least {SMALLEST:g}, "
                "or the squares of the losses are lost. Multiply all losses by a factor.",
                loc=("losses",),
                value=str(largest),
            )

    def _is_told_by_moments(self) -> bool:
        """Whether the moments, which many losses get at once then, show that all losses are fit.

        NaN and infinity show in them. No loss lies further from the mean of its block than the
        root of the centred squares.
        """
        if self.values is None or len(self.values) < MANY_ROWS or not is_loaded():
            return False
        with np.errstate(all="ignore"):
            moments = moments_of_rows(self.values, self.layout)
            assert moments.centred_squares is not None  # noqa: S101 - of rows
            largest = np.abs([moments.deviations.max(), moments.deviations.min()]).max()
            reach = abs(moments.shift) + largest + np.sqrt(moments.centred_squares.max())
            fit = bool(reach == 0 or SMALLEST * 1e20 <= reach <= LARGEST / 2)
        if fit:
            vars(self)["moments"] = moments  # where cached_property looks first
        return fit

    @cached_property
    def moments(self) -> Moments:
        """Size, mean and centred sum of squares of every split."""
        if self.values is not None:
            return moments_of_rows(self.values, self.layout)
        assert self.scores is not None  # noqa: S101 - __post_init__ saw to it
        return moments_of_scores(self.scores, self.layout)

    @cached_property
    def largest_mean(self) -> float:
        """Size of the largest mean of a split."""
        return float(np.abs(self.moments.means).max())

    def difference(self, given: FloatArray, moments: Moments | None) -> BlockLosses:
        """Return differences of this from other losses: given, and not looked at again.

        ``moments`` are theirs where they were made elsewhere.
        """
        by_row = self.values is not None
        made = _without_check(self.layout, given if by_row else None, None if by_row else given)
        if moments is not None:
            vars(made)["moments"] = moments  # where cached_property looks first
        return made

    @property
    def rows(self) -> FloatArray:
        """(n,) losses; ``InsufficientData`` where only split means are known."""
        if self.values is None:
            raise InsufficientData("this method needs one loss per instance, not one per split")
        return self.values

    def minus(self, other: BlockLosses) -> BlockLosses:
        """Return the paired differences, this minus the other; both share one layout."""
        for mine, other_s in ((self.values, other.values), (self.scores, other.scores)):
            if mine is not None and other_s is not None:
                return self.difference(zero_rounding(mine - other_s, mine, other_s), None)
        raise InvalidParameter("the two models have losses of different form", loc=("losses",))

    def instance_means(self) -> FloatArray:
        """(n_instances,) mean loss of each instance over its rows, by instance code.

        Without named instances a single repeat's rows stand for themselves, in input order; those
        of several repeats or of subsamples cannot be matched.
        """
        instance = self.layout.instance
        if instance is None:
            if not self.layout.is_matched:
                raise InsufficientData(
                    "rows of several repeats or of subsamples cannot be matched without an "
                    "instance column",
                    loc=("instance",),
                )
            return self.rows
        if self.layout.n_instances == len(instance):  # one row each: only the order may differ
            means = np.empty(len(instance))
            means[instance] = self.rows
            return means
        counts = np.bincount(instance)
        shift = float(self.rows[0])
        return np.asarray(shift + np.bincount(instance, weights=self.rows - shift) / counts)


def _without_check(
    layout: Layout, values: FloatArray | None, scores: FloatArray | None
) -> BlockLosses:
    """Return losses that are known to be fit, since they come from such as were looked at.

    A difference of the largest there may be is twice as large; its squares too can be summed.
    """
    losses = object.__new__(BlockLosses)
    vars(losses).update(layout=layout, values=values, scores=scores)
    return losses


@dataclass(frozen=True, eq=False)
class LossTable:
    """The losses of all models of one evaluation over one layout.

    Parameters
    ----------
    layout : Layout
        Shared by all models.
    models : mapping of str to BlockLosses
        In the request's order.
    loss_range : tuple of float or None
        Smallest and largest value the loss can take, where it is known (``zero_one``: 0 and 1).
    higher_is_better : bool
        Whether the numbers are scores to be raised; only split scores can be.
    """

    layout: Layout
    models: Mapping[str, BlockLosses]
    loss_range: tuple[float, float] | None = None
    higher_is_better: bool = False

    def __post_init__(self) -> None:
        if not self.models:
            raise InsufficientData("there is no model", loc=("losses",))

    @property
    def names(self) -> tuple[str, ...]:
        """Model names in the request's order."""
        return tuple(self.models)
