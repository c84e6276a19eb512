"""Learners run over a stretch of a design's splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from thetahat.cautions import Caution
from thetahat.cross_validation import Group, SplitOutcome, rows_of, run_path
from thetahat.cross_validation.split_ranges import stretches
from thetahat.errors import EvaluationError
from thetahat.learners.base import Learner
from thetahat.losses.base import Loss, Predictions
from thetahat.refit_estimators._no_information import no_information_error
from thetahat.refit_estimators.base import APPARENT, RefitDesign, RefitLosses
from thetahat.tables.data import Data

Arrays = dict[str, np.ndarray]
_UNKNOWN = np.nan  # stands, between workers, for a split without a no-information error


@dataclass(frozen=True, slots=True)
class RefitTask:
    """A learner, the data and the loss: what a fit depends on besides its split."""

    name: str
    learner: Learner
    data: Data
    loss: Loss


LearnerRun = tuple[Arrays, tuple[Caution, ...]]
"""What one learner gave, and what it said."""


def run_design(
    learning: RefitTask, design: RefitDesign, seed: int, start: int, stop: int
) -> LearnerRun:
    """Fit and test on the splits from ``start`` to ``stop``; cautions are what the learner said.

    Raises
    ------
    EvaluationError
        As ``run_splits``; the message says that it was an extra fit.
    """
    group = Group((learning.name,), (learning.learner,))
    found = run_design_together(group, learning.data, learning.loss, design, seed, start, stop)
    (ran,) = found.values()
    if isinstance(ran, EvaluationError):
        raise ran
    return ran


def run_design_together(  # noqa: PLR0913 - as run_path, and which splits
    group: Group, data: Data, loss: Loss, design: RefitDesign, seed: int, start: int, stop: int
) -> dict[str, LearnerRun | EvaluationError]:
    """Fit and test the learners of a group on the same splits, as ``run_path`` does.

    Returns
    -------
    dict
        By name, in the group's order: what ``run_design`` returns, or what it raises.
    """
    found = {name: _LearnerRecord() for name in group.names}
    splits = design.splits(rows_of(data), seed, start=start, stop=stop)
    for some in stretches(splits):
        for one in found.values():
            one.begin(len(some))
        for is_apparent in (True, False):
            places = [at for at, one in enumerate(some) if (one.label == APPARENT) is is_apparent]
            # A learner that predicts many in one pass needs as long for a few of them as for one.
            these = [some[at] for at in places]
            ran = run_path(group, data, these, loss, seed, keep_predictions=is_apparent)
            for name, outcomes in ran.items():
                if isinstance(outcomes, EvaluationError):
                    found[name].fail(outcomes)
                    continue
                for at, outcome in zip(places, outcomes, strict=True):
                    gamma = _gamma(data, loss, outcome) if is_apparent else _UNKNOWN
                    found[name].take(at - len(some), outcome, gamma)
    return {name: one.ran() for name, one in found.items()}


@dataclass(slots=True)
class _LearnerRecord:
    """One learner, stretch by stretch."""

    losses: list[np.ndarray] = field(default_factory=list)
    gamma: list[float] = field(default_factory=list)
    said: Counter[Caution] = field(default_factory=Counter)
    error: EvaluationError | None = None

    def begin(self, n: int) -> None:
        """Make room for a stretch of n splits."""
        self.losses += [np.empty(0)] * n
        self.gamma += [_UNKNOWN] * n

    def take(self, at: int, outcome: SplitOutcome, gamma: float) -> None:
        """Put an outcome in its place, counted from the end."""
        self.losses[at], self.gamma[at] = outcome.losses, gamma
        self.said.update(outcome.cautions)

    def fail(self, error: EvaluationError) -> None:
        """Note what the learner was refused with, the first time."""
        if self.error is None:
            error.message = f"in an extra fit, {error.message}"
            self.error = error

    def ran(self) -> LearnerRun | EvaluationError:
        """Return all that it gave."""
        if self.error is not None:
            return self.error
        arrays = {
            "losses": np.concatenate([np.empty(0), *self.losses]),
            "n_test": np.array([len(part) for part in self.losses], dtype=np.intp),
            "no_information": np.array(self.gamma),
        }
        return arrays, tuple(self.said)


def _gamma(data: Data, loss: Loss, outcome: SplitOutcome) -> float:
    assert outcome.output is not None  # noqa: S101 - predictions of apparent splits are kept
    predictions = Predictions(
        output=outcome.output, probabilities=outcome.probabilities, scores=outcome.scores
    )
    return no_information_error(loss, data.y[outcome.test], predictions)


def join_losses(data: Data, seed: int, parts: Sequence[Mapping[str, np.ndarray]]) -> RefitLosses:
    """Put the parts of one learner and one design together, in the order of the splits."""
    losses: list[np.ndarray] = []
    gamma: list[float | None] = []
    for part in parts:
        if len(part["n_test"]) > 0:  # a stretch of a design's places may be empty
            losses.extend(np.split(part["losses"], np.cumsum(part["n_test"])[:-1]))
        gamma.extend(None if np.isnan(g) else float(g) for g in part["no_information"])
    return RefitLosses(
        rows=rows_of(data), seed=seed, losses=tuple(losses), no_information=tuple(gamma)
    )
