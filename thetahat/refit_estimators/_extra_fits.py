"""Learners fitted and tested on consecutive splits of a design."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from thetahat.cautions import Caution
from thetahat.cross_validation import Group, SplitOutcome, build_rows, run_path
from thetahat.cross_validation.split_batches import divide_splits
from thetahat.errors import EvaluationError
from thetahat.learners.base import Learner
from thetahat.losses.base import Loss, Predictions
from thetahat.refit_estimators._no_information import compute_no_information_error
from thetahat.refit_estimators.base import APPARENT, RefitDesign, RefitLosses
from thetahat.seeds import MAX_SEED, make_random_stream
from thetahat.tables.data import Data

Arrays = dict[str, np.ndarray]
_UNKNOWN = np.nan  # in arrays: the split has no no-information error


@dataclass(frozen=True, slots=True)
class RefitTask:
    """A learner, the data and the loss: all that a fit depends on besides its split."""

    name: str
    learner: Learner
    data: Data
    loss: Loss


def compute_refit_seed(seed: int) -> int:
    """Return the seed of the extra fits, so that they repeat none of the scheme's draws."""
    return int(make_random_stream(seed, "refits").integers(MAX_SEED))


LearnerRun = tuple[Arrays, tuple[Caution, ...]]
"""The arrays of one learner's fits, and their cautions."""


def run_design(
    learning: RefitTask, design: RefitDesign, seed: int, start: int, stop: int
) -> LearnerRun:
    """Fit and test a learner on the splits from ``start`` to ``stop``; return its losses.

    The message of an exception of ``run_splits`` names the extra fit.
    """
    group = Group((learning.name,), (learning.learner,))
    by_learner = run_design_together(group, learning.data, learning.loss, design, seed, start, stop)
    (result,) = by_learner.values()
    if isinstance(result, EvaluationError):
        raise result
    return result


def run_design_together(  # noqa: PLR0913 - the arguments of run_path and the range of splits
    group: Group, data: Data, loss: Loss, design: RefitDesign, seed: int, start: int, stop: int
) -> dict[str, LearnerRun | EvaluationError]:
    """Fit and test the learners of a group on the same splits, as ``run_path`` does.

    They are by learner, in the group's order: the value that ``run_design`` returns, or its
    exception.
    """
    records = {name: _LearnerRecord() for name in group.names}
    splits = design.splits(build_rows(data), seed, start=start, stop=stop)
    for batch in divide_splits(splits):
        for record in records.values():
            record.append_batch(len(batch))
        for is_apparent in (True, False):
            positions = [
                at for at, split in enumerate(batch) if (split.label == APPARENT) is is_apparent
            ]
            # Together, because a learner that predicts many splits in one pass is not slower.
            splits_of_kind = [batch[at] for at in positions]
            by_learner = run_path(
                group, data, splits_of_kind, loss, seed, keep_predictions=is_apparent
            )
            for name, outcomes in by_learner.items():
                if isinstance(outcomes, EvaluationError):
                    records[name].fail(outcomes)
                    continue
                for at, outcome in zip(positions, outcomes, strict=True):
                    gamma = _compute_gamma(data, loss, outcome) if is_apparent else _UNKNOWN
                    records[name].store(at - len(batch), outcome, gamma)
    return {name: record.collect() for name, record in records.items()}


@dataclass(slots=True)
class _LearnerRecord:
    """The losses of one learner, collected batch by batch."""

    losses: list[np.ndarray] = field(default_factory=list)
    gamma: list[float] = field(default_factory=list)
    cautions: Counter[Caution] = field(default_factory=Counter)
    error: EvaluationError | None = None

    def append_batch(self, n: int) -> None:
        """Append empty entries for a batch of n splits."""
        self.losses += [np.empty(0)] * n
        self.gamma += [_UNKNOWN] * n

    def store(self, at: int, outcome: SplitOutcome, gamma: float) -> None:
        """Store an outcome at a position, counted from the end."""
        self.losses[at], self.gamma[at] = outcome.losses, gamma
        self.cautions.update(outcome.cautions)

    def fail(self, error: EvaluationError) -> None:
        """Store the learner's first exception."""
        if self.error is None:
            error.message = f"In an extra fit: {error.message}"
            self.error = error

    def collect(self) -> LearnerRun | EvaluationError:
        """Return the collected arrays and cautions, or the exception."""
        if self.error is not None:
            return self.error
        arrays = {
            "losses": np.concatenate([np.empty(0), *self.losses]),
            "n_test": np.array([len(part) for part in self.losses], dtype=np.intp),
            "no_information": np.array(self.gamma),
        }
        return arrays, tuple(self.cautions)


def _compute_gamma(data: Data, loss: Loss, outcome: SplitOutcome) -> float:
    assert outcome.output is not None  # noqa: S101 - predictions of apparent splits are kept
    predictions = Predictions(
        output=outcome.output, probabilities=outcome.probabilities, scores=outcome.scores
    )
    return compute_no_information_error(loss, data.y[outcome.test], predictions)


def join_losses(data: Data, seed: int, parts: Sequence[Mapping[str, np.ndarray]]) -> RefitLosses:
    """Concatenate the arrays of one learner and one design, in the order of the splits."""
    losses: list[np.ndarray] = []
    gamma: list[float | None] = []
    for part in parts:
        if len(part["n_test"]) > 0:  # a batch may consist of empty splits
            losses.extend(np.split(part["losses"], np.cumsum(part["n_test"])[:-1]))
        gamma.extend(None if np.isnan(g) else float(g) for g in part["no_information"])
    return RefitLosses(
        rows=build_rows(data), seed=seed, losses=tuple(losses), no_information=tuple(gamma)
    )
