"""The layout that a scheme will give, known before anything is fitted, and where it is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from service.kinds.fields.data import ROLES, role_path
from thetahat.errors import EvaluationError, Loc
from thetahat.schemes.base import Rows, Scheme
from thetahat.values.layout import Layout, layout_of
from thetahat.values.types import BlockKind

if TYPE_CHECKING:
    from service.kinds.fields.learners import FitsRequest

_MANY_BLOCKS, _MANY_REPEATS = 20, 6
_MOST_EXACT = 2000
"""Splits up to which a request is checked against the very layout it will have."""
_MOST_CELLS = 5_000_000
"""Splits x rows, likewise: splits of many rows take long to draw, and much room."""


def layout_for(given: FitsRequest, scheme: Scheme, rows: Rows, field: str = "scheme") -> Layout:
    """Return the layout that the scheme will give, or one like it where there are many splits."""
    try:
        n_splits = scheme.n_splits(rows)
        if n_splits > _MOST_EXACT or n_splits * rows.n > _MOST_CELLS:
            return likely_layout(scheme, size=1 if n_splits == rows.n else 2)
        splits = list(scheme.splits(rows, 0))
    except EvaluationError as error:
        error.loc = where_scheme(given, error.loc, field)
        raise
    sizes = [len(s.test) for s in splits]
    if scheme.block_kind is BlockKind.HOLDOUT:
        return layout_of(BlockKind.HOLDOUT, np.zeros(sizes[0], dtype=np.intp))
    return layout_of(
        scheme.block_kind,
        np.repeat([s.block for s in splits], sizes).astype(np.intp),
        repeat=np.repeat([s.repeat for s in splits], sizes).astype(np.intp),
        instance=np.concatenate([s.test for s in splits]),
        n_train=np.repeat([s.n_train for s in splits], sizes).astype(np.float64),
    )


def where_scheme(given: FitsRequest, loc: Loc, field: str = "scheme") -> Loc:
    """Return where the request has what a scheme refuses: a role of the data, or a parameter."""
    if len(loc) > 1 and loc[0] == "columns" and loc[1] in ROLES:
        return (*role_path(given, str(loc[1])), *loc[2:])
    if loc == ("scheme",):
        return (field, "name")
    return (field, "params", *loc) if loc else (field,)


def likely_layout(scheme: Scheme, *, size: int = 2) -> Layout:
    """Return a layout like the scheme's, to refuse what cannot fit whatever the data are.

    Folds and repeats are as many as the scheme says, up to what no method tells from more.
    """
    kind = scheme.block_kind
    n_blocks = min(getattr(scheme, "n_folds", _MANY_BLOCKS), _MANY_BLOCKS)
    n_repeats = min(getattr(scheme, "n_repeats", 1), _MANY_REPEATS)
    if kind is BlockKind.HOLDOUT:
        return layout_of(kind, np.zeros(size * n_blocks, dtype=np.intp))
    block = np.repeat(np.arange(n_blocks, dtype=np.intp), size)
    n = len(block)
    if kind is BlockKind.SUBSAMPLES:
        return layout_of(kind, block, instance=np.arange(n), n_train=float(n))
    repeat = np.repeat(np.arange(n_repeats, dtype=np.intp), n)
    return layout_of(
        kind,
        np.tile(block, n_repeats),
        repeat=repeat,
        instance=np.tile(np.arange(n, dtype=np.intp), n_repeats),
    )
