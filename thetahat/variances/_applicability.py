"""Whether an estimator fits a layout, in words for the person who asked."""

from __future__ import annotations

import numpy as np

from thetahat.registry import MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind


def wrong_kind(info: MethodInfo, layout: Layout) -> str | None:
    """Say that the method is for another kind of block, or None."""
    if layout.kind in info.blocks:
        return None
    fits = " or ".join(kind.value for kind in BlockKind if kind in info.blocks)
    return f"{info.name} is for {fits} blocks, and these are {layout.kind.value} blocks"


def lacks_rows(info: MethodInfo, layout: Layout) -> str | None:
    """Say that only one score per split is known, or None."""
    if layout.has_rows:
        return None
    return f"{info.name} needs one loss per instance, and only one score per split is given"


def lacks_blocks(info: MethodInfo, layout: Layout) -> str | None:
    """Say that a repeat has fewer than two blocks, or None."""
    per_repeat = np.bincount(layout.split_repeat)
    if per_repeat.min() >= 2:
        return None
    return f"{info.name} needs at least two blocks in every repeat, and one has a single block"


def lacks_pairs(info: MethodInfo, layout: Layout) -> str | None:
    """Say that a block has one instance, so that it has no variance inside, or None."""
    if layout.smallest_block >= 2:
        return None
    label = layout.block_labels[int(layout.split_block[int(np.argmin(layout.n_test))])]
    return (
        f"{info.name} needs the variance within blocks, and block {label!r} has one instance; "
        "it takes two"
    )


def between_refusal(info: MethodInfo, layout: Layout) -> str | None:
    """Refusal of a method built on block means alone, or None."""
    return wrong_kind(info, layout) or lacks_blocks(info, layout)


def within_refusal(info: MethodInfo, layout: Layout) -> str | None:
    """Refusal of a method that needs the variance within blocks, or None."""
    return (
        wrong_kind(info, layout)
        or lacks_rows(info, layout)
        or lacks_pairs(info, layout)
        or lacks_blocks(info, layout)
    )
