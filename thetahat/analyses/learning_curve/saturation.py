"""Whether more rows would still help a learner, and the test share that follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thetahat.analyses.learning_curve.result import Saturation, SaturationDecision, SizeLoss
from thetahat.analyses.losses.result import Comparison, Decision
from thetahat.distributions import compute_upper_quantile
from thetahat.values.number_text import format_number


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallerSize:
    """One size compared with the largest: the loss of learning from fewer rows."""

    label: str
    """Name of the size."""
    n_train: int
    """Rows in the largest training part of that size."""
    difference: float
    """Mean loss at this size minus that at the largest, in units of the loss."""
    upper: float | None
    """One-sided upper end of the difference; None where its variance is not known."""
    decision: Decision
    """The verdict on this size against the largest."""
    also: tuple[Decision, ...] = ()
    """The other statements that hold."""

    @property
    def is_not_worse(self) -> bool:
        """Whether the data show, at the level, that no more than the margin is lost."""
        return not {Decision.EQUIVALENT, Decision.NOT_WORSE}.isdisjoint(self._statements)

    @property
    def is_worse(self) -> bool:
        """Whether the data show that the largest size is better."""
        return Decision.WORSE in self._statements

    @property
    def _statements(self) -> tuple[Decision, ...]:
        return (self.decision, *self.also)


def compare_with_largest(
    label: str, n_train: int, comparison: Comparison, alpha: float
) -> SmallerSize:
    """Return the comparison of a size (model a) with the largest size (model b)."""
    interval, difference, upper = comparison.interval, comparison.difference, None
    if interval is not None and interval.standard_error is not None:
        difference = interval.estimate
        reach = compute_upper_quantile(alpha, interval.degrees_of_freedom)
        upper = difference + reach * interval.standard_error
    elif difference == 0:
        upper = 0.0  # the losses are the same, row by row
    return SmallerSize(
        label=label,
        n_train=n_train,
        difference=difference,
        upper=upper,
        decision=comparison.verdict.decision,
        also=comparison.verdict.also,
    )


def assess_saturation(
    smaller: Sequence[SmallerSize], largest: str, n_largest: int, n: int, margin: float | None
) -> Saturation:
    r"""Return whether a learner is saturated, and the test share that follows.

    A learner is saturated where more rows do not improve it significantly. Here: learning from a
    smaller part loses no more than the margin against the largest, shown at the level. The sizes
    are tested from the largest down, and the first that fails ends the search. All statements
    together therefore hold at the level without a correction for their number.

    .. math:: \mu = 1 - m / n

    is the share of all n rows that may be kept for testing when the m rows of the smallest
    saturated size are enough to learn from.

    Parameters
    ----------
    smaller : sequence of SmallerSize
        All sizes but the largest, in order.
    largest : str
        Label of the largest size.
    n_largest, n : int
        Rows in the largest training part of the largest size, and rows of the data.
    margin : float or None
        Largest loss that does not matter; without it no loss can be shown to be small.

    Assumptions: parts larger than the largest size are not considered; a curve that is flat here
    may fall again. The intervals of the verdicts are those of the scheme.

    Source: hsu1999 (steps from the largest size down, without correction).
    """
    enough = None if margin is None else _find_smallest_saturated(smaller)
    if enough is not None:
        decision = SaturationDecision.SATURATED
        reason = (
            f"From size {enough.label} on, learning from fewer rows loses no more than "
            f"{format_number(margin or 0.0)} against the largest size. A share of "
            f"{format_number(1 - enough.n_train / n)} of all rows may be kept for testing."
        )
    else:
        decision, reason = _explain_unsaturated(smaller, margin)
    return Saturation(
        decision=decision,
        margin=margin,
        from_size=None if enough is None else enough.label,
        n_train=None if enough is None else enough.n_train,
        test_share=None if enough is None else 1 - enough.n_train / n,
        sizes=(
            *(
                _build_size_loss(
                    comparison.label, comparison.n_train, n, comparison.difference, comparison.upper
                )
                for comparison in smaller
            ),
            _build_size_loss(largest, n_largest, n, 0.0, 0.0),
        ),
        reason=reason,
    )


def _find_smallest_saturated(smaller: Sequence[SmallerSize]) -> SmallerSize | None:
    """Return the smallest size that is enough, or None where none is shown to be."""
    enough = None
    for size in reversed(smaller):
        if not size.is_not_worse:
            break
        enough = size
    return enough


def _explain_unsaturated(
    smaller: Sequence[SmallerSize], margin: float | None
) -> tuple[SaturationDecision, str]:
    """Return the decision on a learner that is not shown to be saturated, with the reason."""
    if not smaller:
        return (
            SaturationDecision.UNDECIDED,
            "The curve has one size only. Name a second size to compare it with.",
        )
    last = smaller[-1]
    step = f"from size {last.label} to the largest"
    if last.is_worse:
        return (
            SaturationDecision.NOT_SATURATED,
            f"The error still fell by {format_number(last.difference)} {step}, and not by chance.",
        )
    if margin is None:
        return (
            SaturationDecision.NO_IMPROVEMENT_SEEN,
            (
                f"No improvement was seen {step}, which does not show that there is none. Name a "
                "margin, the largest loss that does not matter, to find out."
            ),
        )
    bound = "of unknown size" if last.upper is None else f"of up to {format_number(last.upper)}"
    return (
        SaturationDecision.UNDECIDED,
        (
            f"An improvement {bound} is possible {step}, more than the margin of "
            f"{format_number(margin)}. More repeats or more data would decide it."
        ),
    )


def _build_size_loss(
    label: str, n_train: int, n: int, difference: float, upper: float | None
) -> SizeLoss:
    return SizeLoss(
        size=label,
        n_train=n_train,
        test_share=1 - n_train / n,
        difference=difference,
        upper=upper,
    )
