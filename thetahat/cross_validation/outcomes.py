"""What one learner did on each of many splits, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from thetahat.cautions import Caution
from thetahat.schemes.base import Split
from thetahat.values.types import FloatArray, IntArray, Label

KEPT = ("output", "probabilities", "scores")
"""What an outcome may carry of the predictions."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SplitOutcome:
    """What one learner did on one split.

    Parameters
    ----------
    repeat, block : int
        Which split.
    label : label
        What its block is called.
    n_train : int
        Different rows that were learnt from.
    test : ndarray of int
        (n_test,) row numbers, ascending.
    losses : ndarray of float
        (n_test,) finite.
    output : ndarray or None
        (n_test,) class codes or values, where predictions are kept.
    probabilities : ndarray of float or None
        (n_test, n_classes), where predictions are kept and the learner gives them.
    scores : ndarray of float or None
        (n_test,) decision values, likewise.
    cautions : tuple of Caution
        What the learner warned of.
    why_plain : str or None
        Why the learner was fitted on this training part; None where the test part was predicted
        from what all rows share.
    """

    repeat: int
    block: int
    label: Label
    n_train: int
    test: IntArray
    losses: FloatArray
    output: np.ndarray | None = None
    probabilities: FloatArray | None = None
    scores: FloatArray | None = None
    cautions: tuple[Caution, ...] = ()
    why_plain: str | None = None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Places:
    """J splits, and the rows that each is tested on; the same for every learner.

    Parameters
    ----------
    repeat, block, n_train, n_test : ndarray of int
        (J,) of each split.
    labels : sequence of label
        (J,).
    test : ndarray of int
        (M,) rows of the splits, one split's after another's.
    """

    repeat: IntArray
    block: IntArray
    labels: Sequence[Label]
    n_train: IntArray
    n_test: IntArray
    test: IntArray
    ends: IntArray = field(init=False)  # where the rows of each split end

    def __post_init__(self) -> None:
        object.__setattr__(self, "ends", np.cumsum(self.n_test))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Outcomes(Sequence[SplitOutcome]):
    """The outcomes of J splits; each is made when it is asked for, and is a view of the arrays.

    Thousands of splits of one row each are a few arrays, and not thousands of values.

    Parameters
    ----------
    places : Places
        Which splits.
    losses, output, probabilities, scores : ndarray or None
        (M, ...) those of the splits, one after another.
    cautions, why_plain : mapping
        By the split's place among the J, where there are any.
    """

    places: Places
    losses: FloatArray
    output: np.ndarray | None = None
    probabilities: FloatArray | None = None
    scores: FloatArray | None = None
    cautions: Mapping[int, tuple[Caution, ...]] = field(default_factory=dict)
    why_plain: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.places.ends)

    @overload
    def __getitem__(self, at: int) -> SplitOutcome: ...
    @overload
    def __getitem__(self, at: slice) -> list[SplitOutcome]: ...
    def __getitem__(self, at: int | slice) -> SplitOutcome | list[SplitOutcome]:
        if isinstance(at, slice):
            return [self[place] for place in range(len(self))[at]]
        place, places = range(len(self))[at], self.places
        rows = self.rows(place)
        kept = {name: part[rows] for name, part in self.kept().items()}
        return SplitOutcome(
            repeat=int(places.repeat[place]),
            block=int(places.block[place]),
            label=places.labels[place],
            n_train=int(places.n_train[place]),
            test=places.test[rows],
            losses=self.losses[rows],
            cautions=self.cautions.get(place, ()),
            why_plain=self.why_plain.get(place),
            **kept,
        )

    def rows(self, place: int) -> slice:
        """Where a split's rows stand in the arrays."""
        end = int(self.places.ends[place])
        return slice(end - int(self.places.n_test[place]), end)

    def kept(self) -> dict[str, np.ndarray]:
        """Return the arrays of predictions that there are."""
        found = {name: getattr(self, name) for name in KEPT}
        return {name: part for name, part in found.items() if part is not None}

    @property
    def reasons(self) -> list[str | None]:
        """(J,) why each split was fitted."""
        return [self.why_plain.get(place) for place in range(len(self))]


def gathered(outcomes: Sequence[SplitOutcome]) -> Outcomes:
    """Return the same outcomes as arrays; predictions are kept where every outcome has them."""
    if isinstance(outcomes, Outcomes):
        return outcomes
    kept: dict[str, Any] = {}
    for name in KEPT:
        parts = [getattr(outcome, name) for outcome in outcomes]
        if parts and all(part is not None for part in parts):
            kept[name] = np.concatenate(parts)
    places = Places(
        repeat=_whole(o.repeat for o in outcomes),
        block=_whole(o.block for o in outcomes),
        labels=[o.label for o in outcomes],
        n_train=_whole(o.n_train for o in outcomes),
        n_test=_whole(len(o.test) for o in outcomes),
        test=np.concatenate([np.empty(0, dtype=np.intp), *(o.test for o in outcomes)]),
    )
    return Outcomes(
        places=places,
        losses=np.concatenate([np.empty(0), *(o.losses for o in outcomes)]),
        cautions={at: o.cautions for at, o in enumerate(outcomes) if o.cautions},
        why_plain={at: o.why_plain for at, o in enumerate(outcomes) if o.why_plain is not None},
        **kept,
    )


def joined(parts: Sequence[Sequence[SplitOutcome]]) -> Outcomes:
    """Return the outcomes of several stretches of splits as those of one."""
    found = [gathered(part) for part in parts if len(part)]
    if len(found) == 1:
        return found[0]
    if not found:
        return gathered([])
    starts = np.cumsum([0, *(len(part) for part in found)]).tolist()
    pairs = list(zip(starts[:-1], found, strict=True))
    names = set.intersection(*(set(part.kept()) for part in found))
    kept: dict[str, Any] = {
        name: np.concatenate([part.kept()[name] for part in found]) for name in names
    }
    numbers = ("repeat", "block", "n_train", "n_test", "test")
    arrays = {
        name: np.concatenate([getattr(part.places, name) for part in found]) for name in numbers
    }
    labels = [label for part in found for label in part.places.labels]
    return Outcomes(
        places=Places(labels=labels, **arrays),
        losses=np.concatenate([part.losses for part in found]),
        cautions={at + start: told for start, p in pairs for at, told in p.cautions.items()},
        why_plain={at + start: why for start, p in pairs for at, why in p.why_plain.items()},
        **kept,
    )


def places_of(splits: Sequence[Split]) -> Places:
    """Return the places of splits."""
    return Places(
        repeat=_whole(split.repeat for split in splits),
        block=_whole(split.block for split in splits),
        labels=[split.label for split in splits],
        n_train=_whole(split.n_train for split in splits),
        n_test=_whole(len(split.test) for split in splits),
        test=np.concatenate([np.empty(0, dtype=np.intp), *(split.test for split in splits)]),
    )


def one_row_each(n: int, rows: range) -> Places:
    """Return the places of splits that leave out one of n rows each."""
    at = np.arange(rows.start, rows.stop, dtype=np.intp)
    return Places(
        repeat=np.zeros(len(rows), dtype=np.intp),
        block=at,
        labels=rows,
        n_train=np.full(len(rows), n - 1, dtype=np.intp),
        n_test=np.ones(len(rows), dtype=np.intp),
        test=at,
    )


def with_others(
    places: Places,
    arrays: Mapping[str, Any],
    by_itself: Mapping[int, SplitOutcome],
    *,
    keep_predictions: bool,
) -> Outcomes:
    """Return the outcomes that arrays tell, but for some that were run by themselves.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        ``losses`` and predictions, (M, ...); those of the splits in ``by_itself`` are not looked
        at.
    by_itself : mapping of int to SplitOutcome
        By the split's place.
    """
    names = ("losses", *KEPT) if keep_predictions else ("losses",)
    own: dict[str, Any] = {name: arrays[name] for name in names if name in arrays}
    told = Outcomes(places=places, **own)
    if not by_itself:
        return told
    own = {name: part.copy() for name, part in own.items()}
    for at, outcome in by_itself.items():
        for name, part in own.items():
            part[told.rows(at)] = getattr(outcome, name)
    return Outcomes(
        places=places,
        cautions={at: o.cautions for at, o in by_itself.items() if o.cautions},
        why_plain={at: o.why_plain for at, o in by_itself.items() if o.why_plain is not None},
        **own,
    )


def _whole(numbers: Iterable[int]) -> IntArray:
    return np.fromiter(numbers, dtype=np.intp)
