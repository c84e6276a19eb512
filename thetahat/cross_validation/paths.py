"""Learners that differ in one parameter alone, run over the splits of a scheme together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, Final

import numpy as np

from thetahat.cross_validation.learner_cautions import Gathering, Told
from thetahat.cross_validation.learner_groups import Group, bare_of
from thetahat.cross_validation.leave_one_out import OneLeftOut, each_of
from thetahat.cross_validation.many_splits import LEARNS_TO_PREPARE, part_of
from thetahat.cross_validation.outcomes import (
    Outcomes,
    Places,
    SplitOutcome,
    joined,
    one_row_each,
    places_of,
    with_others,
)
from thetahat.cross_validation.prepared import prepared_once
from thetahat.cross_validation.runner import run_splits
from thetahat.errors import EvaluationError
from thetahat.learners.base import OrdinaryFit, OverPath
from thetahat.losses.base import Loss
from thetahat.schemes.base import OneRowEach, Split
from thetahat.tables.data import Data

_AT_ONCE: Final = 8_000_000
"""Predicted numbers held at a time, over all learners of a path, and row numbers likewise."""


def run_path(  # noqa: PLR0913 - as run_splits
    group: Group,
    data: Data,
    splits: Iterable[Split],
    loss: Loss,
    seed: int,
    *,
    keep_predictions: bool = False,
) -> dict[str, Sequence[SplitOutcome] | EvaluationError]:
    """Run the learners of a group over splits; what each gives is what it gives by itself.

    To 1e-8: the sums behind the numbers are taken in another order than for one learner. Like
    those of ``run_splits`` they depend on the seed, the names, the data and the split, and also
    on who is in the group; not on which other splits are run. Where the path of a learner is not
    good for a split, the learner is run on it by itself.

    Returns
    -------
    dict
        By name, in the group's order: the outcomes of all splits, or what the learner was
        refused with, as ``run_splits`` raises it. One that is refused stops no other.
    """
    prepared = [prepared_once(learner, data) for learner in group.learners]
    group = replace(group, learners=tuple(learner for learner, _ in prepared))
    _, data = prepared[0]
    run = _Run(group, data, loss, seed, keep_predictions=keep_predictions)
    if len(group.names) == 1:
        return {group.names[0]: run.alone(0, splits)}
    is_path = bare_of(group.learners[0]) is group.learners[0]
    shared = _of_all_rows(group, data) if is_path else LEARNS_TO_PREPARE
    if isinstance(shared, OrdinaryFit):
        again = splits if isinstance(splits, OneRowEach) else list(splits)
        return {name: run.alone(at, copy(again)) for at, name in enumerate(group.names)}
    parts: dict[str, list[Sequence[SplitOutcome]]] = {name: [] for name in group.names}
    errors: dict[str, EvaluationError] = {}
    for piece in run.pieces(shared, splits):
        for name, done in zip(group.names, run.finished(piece, errors), strict=True):
            if isinstance(done, EvaluationError):
                errors[name] = done
            else:
                parts[name].append(done)
    return {
        name: errors.get(name) or (own[0] if len(own) == 1 else joined(own))
        for name, own in parts.items()
    }


@lru_cache(maxsize=2)
def _of_all_rows(group: Group, data: Data) -> OverPath | OrdinaryFit:
    first: Any = group.learners[0]
    with np.errstate(all="ignore"):
        shared: OverPath | OrdinaryFit = first.over_path(
            group.values, data.features, data.y, weights=data.weight, n_classes=data.n_classes
        )
    return shared


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """Some splits, and what all learners say of the rows that these are tested on."""

    places: Places
    told: Told
    split_at: Callable[[int], Split]
    all_fit: np.ndarray = field(init=False)  # by learner
    arrays: dict[str, Any] = field(init=False)  # losses and predictions; learners come first

    def __post_init__(self) -> None:
        arrays = {name: part for name, part in self.told.arrays().items() if name != "fits"}
        object.__setattr__(self, "arrays", arrays)
        object.__setattr__(self, "all_fit", self.told.fits.all(axis=1))

    def unfit(self, learner: int) -> list[int]:
        """Places of the splits that the learner has to be run on by itself."""
        unfit = np.flatnonzero(~self.told.fits[learner])
        at = np.searchsorted(self.places.ends, unfit, side="right")
        return [int(place) for place in np.unique(at)]


@dataclass(frozen=True, slots=True)
class _Run:
    """One call of ``run_path``."""

    group: Group
    data: Data
    loss: Loss
    seed: int
    keep_predictions: bool

    def alone(self, at: int, splits: Iterable[Split]) -> Sequence[SplitOutcome] | EvaluationError:
        """Run one learner by itself."""
        try:
            return run_splits(
                self.group.names[at],
                self.group.learners[at],
                self.data,
                splits,
                self.loss,
                self.seed,
                keep_predictions=self.keep_predictions,
            )
        except EvaluationError as error:
            return error

    def finished(
        self, piece: _Piece, errors: Mapping[str, EvaluationError]
    ) -> Iterator[Outcomes | EvaluationError]:
        """Give each learner's outcomes, but of those that were refused before only the refusal."""
        places, names = piece.places, tuple(piece.arrays)
        all_fit = piece.all_fit.tolist()
        for at, own in enumerate(zip(*piece.arrays.values(), strict=True)):
            arrays = dict(zip(names, own, strict=True))
            refused = errors.get(self.group.names[at]) if errors else None
            if refused is not None:
                yield refused
            elif all_fit[at]:
                yield Outcomes(places=places, **arrays)
            else:
                yield self._with_own(at, piece, arrays)

    def _with_own(
        self, at: int, piece: _Piece, arrays: Mapping[str, Any]
    ) -> Outcomes | EvaluationError:
        """Return one learner's outcomes; those that the path is not good for by itself."""
        unfit = piece.unfit(at)
        by_itself = self.alone(at, map(piece.split_at, unfit))
        if isinstance(by_itself, EvaluationError):
            return by_itself
        own = dict(zip(unfit, by_itself, strict=True))
        return with_others(piece.places, arrays, own, keep_predictions=self.keep_predictions)

    def pieces(self, shared: OverPath, splits: Iterable[Split]) -> Iterator[_Piece]:
        """Cut the splits so that what is held at a time has an end."""
        each = each_of(shared)
        most = _AT_ONCE // (len(self.group.names) * max(1, self.data.n_classes))
        if isinstance(splits, OneRowEach) and each is not None:
            n_learners, step = len(self.group.names), max(1, most)
            alone = OneLeftOut(
                each, self.data, self.loss, n_learners=n_learners, keep=self.keep_predictions
            )
            for first in range(0, len(splits.rows), step):
                rows = splits.rows[first : first + step]
                split_at = partial(_leaving_out, splits, rows)
                yield _Piece(one_row_each(splits.n, rows), alone.of(rows), split_at)
            return
        held: list[Split] = []
        n_listed = n_test = 0
        for split in splits:
            held.append(split)
            n_listed, n_test = n_listed + split.n_listed, n_test + len(split.test)
            if n_test > most or n_listed > _AT_ONCE:
                yield self._of_splits(shared, held)
                held, n_listed, n_test = [], 0, 0
        if held:
            yield self._of_splits(shared, held)

    def _of_splits(self, shared: OverPath, splits: list[Split]) -> _Piece:
        parts = [part_of(split, self.data.n) for split in splits]
        places, at_once = places_of(splits), getattr(shared, "predict_all", None)
        found = Gathering(len(self.group.names), len(places.test), keep=self.keep_predictions)
        with np.errstate(all="ignore"):
            if hasattr(shared, "errors"):
                into = found.room([len(part.test) for part in parts])
                written = zip(parts, into, shared.errors(parts, into), strict=True)
                for part, errors, fits in written:
                    found.add_errors(errors, fits, self.data.y[part.test], self.loss)
                return _Piece(places, found.told(), splits.__getitem__)
            told = at_once(parts) if at_once is not None else map(shared.predict, parts)
            for part, (said, fits) in zip(parts, told, strict=True):
                found.add(said, fits[:, None], self.data.y[part.test], self.loss)
        return _Piece(places, found.told(), splits.__getitem__)


def _leaving_out(splits: OneRowEach, rows: range, at: int) -> Split:
    return splits.leaving_out(rows[at])
