"""The smallest layouts there are, which every method must take, or refuse with a reason.

A variance of one unit, a rank of one value, a spread within a block of one row: what divides by
one less than a number of units is seen here, and on no layout of ordinary size.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout, build_layout, build_score_layout
from thetahat.values.types import BlockKind

# The block of every row, and what else is known of it.
HOLDOUTS: dict[str, dict[str, Any]] = {
    "one instance": {"block": [0]},
    "two instances": {"block": [0, 0]},
    "two clusters of one instance": {"block": [0, 0], "cluster": [0, 1]},
    "two instances at two times": {"block": [0, 0], "time": [1, 2]},
    "ten instances at ten times": {"block": [0] * 10, "time": list(range(10))},
}
BLOCKS: dict[str, dict[str, Any]] = {
    "two blocks of one instance": {"block": [0, 1]},
    "a block of one instance and one of two": {"block": [0, 1, 1]},
    "two blocks of a cluster each": {"block": [0, 1], "cluster": [0, 1]},
    "two blocks of two instances": {"block": [0, 0, 1, 1]},
}
REPEATS: dict[str, dict[str, Any]] = {
    f"{n} repeats of two instances": {
        "block": [0, 1] * n,
        "repeat": np.repeat(np.arange(n), 2).tolist(),
        "instance": [0, 1] * n,
    }
    for n in (2, 5)
}


def _layouts() -> Iterator[tuple[str, Layout]]:
    for kind in BlockKind:
        some = HOLDOUTS if kind is BlockKind.HOLDOUT else BLOCKS
        more = REPEATS if kind in {BlockKind.RANDOM, BlockKind.SOURCE} else {}
        for name, columns in (some | more).items():
            drawn: dict[str, Any] = {}
            if kind is BlockKind.SUBSAMPLES:  # which say nothing of instances and training parts
                drawn = {"instance": list(range(len(columns["block"]))), "n_train": 4.0}
            yield f"{kind.value}: {name}", build_layout(kind, **columns, **drawn)
        if kind is not BlockKind.HOLDOUT:
            for j in (1, 2):
                layout = build_score_layout(kind, np.full(j, 4.0), np.full(j, 1.0), None, 1)
                yield f"{kind.value}: {j} of one score per split", layout


SMALLEST = dict(_layouts())


def smallest_losses(layout: Layout) -> dict[str, BlockLosses]:
    """Losses on a layout: equal ones, zeros and ones, and some without ties."""
    n = layout.n_rows if layout.has_rows else layout.n_splits
    values: dict[str, Any] = {
        "zeros": np.zeros(n),
        "ones": np.ones(n),
        "zeros and ones": np.arange(n, dtype=np.float64) % 2,
        "equal": np.full(n, 0.3),
        "without ties": np.sqrt(np.arange(n) + 2.0),
    }
    kept = "values" if layout.has_rows else "scores"
    return {name: BlockLosses(layout, **{kept: row}) for name, row in values.items()}


def check_plain(*values: Any) -> None:
    """Check that no number is infinite or NaN, which JSON does not have."""
    json.dumps(values, allow_nan=False)


def check_refusal(reason: str, name: str) -> None:
    """Check that the reason against a layout names the method and says more than that."""
    assert name in reason
    assert len(reason) > len(name) + 10


def check_p_value(p_value: float | None) -> None:
    """Check that a p-value is a probability, if there is one."""
    assert p_value is None or (math.isfinite(p_value) and 0 <= p_value <= 1)
