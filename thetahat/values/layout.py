"""The layout of losses: the split, repeat, cluster and instance of each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter, UnsupportedCombination
from thetahat.tables.labels import encode_label_array, encode_labels
from thetahat.values.time_order import order_times
from thetahat.values.training_sizes import read_training_sizes
from thetahat.values.types import BlockKind, BoolArray, FloatArray, IntArray, Label
from thetahat.values.words import Words, choose_words

if TYPE_CHECKING:
    from thetahat.values.judge import JudgeDesign


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The shape that the losses of all models of one evaluation share.

    A *split* is one test block of one repeat; splits are numbered repeat by repeat, inside a
    repeat by the block's code. J = number of splits, K = number of block labels.
    """

    kind: BlockKind
    """What a block is."""
    words: Words
    """What sentences call a block and a value."""
    block_labels: tuple[Label, ...]
    """(K,) labels in order of first appearance in the input."""
    split_block: IntArray
    split_repeat: IntArray
    """(J,) code of the block and of the repeat of each split."""
    n_test: FloatArray
    """(J,) number of test instances of each split."""
    n_train: FloatArray | None
    """(J,) number of training instances of each split; None where there is none (a holdout, or
    sources that the models were not trained on), and where it is not known (subsamples)."""
    order: IntArray | None = None
    """(n,) rows sorted by split, stable; None where the rows are already sorted."""
    starts: IntArray | None = None
    """(J + 1,) first sorted row of each split; None where only split means are known."""
    instance: IntArray | None = None
    cluster: IntArray | None = None
    """(n,) codes of instances and of clusters by row, in input order."""
    cluster_labels: tuple[Label, ...] = ()
    """Labels in order of first appearance."""
    time: IntArray | None = None
    """(n,) place of each row in time, from 0 on; None where the order of the rows means nothing."""
    time_labels: tuple[Label, ...] = ()
    """(T,) times in their order."""
    instance_labels: np.ndarray | None = None
    """(n_instances,) labels of the codes of ``instance``."""
    judge: JudgeDesign | None = None
    """How the rows were chosen for labelling, where a judge graded them and further rows."""
    are_sorted_by_truth: BoolArray | None = None
    """(K,) whether rows of equal true values stand together in a split of the first repeat, so that
    the order of its rows says nothing; None where the true values are not known."""

    @property
    def n_splits(self) -> int:
        """J, over all repeats."""
        return len(self.split_block)

    @property
    def n_repeats(self) -> int:
        """Number of partitions."""
        return int(self.split_repeat[-1]) + 1

    @property
    def n_blocks(self) -> int:
        """K: blocks in one partition (in the largest, where they differ)."""
        return int(np.bincount(self.split_repeat).max())

    @property
    def n_rows(self) -> int:
        """Number of losses of one model, over all repeats."""
        return int(self.n_test.sum())

    @property
    def is_tested_once(self) -> bool:
        """Whether instances are named and none is tested twice, as in forward chaining."""
        return self.instance is not None and self.n_rows == self.n_instances

    @property
    def is_set_in_time(self) -> bool:
        """Whether it is one test set in the order of time, whose rows are no independent units."""
        return self.kind is BlockKind.HOLDOUT and self.time is not None

    @property
    def n_instances(self) -> int:
        """Number of distinct test instances; of rows in one repeat if instances are not named.

        The rows of unnamed subsamples may be the same instances, so their number is that of the
        largest split, with its training instances if they are known.
        """
        if self.instance is not None:
            return int(self.instance.max()) + 1
        if self.kind is BlockKind.SUBSAMPLES:
            learnt = 0 if self.n_train is None else self.n_train
            return int((self.n_test + learnt).max())
        return int(np.bincount(self.split_repeat, weights=self.n_test).max())

    @property
    def smallest_block(self) -> int:
        """Size of the smallest split."""
        return int(self.n_test.min())

    @property
    def has_fixed_models(self) -> bool:
        """Whether no model was trained on any of these rows, because they were fitted elsewhere."""
        by_source = self.kind is BlockKind.SOURCE and self.n_train is None
        return by_source or self.kind is BlockKind.HOLDOUT

    @property
    def trains_on_other_folds(self) -> bool:
        """Whether each model was trained on all instances that it is not tested on."""
        return self.n_train is not None and bool(
            np.all(self.n_train + self.n_test == self.n_instances)
        )

    @property
    def has_one_row_each(self) -> bool:
        """Whether no instance is tested twice by design."""
        return self.n_repeats == 1 and self.kind is not BlockKind.SUBSAMPLES

    @property
    def is_matched(self) -> bool:
        """Whether the rows of an instance are known: each has one row, or instances are named."""
        return self.instance is not None or self.has_one_row_each

    @property
    def has_rows(self) -> bool:
        """Whether losses are known row by row, not only as one mean per split."""
        return self.starts is not None

    @property
    def test_to_train_ratio(self) -> float | None:
        """n_2 / n_1, the sum of test sizes over the sum of training sizes; None if unknown."""
        if self.n_train is None:
            return None
        return float(self.n_test.sum() / self.n_train.sum())

    def get_first_repeat(self) -> tuple[IntArray, IntArray]:
        """Return the (n,) rows of the first repeat, split by split, and where each split starts.

        The starts are (K + 1,), the last one is n. Inside a split rows are in input order.
        """
        if self.starts is None:
            raise InsufficientData("The losses are known only as one mean per split.")
        starts = self.starts[: np.count_nonzero(self.split_repeat == 0) + 1]
        n = int(starts[-1])
        return (np.arange(n) if self.order is None else self.order[:n]), starts

    def get_split_of_row(self) -> IntArray:
        """Return the (n,) split of each row, in input order."""
        if self.starts is None:
            raise InsufficientData("The losses are known only as one mean per split.")
        by_sorted = np.repeat(np.arange(self.n_splits, dtype=np.intp), np.diff(self.starts))
        if self.order is None:
            return by_sorted
        split = np.empty_like(by_sorted)
        split[self.order] = by_sorted
        return split


def build_layout(  # noqa: PLR0913 - one argument per column of the long form
    kind: BlockKind,
    block: Sequence[Label] | IntArray,
    *,
    repeat: Sequence[Label] | IntArray | None = None,
    instance: Sequence[Label] | IntArray | None = None,
    cluster: Sequence[Label] | IntArray | None = None,
    time: Sequence[Label] | IntArray | None = None,
    n_train: float | dict[Label, float] | FloatArray | None = None,
) -> Layout:
    """Build the layout of a loss matrix in long form.

    Parameters
    ----------
    kind : BlockKind
        What a block is.
    block, repeat, instance, cluster : sequence
        (n,) labels, one per row.
    time : sequence or None
        (n,) numbers or dates, for the rows of one test set that are in the order of time.
    n_train : float or mapping or ndarray or None
        Training size of every split, by block label, or (n,) of each row's split. None means the
        number of instances of the same repeat that are not in the block, and for a holdout and
        subsamples that it is unknown. 0 means that the models were not trained on any of the
        sources, such as language models and the tasks of a benchmark.

    Raises
    ------
    InvalidParameter
        Columns of different length, a bad training size, a time that is no number or date.
    UnsupportedCombination
        Times of several blocks, or beside clusters.
    InsufficientData
        No rows, one block where more are needed, several in a holdout, or several rows of one
        cluster alone.
    """
    block_codes, block_labels = encode_labels(block)
    n = len(block_codes)
    if n == 0:
        raise InsufficientData("There are no losses.", loc=("losses",))
    repeat_codes = np.zeros(n, dtype=np.intp) if repeat is None else encode_labels(repeat)[0]
    instance_codes, instance_labels = (
        (None, None) if instance is None else encode_label_array(instance)
    )
    cluster_codes, cluster_labels = (None, ()) if cluster is None else encode_labels(cluster)
    time_codes, time_labels = (None, ()) if time is None else order_times(time)
    _check_lengths(
        n, repeat=repeat_codes, instance=instance_codes, cluster=cluster_codes, time=time_codes
    )
    if len(cluster_labels) == 1 and n > 1:
        raise InsufficientData(
            f"All {n} rows are of the cluster {str(cluster_labels[0])!r}, and two clusters are "
            "needed: nothing shows how much another cluster would differ. Rows that are "
            "independent need no cluster.",
            loc=("cluster",),
            value=1,
        )
    if time is not None:
        _check_time_fits(kind, instance_codes, has_clusters=cluster is not None)
    if kind is BlockKind.SUBSAMPLES:
        _check_one_series(int(repeat_codes.max()) + 1, "repeat")
    elif instance_codes is not None:
        _check_tested_once(repeat_codes, instance_codes, instance_labels)

    if repeat is None:  # codes have no gaps
        present, split = np.arange(len(block_labels), dtype=np.intp), block_codes
    else:
        key = repeat_codes * len(block_labels) + block_codes
        present, split = np.unique(key, return_inverse=True)
    if isinstance(n_train, np.ndarray):
        by_row, n_train = n_train, np.empty(len(present))
        n_train[split] = by_row
    order = None if np.all(split[1:] >= split[:-1]) else np.argsort(split, kind="stable")
    n_test = np.bincount(split, minlength=len(present))
    split_repeat, split_block = np.divmod(present, len(block_labels))
    _check_blocks(kind, split_repeat, repeat_codes)
    return Layout(
        kind=kind,
        words=choose_words(kind),
        block_labels=block_labels,
        split_block=split_block.astype(np.intp),
        split_repeat=split_repeat.astype(np.intp),
        n_test=n_test.astype(np.float64),
        n_train=read_training_sizes(kind, n_test, split_repeat, split_block, block_labels, n_train),
        order=order,
        starts=np.concatenate([[0], np.cumsum(n_test)]).astype(np.intp),
        instance=instance_codes,
        instance_labels=instance_labels,
        cluster=cluster_codes,
        cluster_labels=cluster_labels,
        time=time_codes,
        time_labels=time_labels,
    )


def build_block_layout(
    kind: BlockKind, sizes: Sequence[int], *, n_train: float | dict[Label, float] | None = None
) -> Layout:
    """Build the layout of rows that are sorted by block, from the sizes of the blocks."""
    n_test, labels = np.asarray(sizes, dtype=np.intp), tuple(range(len(sizes)))
    repeat, block = np.zeros_like(n_test), np.arange(len(labels), dtype=np.intp)
    _check_blocks(kind, repeat, repeat)
    return Layout(
        kind=kind,
        words=choose_words(kind),
        block_labels=labels,
        split_block=block,
        split_repeat=repeat,
        n_test=n_test.astype(np.float64),
        n_train=read_training_sizes(kind, n_test, repeat, block, labels, n_train),
        starts=np.concatenate([[0], np.cumsum(n_test)]).astype(np.intp),
    )


def build_score_layout(
    kind: BlockKind, n_train: FloatArray, n_test: FloatArray, n_folds: int | None, n_repeats: int
) -> Layout:
    """Build the layout of data that have one number per split, repeat by repeat.

    ``n_train`` and ``n_test`` are (J,); J = folds x repeats.
    """
    if kind is BlockKind.SUBSAMPLES:
        _check_one_series(n_repeats, "repeats")
    n_splits = len(n_test)
    folds = n_splits // n_repeats if n_folds is None else n_folds
    if folds * n_repeats != n_splits:
        raise InvalidParameter(
            f"{n_splits} scores are not {folds} folds x {n_repeats} repeats.",
            loc=("split_scores",),
            value=n_splits,
        )
    split = np.arange(n_splits, dtype=np.intp)
    return Layout(
        kind=kind,
        words=choose_words(kind),
        block_labels=tuple(range(folds)),
        split_block=split % folds,
        split_repeat=split // folds,
        n_test=np.asarray(n_test, dtype=np.float64),
        n_train=np.asarray(n_train, dtype=np.float64),
    )


def _check_lengths(n: int, **columns: IntArray | None) -> None:
    for name, codes in columns.items():
        if codes is not None and len(codes) != n:
            raise InvalidParameter(
                f"{name} has {len(codes)} entries and block has {n}.", loc=(name,), value=len(codes)
            )


def _check_time_fits(kind: BlockKind, instance: IntArray | None, *, has_clusters: bool) -> None:
    """Raise ``UnsupportedCombination`` for times that no method here can use."""
    if kind not in (BlockKind.HOLDOUT, BlockKind.SUBSAMPLES):
        raise UnsupportedCombination(
            f"time is for the rows of one test set (blocks holdout) or of test parts in the order "
            f"of time (blocks subsamples), and these blocks are {kind.value}. Leave time out, or "
            "send one test set.",
            loc=("time",),
        )
    is_tested_once = instance is not None and int(instance.max()) + 1 == len(instance)
    if kind is BlockKind.SUBSAMPLES and not is_tested_once:
        raise UnsupportedCombination(
            "time is for subsamples that test each instance once, as blocks in the order of time "
            "do. Name the instance of each row, or leave time out.",
            loc=("time",),
        )
    if has_clusters:
        raise UnsupportedCombination(
            "time and cluster cannot be sent together: newey_west allows for rows that are alike "
            "because they are near in time or of one time, cluster_robust for rows of one cluster. "
            "Leave out the one that matters less.",
            loc=("time",),
        )


def _check_tested_once(repeat: IntArray, instance: IntArray, labels: np.ndarray | None) -> None:
    """Raise ``InvalidParameter`` if an instance is tested twice in the same repeat."""
    n_instances = int(instance.max()) + 1
    if int(repeat.max()) == 0 and n_instances == len(instance):
        return
    key = repeat * n_instances + instance
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(key[order][1:] == key[order][:-1])
    if not len(again):
        return
    row = int(order[again + 1].min())
    label = str(instance[row] if labels is None else labels[instance[row]])
    where = f" in repeat {int(repeat[row])}" if int(repeat.max()) > 0 else ""
    raise InvalidParameter(
        f"The instance {label!r} is tested twice{where}: once more in row {row}. Each instance has "
        "one loss in a repeat; several rows of one subject go into a cluster column.",
        loc=("instance", row),
        value=label,
    )


def _check_one_series(n_repeats: int, name: str) -> None:
    """Raise ``InvalidParameter`` for repeats of subsamples, which are not partitions."""
    if n_repeats > 1:
        raise InvalidParameter(
            f"Subsamples are one series of splits, and there are {n_repeats} repeats. Give each "
            f"split a block of its own and leave {name} out.",
            loc=(name,),
            value=n_repeats,
        )


def _check_blocks(kind: BlockKind, split_repeat: IntArray, repeat_codes: IntArray) -> None:
    per_repeat = np.bincount(split_repeat)
    if kind is BlockKind.HOLDOUT:
        if len(split_repeat) > 1:
            raise InvalidParameter(
                f"A holdout is one test set, and there are {len(split_repeat)} blocks. Set blocks "
                "to random or source.",
                loc=("block",),
                value=len(split_repeat),
            )
        return
    if per_repeat.min() < 2:
        which = int(np.argmin(per_repeat))
        where = f" in repeat {which}" if repeat_codes.max() > 0 else ""
        raise InsufficientData(
            f"There is one block{where}, and {kind.value} blocks need two. For one test set, "
            "set blocks to holdout.",
            loc=("block",),
            value=1,
        )
