"""Whether more data would still help a learner, and what test share that allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thetahat.distributions import upper_quantile
from thetahat.values.json_values import number, plain


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstLargest:
    """One size against the largest: how much is lost by learning from fewer rows.

    Parameters
    ----------
    label : str
        What the size is called.
    n_train : int
        Rows learnt from, in the largest training part of that size.
    difference : float
        Mean loss at this size minus that at the largest, in units of the loss.
    upper : float or None
        One-sided upper end of it at the level; None where its variance is not known.
    decision : str
        The verdict on this size against the largest.
    also : tuple of str
        What holds beside it.
    """

    label: str
    n_train: int
    difference: float
    upper: float | None
    decision: str
    also: tuple[str, ...] = ()

    @property
    def is_not_worse(self) -> bool:
        """Whether no more than the margin is lost, shown at the level."""
        return bool({"equivalent", "not_worse"} & {self.decision, *self.also})

    @property
    def is_worse(self) -> bool:
        """Whether the larger part was shown to be better."""
        return self.decision == "worse" or "worse" in self.also


def against_largest(
    label: str, n_train: int, comparison: Mapping[str, Any], alpha: float
) -> AgainstLargest:
    """Return what a comparison of the result (this size against the largest) says."""
    interval, verdict = comparison["interval"], comparison["verdict"]
    difference, upper = comparison["difference"], None
    if interval is not None and interval["standard_error"] is not None:
        difference = interval["estimate"]
        reach = upper_quantile(alpha, interval["degrees_of_freedom"])
        upper = difference + reach * interval["standard_error"]
    elif difference == 0:
        upper = 0.0  # the losses are the same, row by row
    return AgainstLargest(
        label=label,
        n_train=n_train,
        difference=difference,
        upper=upper,
        decision=verdict["decision"],
        also=tuple(verdict["also"]),
    )


def saturation(
    smaller: Sequence[AgainstLargest], largest: str, n_largest: int, n: int, margin: float | None
) -> dict[str, Any]:
    r"""Return the verdict on a learner's saturation, and the test share that it allows.

    A learner is saturated where additional data do not improve it significantly. Here: learning
    from a smaller part loses no more than the margin against the largest, shown at the level.
    Sizes are taken from the largest down and the first that fails ends the search, so that all
    statements together hold at the level without a correction for their number.

    .. math:: \mu = 1 - m / n

    is the share of all n rows that may be kept for testing when the m rows of the smallest
    saturated size are enough to learn from.

    Parameters
    ----------
    smaller : sequence of AgainstLargest
        All sizes but the largest, in order.
    largest : str
        Label of the largest size.
    n_largest, n : int
        Rows learnt from at the largest size, and rows in all.
    margin : float or None
        Largest loss that does not matter; without it nothing can be shown to be small.

    Returns
    -------
    dict
        ``decision``: ``saturated``; ``not_saturated`` (the largest part is better than the one
        before it, shown); ``no_improvement_seen`` (no margin was given, and no difference was
        seen: that shows nothing); ``undecided``. ``from_size``, ``n_train`` and ``test_share``
        where saturated. ``sizes``: by size, the loss against the largest with its upper end,
        which is the smallest margin that would do, and the test share.

    Assumptions: nothing is said of parts larger than the largest; a curve that is flat here may
    fall again. The verdicts' intervals are those of the scheme.

    Source: hsu1999 (steps from the largest size down, without correction).
    """
    told: dict[str, Any] = {
        "decision": "undecided",
        "margin": margin,
        "from_size": None,
        "n_train": None,
        "test_share": None,
        "sizes": [_size_told(size, n) for size in smaller]
        + [_share_told(largest, n_largest, n) | {"difference": 0.0, "upper": 0.0}],
    }
    if not smaller:
        return _plainly(
            told | {"reason": "one size is no curve; a second is needed to compare with"}
        )
    last = smaller[-1]
    enough: AgainstLargest | None = None
    if margin is not None:
        for size in reversed(smaller):
            if not size.is_not_worse:
                break
            enough = size
    if enough is not None:
        mu = 1 - enough.n_train / n
        reason = (
            f"from size {enough.label} on, learning from fewer rows loses no more than "
            f"{number(margin or 0.0)} against size {largest}; {mu:.3g} of all rows may be kept "
            "for testing"
        )
        found = {"from_size": enough.label, "n_train": enough.n_train, "test_share": mu}
        return _plainly(told | found | {"decision": "saturated", "reason": reason})
    step = f"from size {last.label} to {largest}"
    if last.is_worse:
        reason = f"{step} the error still fell by {number(last.difference)}, and not by chance"
        return _plainly(told | {"decision": "not_saturated", "reason": reason})
    if margin is None:
        reason = (
            f"{step} no improvement was seen, which does not show that there is none; give a "
            "margin, the largest loss that does not matter"
        )
        return _plainly(told | {"decision": "no_improvement_seen", "reason": reason})
    bound = "of unknown size" if last.upper is None else f"up to {number(last.upper)}"
    reason = (
        f"{step} an improvement {bound} is possible, more than the margin of {number(margin)}; "
        "more repeats or more data would tell"
    )
    return _plainly(told | {"reason": reason})


def _plainly(told: dict[str, Any]) -> dict[str, Any]:
    return {key: plain(value) for key, value in told.items()}


def _size_told(size: AgainstLargest, n: int) -> dict[str, Any]:
    return {
        **_share_told(size.label, size.n_train, n),
        "difference": size.difference,
        "upper": size.upper,
    }


def _share_told(label: str, n_train: int, n: int) -> dict[str, Any]:
    return {"size": label, "n_train": n_train, "test_share": 1 - n_train / n}
