"""The loss table of all learners, and the cautions about their runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from thetahat.cautions import Caution
from thetahat.cross_validation.outcomes import Outcomes, SplitOutcome, as_outcomes
from thetahat.errors import InvalidParameter
from thetahat.losses.base import Loss
from thetahat.schemes.base import Rows
from thetahat.tables.data import Data
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import build_layout
from thetahat.values.sorted_rows import find_splits_sorted_by_truth
from thetahat.values.types import BlockKind, IntArray, Label

_NUMBER: Final = re.compile(r"(?<!\w)\d+(\.\d*)?(e[+-]?\d+)?")


def build_rows(data: Data) -> Rows:
    """Return the columns of the data that a scheme may use."""
    return Rows(
        n=data.n,
        y=data.y,
        source=data.source,
        fold=data.fold,
        time=data.time,
        classes=data.classes,
        cluster=data.cluster,
    )


def build_loss_table(
    data: Data,
    kind: BlockKind,
    outcomes: Mapping[str, Sequence[SplitOutcome]],
    loss: Loss,
    *,
    in_time: bool = False,
) -> LossTable:
    """Return the losses of all learners in one layout.

    Rows are split by split, in the order of the outcomes. An instance is identified by its row
    number in the file or request. Training sizes count distinct rows.

    Parameters
    ----------
    data : Data
        Used for the clusters of the rows, if it has any.
    kind : BlockKind
        What a block of the scheme is.
    outcomes : mapping of str to sequence of SplitOutcome
        By learner, in the order of the request; each with the same splits in the same order.
    in_time : bool
        Whether the splits are in the order of time. Clusters go before it.
    """
    by_learner = {name: as_outcomes(parts) for name, parts in outcomes.items()}
    _check_same_splits(by_learner)
    splits = next(iter(by_learner.values())).splits
    layout = build_layout(
        kind,
        _repeat_labels(splits.labels, splits.n_test),
        repeat=np.repeat(splits.repeat, splits.n_test),
        instance=data.row_numbers(splits.test),
        cluster=None if data.cluster is None else data.cluster[splits.test],
        time=_list_times(data, splits.test) if in_time and data.cluster is None else None,
        n_train=np.repeat(splits.n_train.astype(np.float64), splits.n_test),
    )
    are_sorted = find_splits_sorted_by_truth(data.y[splits.test], layout)
    layout = replace(layout, are_sorted_by_truth=are_sorted)
    models = {name: BlockLosses(layout, values=o.losses) for name, o in by_learner.items()}
    return LossTable(
        layout,
        models,
        loss_range=loss.value_range,
        left_out=data.left_out,
    )


def _list_times(data: Data, rows: IntArray) -> list[Label] | None:
    """Return the times of rows as numbers or texts; None where they are not known."""
    if data.time is None:
        return None
    times = data.time[rows]
    labels: list[Label] = (
        np.datetime_as_string(times) if times.dtype.kind == "M" else times
    ).tolist()
    return labels


def summarise_learner_cautions(
    outcomes: Mapping[str, Sequence[SplitOutcome]],
) -> tuple[Caution, ...]:
    """Return the cautions of the learners, each sentence once, with its number of splits."""
    cautions: list[Caution] = []
    for name, of_learner in outcomes.items():
        by_split = [of_split for _, of_split in sorted(as_outcomes(of_learner).cautions.items())]
        cautions += count_cautions(name, by_split, len(of_learner))
    return tuple(cautions)


def count_cautions(
    name: str, by_split: Iterable[Sequence[Caution]], n_splits: int
) -> Iterator[Caution]:
    """Yield the cautions of one learner, each sentence once, with its number of splits.

    Sentences that differ only in numbers, such as the gap to the optimum in each split, count as
    one; the first is returned. ``by_split`` has the cautions of each split, in the order of the
    splits, where splits without any may be left out; ``n_splits`` is the number of all splits.
    """
    counts: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], Caution] = {}
    for of_split in by_split:
        by_sentence = {(c.code, _NUMBER.sub("#", c.message)): c for c in reversed(of_split)}
        counts.update(by_sentence.keys())
        first = by_sentence | first
    for sentence, count in sorted(counts.items()):
        yield first[sentence].with_prefix(f"Learner {name!r}, in {count} of {n_splits} splits")


def _repeat_labels(labels: Sequence[Label], sizes: IntArray) -> Sequence[Label] | IntArray:
    """Return the (n,) block label of each row; integers as an array, which is encoded faster."""
    if isinstance(labels, range) or all(type(label) is int for label in labels):
        return np.repeat(np.array(labels, dtype=np.intp), sizes)
    pairs = zip(labels, sizes.tolist(), strict=True)
    return [label for label, size in pairs for _ in range(size)]


def _check_same_splits(outcomes: Mapping[str, Outcomes]) -> None:
    if not outcomes:
        raise InvalidParameter("The loss table needs at least one learner.", loc=("learners",))
    names = list(outcomes)
    first = outcomes[names[0]].splits
    for name in names[1:]:
        other = outcomes[name].splits
        if not (
            np.array_equal(first.n_test, other.n_test) and np.array_equal(first.test, other.test)
        ):
            raise InvalidParameter(
                f"The learners {names[0]!r} and {name!r} were not tested on the same splits.",
                loc=("learners", name),
            )
