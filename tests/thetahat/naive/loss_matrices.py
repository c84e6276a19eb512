"""Loss matrices for tests: from rows of blocks to ``BlockLosses``, and hypothesis strategies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind

Rows = list[list[float]]

# 5 folds of 9, zero-one losses: sums 3, 1, 4, 1, 6
FIVE_BY_NINE: Rows = [
    [1, 0, 0, 1, 0, 0, 1, 0, 0],
    [0, 0, 0, 0, 1, 0, 0, 0, 0],
    [1, 1, 0, 0, 1, 0, 0, 1, 0],
    [0, 0, 1, 0, 0, 0, 0, 0, 0],
    [1, 0, 1, 1, 0, 1, 1, 0, 1],
]
RAGGED: Rows = [[1, 3], [2, 2, 5], [6, 8, 7, 7]]


def losses_of(
    rows: Sequence[Sequence[float]],
    kind: BlockKind = BlockKind.RANDOM,
    *,
    cluster: Sequence[int] | None = None,
) -> BlockLosses:
    block = [k for k, row in enumerate(rows) for _ in row]
    values = np.array([e for row in rows for e in row], dtype=np.float64)
    if kind is BlockKind.SUBSAMPLES:  # which say nothing of their training parts and instances
        n = len(values)
        layout = build_layout(kind, block, cluster=cluster, instance=range(n), n_train=float(n))
        return BlockLosses(layout, values=values)
    return BlockLosses(build_layout(kind, block, cluster=cluster), values=values)


def repeats_of(
    repeats: Sequence[Sequence[Sequence[float]]],
    kind: BlockKind = BlockKind.RANDOM,
    *,
    instance: Sequence[int] | None = None,
) -> BlockLosses:
    labels = [(r, k) for r, rows in enumerate(repeats) for k, row in enumerate(rows) for _ in row]
    values = np.array([e for rows in repeats for row in rows for e in row], dtype=np.float64)
    layout = build_layout(
        kind, [k for _, k in labels], repeat=[r for r, _ in labels], instance=instance
    )
    return BlockLosses(layout, values=values)


@st.composite
def block_rows(
    draw: st.DrawFn, *, smallest: int = 2, equal: bool = False, far: bool = False
) -> Rows:
    """Draw 2 to 5 blocks of 2 to 5 dyadic losses, near 0 or at 1e8 times their spread."""
    k = draw(st.integers(2, 5))
    sizes = [draw(st.integers(smallest, 5))] * k if equal else None
    sizes = sizes or draw(st.lists(st.integers(smallest, 5), min_size=k, max_size=k))
    offset = 2.0**27 if far else draw(st.sampled_from([0.0, 1.0, -3.0]))
    small = st.integers(-64, 64).map(lambda i: offset + i / 64)  # exact in double precision
    return [draw(st.lists(small, min_size=m, max_size=m)) for m in sizes]
