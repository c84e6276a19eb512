"""The Ladder: submissions to one holdout, with fewer scores published (Blum, Hardt 2015).

A published score changes only where a submission is better than the best before by more than a
step, so that sending many submissions and reading their scores tells little about the holdout.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter, Loc
from thetahat.parameter_checks import check_positive
from thetahat.values.types import FloatArray

ROUNDING: Final = 1e-9
"""Share of the step that is rounding: one row that is better by one, and the others equal, is
better by exactly one standard error, which is not more."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LadderState:
    """A Ladder after at least one submission."""

    score: float
    """The published score: a mean loss, of which lower ones are better."""
    losses: FloatArray
    """(n,) losses of the submission that the score belongs to."""
    submissions: int = 1
    """Submissions until now."""


def add_submission(
    state: LadderState | None, losses: FloatArray, step: float | None = None
) -> LadderState:
    """Return a Ladder after one more submission.

    Without a step, the mean loss is published if it is below the score by more than the standard
    error of the difference to the leader, sd(losses - leader's) / sqrt(n) with ddof 1 (algorithm 3
    of the source). With a step, it is published, rounded to a multiple of the step, if it is below
    the score by more than the step (algorithm 1); the authors' code rounds to log10(n) digits
    instead. The first submission has no leader and is published. A submission that is sent again
    has a difference of 0 and changes nothing.

    Parameters
    ----------
    state : LadderState or None
        The Ladder; None before the first submission.
    losses : (n,) array
        The loss on each row of the holdout.
    step : float or None
        The fixed step; None for the one without a parameter.

    Raises
    ------
    InsufficientData, InvalidParameter
        There are fewer than two rows, the number of rows is another one than before, or the step
        is not a positive number.
    """
    if step is not None:
        check_positive("step", step)
    values = np.asarray(losses, dtype=np.float64)
    _check(values, state)
    mean = float(values.mean())
    if state is not None:
        least = step
        if least is None:
            least = float((values - state.losses).std(ddof=1)) / math.sqrt(len(values))
        if not state.score - mean > least * (1.0 + ROUNDING):
            return replace(state, submissions=state.submissions + 1)
    score = mean if step is None else round(mean / step) * step
    submissions = 1 if state is None else state.submissions + 1
    return LadderState(score=score, losses=values, submissions=submissions)


def compute_ladder(
    submissions: Sequence[Sequence[float] | FloatArray], step: float | None = None
) -> list[float]:
    """Return the published score after each submission to a Ladder on one holdout.

    Parameters
    ----------
    submissions : sequence of (n,) array
        The losses of each submission on the same rows, in the order of arrival.
    step : float or None
        By how much a mean loss must be below the published score to be published. Left out: by the
        standard error of its difference to the leader.

    Returns
    -------
    list of float
        The published mean loss after each submission; see ``add_submission``.
    """
    state: LadderState | None = None
    scores = []
    for losses in submissions:
        state = add_submission(state, np.asarray(losses, dtype=np.float64), step)
        scores.append(state.score)
    return scores


def _check(values: FloatArray, state: LadderState | None) -> None:
    loc: Loc = ("submissions",)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise InvalidParameter(
            "The losses of a submission must be one list of finite numbers.", loc=loc
        )
    if len(values) < 2:
        raise InsufficientData(
            f"A Ladder needs at least two rows, and the submission has {len(values)}."
        )
    if state is not None and len(values) != len(state.losses):
        raise InvalidParameter(
            f"The submission has {len(values)} losses, and those before have {len(state.losses)}. "
            "Every submission needs one loss for each row of the holdout.",
            loc=loc,
            value=len(values),
        )
