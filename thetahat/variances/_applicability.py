"""Reasons why an estimator does not fit a layout, as sentences for users."""

from __future__ import annotations

import numpy as np

from thetahat.registry import MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind


def wrong_block_kind(info: MethodInfo, layout: Layout) -> str | None:
    """Return that the method is for another kind of block, or None."""
    if layout.kind in info.blocks:
        return None
    fits = " or ".join(kind.value for kind in BlockKind if kind in info.blocks)
    return f"{info.name} is for {fits} blocks, and these are {layout.kind.value} blocks"


def lacks_rows(info: MethodInfo, layout: Layout) -> str | None:
    """Return that only one score per split is known, or None."""
    if layout.has_rows:
        return None
    return f"{info.name} needs one loss per instance, and the data have one score per split"


def lacks_blocks(info: MethodInfo, layout: Layout) -> str | None:
    """Return that a repeat has fewer than two blocks, or None."""
    per_repeat = np.bincount(layout.split_repeat)
    if per_repeat.min() >= 2:
        return None
    return f"{info.name} needs at least two blocks in every repeat, and one has a single block"


def lacks_block_variance(info: MethodInfo, layout: Layout) -> str | None:
    """Return that a block has a single instance and therefore no variance, or None."""
    if layout.smallest_block >= 2:
        return None
    label = layout.block_labels[int(layout.split_block[int(np.argmin(layout.n_test))])]
    reason = f"{info.name} needs at least two instances in every block, and block {label!r} has one"
    if layout.kind is BlockKind.SOURCE:
        return f"{reason}; set small_sources to 'leave_out' to leave such sources out"
    return reason


def refuse_without_blocks(info: MethodInfo, layout: Layout) -> str | None:
    """Return why a method that needs block means does not fit the layout, or None."""
    return wrong_block_kind(info, layout) or lacks_blocks(info, layout)


def refuse_without_block_variance(info: MethodInfo, layout: Layout) -> str | None:
    """Return why a method that needs variances within blocks does not fit the layout, or None."""
    return (
        wrong_block_kind(info, layout)
        or lacks_rows(info, layout)
        or lacks_block_variance(info, layout)
        or lacks_blocks(info, layout)
    )
