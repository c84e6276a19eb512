"""From the outcomes of all learners to one loss table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from thetahat.cautions import CLUSTERS_CROSS_BLOCKS, Caution
from thetahat.cross_validation.outcomes import Outcomes, SplitOutcome, gathered
from thetahat.errors import InvalidParameter
from thetahat.losses.base import Loss
from thetahat.schemes.base import Rows
from thetahat.tables.data import Data
from thetahat.tables.labels import encode_labels
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import layout_of
from thetahat.values.types import BlockKind, IntArray, Label

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
        cluster=data.cluster,
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
    found = {name: gathered(of_model) for name, of_model in outcomes.items()}
    _check_same_splits(found)
    places = next(iter(found.values())).places
    layout = layout_of(
        kind,
        _repeated(places.labels, places.n_test),
        repeat=np.repeat(places.repeat, places.n_test),
        instance=places.test,
        cluster=None if data.cluster is None else data.cluster[places.test],
        n_train=np.repeat(places.n_train.astype(np.float64), places.n_test),
    )
    models = {name: BlockLosses(layout, values=of_model.losses) for name, of_model in found.items()}
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
        for _, warned in sorted(gathered(of_model).cautions.items()):
            kinds = {(c.code, _NUMBER.sub("#", c.message)): c for c in reversed(warned)}
            counts.update(kinds.keys())
            first = kinds | first
        told.extend(
            first[kind].with_prefix(f"Learner {name!r}, in {count} of {len(of_model)} splits")
            for kind, count in sorted(counts.items())
        )
    return tuple(told)


def cautions_of_clusters(
    data: Data, kind: BlockKind, outcomes: Sequence[SplitOutcome]
) -> tuple[Caution, ...]:
    """Return whether one test set shares clusters with what was learnt from.

    Folds that cut clusters are seen in the layout of the losses, and told there.
    """
    if data.cluster is None or kind is not BlockKind.HOLDOUT:
        return ()
    tested = np.zeros(data.n, dtype=np.bool_)
    tested[gathered(outcomes).places.test] = True
    codes, labels = encode_labels(data.cluster)
    here, there = (np.bincount(codes[rows], minlength=len(labels)) for rows in (tested, ~tested))
    n_cut = int(np.count_nonzero((here > 0) & (there > 0)))
    if not n_cut:
        return ()
    return (CLUSTERS_CROSS_BLOCKS(n_cut=n_cut, n_clusters=len(labels)),)


def _repeated(labels: Sequence[Label], sizes: IntArray) -> Sequence[Label] | IntArray:
    """(n,) block label of each row; numbers as an array, which is coded the faster."""
    if isinstance(labels, range) or all(type(label) is int for label in labels):
        return np.repeat(np.array(labels, dtype=np.intp), sizes)
    pairs = zip(labels, sizes.tolist(), strict=True)
    return [label for label, size in pairs for _ in range(size)]


def _check_same_splits(outcomes: Mapping[str, Outcomes]) -> None:
    if not outcomes:
        raise InvalidParameter("there is no learner", loc=("learners",))
    names = list(outcomes)
    first = outcomes[names[0]].places
    for name in names[1:]:
        other = outcomes[name].places
        if not (
            np.array_equal(first.n_test, other.n_test) and np.array_equal(first.test, other.test)
        ):
            raise InvalidParameter(
                f"learners {names[0]!r} and {name!r} were not tested on the same splits",
                loc=("learners", name),
            )
