"""Reasons why a variance estimator does not fit a layout, as sentences for users."""

from __future__ import annotations

import numpy as np

from thetahat.registry import MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind


def explain_wrong_block_kind(info: MethodInfo, layout: Layout) -> str | None:
    """Return the reason that the method is for another kind of block, or None if it fits."""
    if layout.kind in info.blocks:
        return None
    fits = " or ".join(kind.value for kind in BlockKind if kind in info.blocks)
    return f"{info.name} is for {fits} blocks, and these are {layout.words.kind}"


def explain_missing_rows(info: MethodInfo, layout: Layout) -> str | None:
    """Return the reason that losses by instance are missing, or None if they are known."""
    if layout.has_rows:
        return None
    value = layout.words.value
    return f"{info.name} needs one {value} per instance, and the data have one score per split"


def explain_missing_blocks(info: MethodInfo, layout: Layout) -> str | None:
    """Return the reason that a repeat has fewer than two blocks, or None if none has."""
    per_repeat = np.bincount(layout.split_repeat)
    if per_repeat.min() >= 2:
        return None
    block, blocks = layout.words.block, layout.words.blocks
    return f"{info.name} needs at least two {blocks} in every repeat, and one has a single {block}"


def explain_missing_block_variance(info: MethodInfo, layout: Layout) -> str | None:
    """Return the reason that a block has a single instance and no variance, or None if none has."""
    if layout.smallest_block >= 2:
        return None
    label = layout.block_labels[int(layout.split_block[int(np.argmin(layout.n_test))])]
    block, blocks = layout.words.block, layout.words.blocks
    reason = (
        f"{info.name} needs at least two instances in every {block}, and {block} {label!r} has one"
    )
    if layout.kind is BlockKind.SOURCE:
        return f"{reason}; set small_sources to 'leave_out' to leave such {blocks} out"
    return reason
