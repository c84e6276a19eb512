"""From the outcomes of all learners to one loss table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from thetahat.block_losses import BlockLosses, LossTable
from thetahat.data import Data
from thetahat.errors import InvalidParameter
from thetahat.layout import layout_of
from thetahat.losses.base import Loss
from thetahat.resampling.runner import SplitOutcome
from thetahat.schemes.base import Rows
from thetahat.types import BlockKind, Caution, IntArray, Label

_NUMBER: Final = re.compile(r"(?<!\w)\d+(\.\d*)?(e[+-]?\d+)?")


def rows_of(data: Data) -> Rows:
    """Return what a scheme may know of the data."""
    return Rows(
        n=data.n,
        y=data.y,
        source=data.source,
        fold=data.fold,
        time=data.time,
        classes=data.classes,
    )


def loss_table(
    data: Data,
    kind: BlockKind,
    outcomes: Mapping[str, Sequence[SplitOutcome]],
    loss: Loss,
) -> LossTable:
    """Put the losses of all learners over one layout.

    Rows stand split by split, in the order of the outcomes; an instance is called by its row
    number in the data, and training sizes are those that were really learnt from.

    Parameters
    ----------
    data : Data
        For the clusters of the rows, where it has any.
    kind : BlockKind
        What the scheme says a block is.
    outcomes : mapping of str to sequence of SplitOutcome
        By learner, in the request's order; the same splits in the same order for each.
    """
    _check_same_splits(outcomes)
    first = next(iter(outcomes.values()))
    sizes = [len(outcome.test) for outcome in first]
    instance = np.concatenate([outcome.test for outcome in first])
    layout = layout_of(
        kind,
        _repeated([outcome.label for outcome in first], sizes),
        repeat=np.repeat(np.array([o.repeat for o in first], dtype=np.intp), sizes),
        instance=instance,
        cluster=None if data.cluster is None else data.cluster[instance],
        n_train=np.repeat(np.array([o.n_train for o in first], dtype=np.float64), sizes),
    )
    models = {
        name: BlockLosses(layout, values=np.concatenate([outcome.losses for outcome in of_model]))
        for name, of_model in outcomes.items()
    }
    return LossTable(layout, models, loss_range=loss.value_range)


def cautions_of(outcomes: Mapping[str, Sequence[SplitOutcome]]) -> tuple[Caution, ...]:
    """Return what the learners warned of, each sentence once, with the number of its splits.

    Sentences that differ in their numbers alone, as a gap to the optimum does from split to split,
    are one: the first is told.
    """
    told: list[Caution] = []
    for name, of_model in outcomes.items():
        counts: Counter[tuple[str, str]] = Counter()
        first: dict[tuple[str, str], Caution] = {}
        for outcome in of_model:
            kinds = {(c.code, _NUMBER.sub("#", c.message)): c for c in reversed(outcome.cautions)}
            counts.update(kinds.keys())
            first = kinds | first
        told.extend(
            Caution(
                first[kind].code,
                f"learner {name!r}, in {count} of {len(of_model)} splits: {first[kind].message}",
            )
            for kind, count in sorted(counts.items())
        )
    return tuple(told)


def _repeated(labels: Sequence[Label], sizes: Sequence[int]) -> Sequence[Label] | IntArray:
    """(n,) block label of each row; numbers as an array, which is coded the faster."""
    if all(type(label) is int for label in labels):
        return np.repeat(np.array(labels, dtype=np.intp), sizes)
    return [label for label, size in zip(labels, sizes, strict=True) for _ in range(size)]


def _check_same_splits(outcomes: Mapping[str, Sequence[SplitOutcome]]) -> None:
    if not outcomes:
        raise InvalidParameter("there is no learner", loc=("learners",))
    names = list(outcomes)
    first = outcomes[names[0]]
    for name in names[1:]:
        other = outcomes[name]
        if len(other) != len(first) or not all(
            np.array_equal(a.test, b.test) for a, b in zip(first, other, strict=True)
        ):
            raise InvalidParameter(
                f"learners {names[0]!r} and {name!r} were not tested on the same splits",
                loc=("learners", name),
            )
