"""The layout of the losses under a scheme, computed before anything is fitted."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Final

import numpy as np

from thetahat.error_paths import located_errors
from thetahat.schemes.base import Rows, Scheme
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind
from thetahat_service.kinds.fields.data import build_role_paths
from thetahat_service.kinds.fields.learners import FitsRequest

MOST_BLOCKS: Final = 20
MOST_REPEATS: Final = 6
"""Numbers of blocks and of repeats above which no method depends on the exact number."""
MOST_EXACT_SPLITS: Final = 2000
"""Largest number of splits for which a request is checked against its exact layout."""
MOST_EXACT_CELLS: Final = 5_000_000
"""Largest number of splits times rows for the same: large splits take time and memory."""


def expect_layout(
    request: FitsRequest, scheme: Scheme, rows: Rows, *, field: str = "scheme"
) -> Layout:
    """Return the layout of the scheme's splits; a similar one if there are many splits."""
    with locate_scheme_error(request, field=field):
        n_splits = scheme.n_splits(rows)
        if n_splits > MOST_EXACT_SPLITS or n_splits * rows.n > MOST_EXACT_CELLS:
            return approximate_layout(scheme, size=1 if n_splits == rows.n else 2)
        splits = list(scheme.splits(rows, 0))
    sizes = [len(split.test) for split in splits]
    if scheme.block_kind is BlockKind.HOLDOUT:
        return build_layout(BlockKind.HOLDOUT, np.zeros(sizes[0], dtype=np.intp))
    return build_layout(
        scheme.block_kind,
        np.repeat([split.block for split in splits], sizes).astype(np.intp),
        repeat=np.repeat([split.repeat for split in splits], sizes).astype(np.intp),
        instance=np.concatenate([split.test for split in splits]),
        n_train=np.repeat([split.n_train for split in splits], sizes).astype(np.float64),
    )


def approximate_layout(scheme: Scheme, *, size: int = 2) -> Layout:
    """Return a layout similar to the one that the scheme will give, without reading the data.

    It is enough to refuse methods that suit no layout of the scheme. Folds and repeats are as many
    as the scheme has, up to ``MOST_BLOCKS`` and ``MOST_REPEATS``. ``size`` is the number of rows of
    each block.
    """
    kind = scheme.block_kind
    n_blocks = min(getattr(scheme, "n_folds", MOST_BLOCKS), MOST_BLOCKS)
    n_repeats = min(getattr(scheme, "n_repeats", 1), MOST_REPEATS)
    if kind is BlockKind.HOLDOUT:
        return build_layout(kind, np.zeros(size * n_blocks, dtype=np.intp))
    block = np.repeat(np.arange(n_blocks, dtype=np.intp), size)
    n = len(block)
    if kind is BlockKind.SUBSAMPLES:
        return build_layout(kind, block, instance=np.arange(n), n_train=float(n))
    repeat = np.repeat(np.arange(n_repeats, dtype=np.intp), n)
    return build_layout(
        kind,
        np.tile(block, n_repeats),
        repeat=repeat,
        instance=np.tile(np.arange(n, dtype=np.intp), n_repeats),
    )


def locate_scheme_error(
    request: FitsRequest, *, field: str = "scheme"
) -> AbstractContextManager[None]:
    """Set the ``loc`` of errors of a scheme to the path of the column or parameter they name."""
    columns = {f"columns.{role}": path for role, path in build_role_paths(request).items()}
    return located_errors(
        {**columns, "scheme": (field, "name")}, within=(field, "params"), default=(field,)
    )
