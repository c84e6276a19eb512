"""How many instances each split's model was trained on."""

from __future__ import annotations

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.values.types import BlockKind, FloatArray, IntArray, Label


def training_sizes(  # noqa: PLR0913 - the six columns of a split
    kind: BlockKind,
    n_test: IntArray,
    split_repeat: IntArray,
    split_block: IntArray,
    block_labels: tuple[Label, ...],
    given: float | dict[Label, float] | FloatArray | None,
) -> FloatArray | None:
    """Return the (J,) training sizes, or None where there are none or they are not known.

    Parameters
    ----------
    kind : BlockKind
        What a block is.
    n_test, split_repeat, split_block : ndarray
        (J,) test size and codes of each split.
    block_labels : tuple of label
        (K,) what the blocks are called.
    given : float or mapping or ndarray or None
        As ``layout_of`` takes them; an array is (J,) here.

    Raises
    ------
    InvalidParameter
        A size below 1, a block without one, or 0 for blocks that a training on the data made.
    """
    if given is None:
        if kind in {BlockKind.HOLDOUT, BlockKind.SUBSAMPLES}:
            return None
        in_repeat = np.bincount(split_repeat, weights=n_test)
        return np.asarray(in_repeat[split_repeat] - n_test, dtype=np.float64)
    if isinstance(given, (int, float)) and given == 0:
        _check_trained_elsewhere(kind)
        return None
    if isinstance(given, dict):
        missing = [label for label in block_labels if label not in given]
        if missing:
            raise InvalidParameter(
                f"n_train has no entry for block {missing[0]!r}", loc=("n_train",), value=missing[0]
            )
        by_block = np.array([given[label] for label in block_labels], dtype=np.float64)
        sizes = by_block[split_block]
    else:  # one for all, or one for each
        sizes = np.broadcast_to(np.asarray(given, dtype=np.float64), len(split_block)).copy()
    if not np.all(np.isfinite(sizes) & (sizes >= 1)):
        worst = float(sizes[~(np.isfinite(sizes) & (sizes >= 1))][0])
        raise InvalidParameter("n_train must be at least 1", loc=("n_train",), value=worst)
    return sizes


def _check_trained_elsewhere(kind: BlockKind) -> None:
    """Refuse blocks that only a training on these data can make."""
    if kind not in {BlockKind.SOURCE, BlockKind.HOLDOUT}:
        raise InvalidParameter(
            "n_train 0 says that the models were not trained on any of these instances: then the "
            "blocks are sources (tasks, sites), or all of it is one holdout",
            loc=("n_train",),
            value=0,
        )
