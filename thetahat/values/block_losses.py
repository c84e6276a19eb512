"""The losses of one model, or of one pair's difference, over a layout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.values.layout import Layout
from thetahat.values.left_out_rows import LeftOut
from thetahat.values.moments import Moments, compute_moments_of_rows, compute_moments_of_scores
from thetahat.values.paired_counts import is_zero_one
from thetahat.values.types import FloatArray
from thetahat.values.words import Words

if TYPE_CHECKING:
    from thetahat.values.judge import JudgeGrades

MAX_LOSS = 1e140  # sums of squares of larger losses may overflow
MIN_LOSS = 1e-140  # squares of smaller losses underflow to 0
EPSILON = float(np.finfo(np.float64).eps)
ROUNDING = 8 * EPSILON
"""Rounding error of a difference relative to its losses: of a loss, a mean and a subtraction."""


def bound_rounding_of_pair(a: FloatArray, b: FloatArray) -> float:
    """Return the size up to which the differences of two models' losses are rounding errors.

    It is ``ROUNDING`` times their largest loss, and at least ``MIN_LOSS``, below which squares
    underflow.
    """
    return max(ROUNDING * max(_find_largest(a), _find_largest(b)), MIN_LOSS)


def zero_rounding(differences: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the differences a - b, or zeros if all of them are only rounding errors."""
    if _find_largest(differences) <= bound_rounding_of_pair(a, b):
        return np.zeros_like(differences)
    return differences


def _find_largest(values: FloatArray) -> float:
    return max(float(values.max(initial=0)), -float(values.min(initial=0)))


@dataclass(frozen=True, eq=False)
class BlockLosses:
    """Losses of one model (or differences of two) over a layout."""

    layout: Layout
    """Splits, repeats, clusters."""
    values: FloatArray | None = None
    """(n,) losses in input order; None where only one number per split is known."""
    scores: FloatArray | None = None
    """(J,) mean loss of each split; None if ``values`` is not None."""
    grades: JudgeGrades | None = None
    """What a judge graded these rows and further ones with, if one did."""
    is_difference: bool = False
    """Whether they are the differences of two models."""

    def __post_init__(self) -> None:
        losses = self.values if self.values is not None else self.scores
        n_expected = self.layout.n_rows if self.values is not None else self.layout.n_splits
        if losses is None or losses.shape != (n_expected,):
            units = "rows" if self.values is not None else "splits"
            n = 0 if losses is None else losses.size
            raise InvalidParameter(
                f"There are {n} losses for {n_expected} {units}. Give one for each.",
                loc=("losses",),
            )
        # written so that NaN fails; only then is the first invalid loss searched for
        if not (float(losses.min()) >= -MAX_LOSS and float(losses.max()) <= MAX_LOSS):
            at = int(np.argmin(np.abs(losses) <= MAX_LOSS))
            raise InvalidParameter(
                f"Loss {at} is {losses[at]}. Losses must be finite and at most {MAX_LOSS:g} "
                "in size.",
                loc=("losses", at),
                value=str(losses[at]),
            )
        largest = _find_largest(losses)
        if 0 < largest < MIN_LOSS:
            raise InvalidParameter(
                f"The largest loss is {largest:g}; the largest must be 0 or at least {MIN_LOSS:g}, "
                "or the squares of the losses are lost. Multiply all losses by a factor.",
                loc=("losses",),
                value=str(largest),
            )

    @cached_property
    def moments(self) -> Moments:
        """Size, mean and centred sum of squares of every split."""
        if self.values is not None:
            return compute_moments_of_rows(self.values, self.layout)
        assert self.scores is not None  # noqa: S101 - checked by __post_init__
        return compute_moments_of_scores(self.scores, self.layout)

    @cached_property
    def largest_loss(self) -> float:
        """Largest absolute loss; of differences, that of the two models."""
        values = self.scores if self.values is None else self.values
        assert values is not None  # noqa: S101 - checked by __post_init__
        return _find_largest(values)

    @cached_property
    def largest_mean(self) -> float:
        """Largest absolute mean of a split."""
        return float(np.abs(self.moments.means).max())

    @cached_property
    def rounding_of_means(self) -> float:
        """The size up to which differences of means are rounding errors.

        Losses are rounded in proportion to their size, so that equal means of decimal numbers
        differ in their last digits; means of rows are rounded in proportion to the deviations that
        were summed.
        """
        moments, of_losses = self.moments, ROUNDING * self.largest_loss
        if moments.centred_squares is None:
            return of_losses
        spread = np.sqrt((moments.centred_squares / moments.sizes).max())
        return max(of_losses, float(4 * EPSILON * (np.abs(moments.deviations).max() + spread)))

    def difference(
        self, other: BlockLosses, differences: FloatArray, moments: Moments | None
    ) -> BlockLosses:
        """Return differences of these losses from others as ``BlockLosses``, without a check.

        ``moments`` are the moments of the differences, if they are known already.
        """
        by_row = self.values is not None
        unchecked = _build_unchecked(
            self.layout, differences if by_row else None, None if by_row else differences
        )
        if self.grades is not None and other.grades is not None:
            vars(unchecked)["grades"] = self.grades.minus(other.grades)
        vars(unchecked)["is_difference"] = True
        # where cached_property looks first
        vars(unchecked)["largest_loss"] = max(self.largest_loss, other.largest_loss)
        if moments is not None:
            vars(unchecked)["moments"] = moments
        return unchecked

    @property
    def rows(self) -> FloatArray:
        """(n,) losses; raises ``InsufficientData`` if only split means are known."""
        if self.values is None:
            raise InsufficientData(
                "This method needs one loss per instance. The data have only one number per split."
            )
        return self.values

    @property
    def are_zero_one(self) -> bool:
        """Whether there is one loss for each instance, all of them 0 or 1."""
        return self.values is not None and is_zero_one(self.values)

    def with_layout(self, layout: Layout) -> BlockLosses:
        """Return the same losses over a layout that differs in its words only."""
        losses = object.__new__(BlockLosses)
        vars(losses).update({**vars(self), "layout": layout})
        return losses

    def minus(self, other: BlockLosses) -> BlockLosses:
        """Return the paired differences, this minus the other; both share one layout."""
        for a, b in ((self.values, other.values), (self.scores, other.scores)):
            if a is not None and b is not None:
                return self.difference(other, zero_rounding(a - b, a, b), None)
        raise InvalidParameter(
            "One of the two models has a loss for each instance, the other one for each split. "
            "Send losses of the same form for both.",
            loc=("losses",),
        )

    def compute_instance_means(self) -> FloatArray:
        """Return the (n_instances,) mean loss of each instance over its rows, by instance code.

        If instances are not named, each row of a single repeat is an instance, in input order; the
        rows of several repeats or of subsamples cannot be matched.
        """
        instance = self.layout.instance
        if instance is None:
            if not self.layout.is_matched:
                raise InsufficientData(
                    "Rows of several repeats or of subsamples cannot be matched without an "
                    "instance column.",
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


def _build_unchecked(
    layout: Layout, values: FloatArray | None, scores: FloatArray | None
) -> BlockLosses:
    """Return losses without checking them, because they are differences of checked losses.

    A difference is at most twice ``MAX_LOSS``, and such squares can still be summed.
    """
    losses = object.__new__(BlockLosses)
    vars(losses).update(layout=layout, values=values, scores=scores)
    return losses


@dataclass(frozen=True, eq=False)
class LossTable:
    """The losses of all models of one evaluation over one layout."""

    layout: Layout
    """Layout that all models share."""
    models: Mapping[str, BlockLosses]
    """In the request's order."""
    loss_range: tuple[float, float] | None = None
    """Smallest and largest value the loss can take, where it is known (``zero_one``: 0 and 1)."""
    left_out: LeftOut | None = None
    """The rows of the data or losses that are not in the layout because they were left out."""
    has_item_values: bool = True
    """Whether the value of a row is its own loss, and not a jackknife value of a ratio."""

    def __post_init__(self) -> None:
        if not self.models:
            raise InsufficientData("There are no models.", loc=("losses",))

    @property
    def names(self) -> tuple[str, ...]:
        """Model names in the request's order."""
        return tuple(self.models)

    @property
    def higher_is_better(self) -> bool:
        """Whether the numbers are scores, of which higher ones are better."""
        return self.layout.words.higher_is_better

    def with_words(self, words: Words) -> LossTable:
        """Return the table with the words of a request, and its losses as scores if they are."""
        if words == self.layout.words:
            return self
        layout = replace(self.layout, words=words)
        models = {name: losses.with_layout(layout) for name, losses in self.models.items()}
        return replace(self, layout=layout, models=models)
