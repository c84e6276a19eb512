"""The losses and predictions of one learner on many splits, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from thetahat.cautions import Caution
from thetahat.schemes.base import Split
from thetahat.values.types import FloatArray, IntArray, Label

PREDICTION_FIELDS = ("output", "probabilities", "scores")
"""Names of the predictions that an outcome can have."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SplitOutcome:
    """Losses and predictions of one learner on one split."""

    repeat: int
    block: int
    """Repeat and block of the split."""
    label: Label
    """Label of the block."""
    n_train: int
    """Number of distinct training rows."""
    test: IntArray
    """(n_test,) row numbers, ascending."""
    losses: FloatArray
    """(n_test,) finite."""
    output: np.ndarray | None = None
    """(n_test,) class codes or values, if predictions are kept."""
    probabilities: FloatArray | None = None
    """(n_test, n_classes), if predictions are kept and the learner predicts probabilities."""
    scores: FloatArray | None = None
    """(n_test,) decision values, if predictions are kept and the learner computes them."""
    cautions: tuple[Caution, ...] = ()
    """Warnings of the learner."""
    fit_reason: str | None = None
    """Why the learner was fitted on this training part; None if the test part was predicted from
    quantities that all splits share."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SplitTable:
    """J splits and their test rows; the same for every learner."""

    repeat: IntArray
    block: IntArray
    labels: Sequence[Label]
    """(J,) label of the block of each split."""
    n_train: IntArray
    n_test: IntArray
    test: IntArray
    """(M,) test rows, split after split."""
    ends: IntArray = field(init=False)  # where the test rows of each split end

    def __post_init__(self) -> None:
        object.__setattr__(self, "ends", np.cumsum(self.n_test))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Outcomes(Sequence[SplitOutcome]):
    """The outcomes of J splits as a few arrays; an outcome is built, as views, when it is read."""

    splits: SplitTable
    """The splits."""
    losses: FloatArray
    output: np.ndarray | None = None
    probabilities: FloatArray | None = None
    scores: FloatArray | None = None
    """All four (M, ...) values of the test rows, split after split."""
    cautions: Mapping[int, tuple[Caution, ...]] = field(default_factory=dict)
    fit_reason: Mapping[int, str] = field(default_factory=dict)
    """Both by the position of the split, for splits that have any."""

    def __len__(self) -> int:
        return len(self.splits.ends)

    @overload
    def __getitem__(self, at: int) -> SplitOutcome: ...
    @overload
    def __getitem__(self, at: slice) -> list[SplitOutcome]: ...
    def __getitem__(self, at: int | slice) -> SplitOutcome | list[SplitOutcome]:
        if isinstance(at, slice):
            return [self[position] for position in range(len(self))[at]]
        position, splits = range(len(self))[at], self.splits
        rows = self.find_rows(position)
        predictions = {name: part[rows] for name, part in self.list_predictions().items()}
        return SplitOutcome(
            repeat=int(splits.repeat[position]),
            block=int(splits.block[position]),
            label=splits.labels[position],
            n_train=int(splits.n_train[position]),
            test=splits.test[rows],
            losses=self.losses[rows],
            cautions=self.cautions.get(position, ()),
            fit_reason=self.fit_reason.get(position),
            **predictions,
        )

    def find_rows(self, position: int) -> slice:
        """Return the range of a split's test rows in the arrays."""
        end = int(self.splits.ends[position])
        return slice(end - int(self.splits.n_test[position]), end)

    def list_predictions(self) -> dict[str, np.ndarray]:
        """Return the arrays of predictions that are not None, by name."""
        arrays = {name: getattr(self, name) for name in PREDICTION_FIELDS}
        return {name: part for name, part in arrays.items() if part is not None}

    @property
    def reasons(self) -> list[str | None]:
        """(J,) reason why the learner was fitted on each split; None if it was not."""
        return [self.fit_reason.get(position) for position in range(len(self))]


def as_outcomes(outcomes: Sequence[SplitOutcome]) -> Outcomes:
    """Return the same outcomes as arrays; predictions are kept if every outcome has them."""
    if isinstance(outcomes, Outcomes):
        return outcomes
    predictions: dict[str, Any] = {}
    for name in PREDICTION_FIELDS:
        parts = [getattr(outcome, name) for outcome in outcomes]
        if parts and all(part is not None for part in parts):
            predictions[name] = np.concatenate(parts)
    return Outcomes(
        splits=describe_splits(outcomes),
        losses=np.concatenate([np.empty(0), *(o.losses for o in outcomes)]),
        cautions={at: o.cautions for at, o in enumerate(outcomes) if o.cautions},
        fit_reason={at: o.fit_reason for at, o in enumerate(outcomes) if o.fit_reason is not None},
        **predictions,
    )


def join_outcomes(parts: Sequence[Sequence[SplitOutcome]]) -> Outcomes:
    """Concatenate the outcomes of several batches of splits."""
    batches = [as_outcomes(part) for part in parts if len(part)]
    if len(batches) == 1:
        return batches[0]
    if not batches:
        return as_outcomes([])
    starts = np.cumsum([0, *(len(batch) for batch in batches)]).tolist()
    with_start = list(zip(starts[:-1], batches, strict=True))
    names = set.intersection(*(set(batch.list_predictions()) for batch in batches))
    predictions: dict[str, Any] = {
        name: np.concatenate([batch.list_predictions()[name] for batch in batches])
        for name in names
    }
    columns = {
        name: np.concatenate([getattr(batch.splits, name) for batch in batches])
        for name in ("repeat", "block", "n_train", "n_test", "test")
    }
    labels = [label for batch in batches for label in batch.splits.labels]
    return Outcomes(
        splits=SplitTable(labels=labels, **columns),
        losses=np.concatenate([batch.losses for batch in batches]),
        cautions={
            at + start: cautions
            for start, batch in with_start
            for at, cautions in batch.cautions.items()
        },
        fit_reason={
            at + start: reason
            for start, batch in with_start
            for at, reason in batch.fit_reason.items()
        },
        **predictions,
    )


def describe_splits(splits: Sequence[Split | SplitOutcome]) -> SplitTable:
    """Return the splits, or those of outcomes, as arrays."""
    return SplitTable(
        repeat=_convert_to_int_array(split.repeat for split in splits),
        block=_convert_to_int_array(split.block for split in splits),
        labels=[split.label for split in splits],
        n_train=_convert_to_int_array(split.n_train for split in splits),
        n_test=_convert_to_int_array(len(split.test) for split in splits),
        test=np.concatenate([np.empty(0, dtype=np.intp), *(split.test for split in splits)]),
    )


def describe_single_rows(n: int, rows: range) -> SplitTable:
    """Return the leave-one-out splits of ``rows`` of n rows as arrays."""
    numbers = np.arange(rows.start, rows.stop, dtype=np.intp)
    return SplitTable(
        repeat=np.zeros(len(rows), dtype=np.intp),
        block=numbers,
        labels=rows,
        n_train=np.full(len(rows), n - 1, dtype=np.intp),
        n_test=np.ones(len(rows), dtype=np.intp),
        test=numbers,
    )


def replace_outcomes(
    splits: SplitTable,
    arrays: Mapping[str, Any],
    replacements: Mapping[int, SplitOutcome],
    *,
    keep_predictions: bool,
) -> Outcomes:
    """Return the outcomes from arrays, with those of some splits replaced.

    ``arrays`` are (M, ...) ``losses`` and predictions, in which the values of replaced splits are
    not used. ``replacements`` are by the position of the split; predictions that one of them lacks
    are dropped for all.
    """
    names = ("losses", *PREDICTION_FIELDS) if keep_predictions else ("losses",)
    values: dict[str, Any] = {name: arrays[name] for name in names if name in arrays}
    outcomes = Outcomes(splits=splits, **values)
    if not replacements:
        return outcomes
    values = {
        name: part.copy()
        for name, part in values.items()
        if all(getattr(outcome, name) is not None for outcome in replacements.values())
    }
    for at, outcome in replacements.items():
        for name, part in values.items():
            part[outcomes.find_rows(at)] = getattr(outcome, name)
    return Outcomes(
        splits=splits,
        cautions={at: o.cautions for at, o in replacements.items() if o.cautions},
        fit_reason={at: o.fit_reason for at, o in replacements.items() if o.fit_reason is not None},
        **values,
    )


def _convert_to_int_array(numbers: Iterable[int]) -> IntArray:
    return np.fromiter(numbers, dtype=np.intp)
