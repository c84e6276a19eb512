"""The number of training instances of each split."""

from __future__ import annotations

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.values.types import BlockKind, FloatArray, IntArray, Label


def read_training_sizes(  # noqa: PLR0913 - the six columns of a split
    kind: BlockKind,
    n_test: IntArray,
    split_repeat: IntArray,
    split_block: IntArray,
    block_labels: tuple[Label, ...],
    sizes_by_block: float | dict[Label, float] | FloatArray | None,
) -> FloatArray | None:
    """Return the (J,) training sizes; None if there is no training set or its size is unknown.

    Parameters
    ----------
    kind : BlockKind
        What a block is.
    n_test, split_repeat, split_block : ndarray
        (J,) test size and codes of each split.
    block_labels : tuple of label
        (K,) labels of the blocks.
    sizes_by_block : float or mapping or ndarray or None
        ``n_train`` of ``build_layout``; an array has shape (J,) here.

    Raises
    ------
    InvalidParameter
        A size is below 1, a block has no size, or the size is 0 for blocks of training data.
    """
    if sizes_by_block is None:
        if kind in {BlockKind.HOLDOUT, BlockKind.SUBSAMPLES}:
            return None
        in_repeat = np.bincount(split_repeat, weights=n_test)
        return np.asarray(in_repeat[split_repeat] - n_test, dtype=np.float64)
    if isinstance(sizes_by_block, (int, float)) and sizes_by_block == 0:
        _check_trained_elsewhere(kind)
        return None
    if isinstance(sizes_by_block, dict):
        missing = [label for label in block_labels if label not in sizes_by_block]
        if missing:
            raise InvalidParameter(
                f"n_train has no entry for block {missing[0]!r}.",
                loc=("n_train",),
                value=missing[0],
            )
        by_block = np.array([sizes_by_block[label] for label in block_labels], dtype=np.float64)
        sizes = by_block[split_block]
    else:  # one size for all splits, or one for each
        sizes = np.broadcast_to(
            np.asarray(sizes_by_block, dtype=np.float64), len(split_block)
        ).copy()
    if not np.all(np.isfinite(sizes) & (sizes >= 1)):
        worst = float(sizes[~(np.isfinite(sizes) & (sizes >= 1))][0])
        raise InvalidParameter(
            f"n_train must be at least 1, and is {worst:g}.", loc=("n_train",), value=worst
        )
    return sizes


def _check_trained_elsewhere(kind: BlockKind) -> None:
    """Raise ``InvalidParameter`` if such blocks arise only by training on these data."""
    if kind not in {BlockKind.SOURCE, BlockKind.HOLDOUT}:
        raise InvalidParameter(
            "n_train 0 means that the models were not trained on any of these instances. Set "
            "blocks to source (tasks, sites) or to holdout.",
            loc=("n_train",),
            value=0,
        )
