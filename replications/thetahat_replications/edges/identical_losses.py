"""How often a margin is shown from samples in which two models do not differ, by simulation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from scipy.stats import binom

from thetahat.analyses.losses import Choices, evaluate
from thetahat.analyses.losses.result import Decision
from thetahat.seeds import make_random_stream
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind, FloatArray
from thetahat_replications.edges.table import TableRow, format_share

ALPHA: Final = 0.05
TITLE: Final = "Margins from losses that are identical"
BETTER: Final = 0.25
"""By how much the new model is worse as a share of the margin, for the power."""
ABOUT: Final = f"""
The new model is worse than the old one by exactly the margin: it errs alone on the units that a
sample happens to hit, and both have the same losses elsewhere. `not_worse` and `equivalent` are
then false, and each may be said in at most 5 % of samples. The library judges each of
{{repetitions}} samples. The old rule is that of version 0.1.0, which said both with p = 0 where no
instance differed, and used the t interval elsewhere. `clusters`: 5 rows each, in which the new
model errs on all or on none. `sources`: of 20 rows, the same, with the verdict about a new source.
Where the range of the loss is not known (the last row), nothing is said of identical losses, and
where a few units differ the allowance for skewness says nothing either. What is left with 30
sources comes from samples in which a few of them differ: the t interval is too short there, and no
rule mends it yet. Power is how often today's rule says
`not_worse` or `equivalent` where the new model is worse by {BETTER:g} of the margin, as a share of
the most powerful test of level {ALPHA:g}: it knows that the new model alone errs, counts the units
on which it does, and rejects at random where that is needed to have its level.
"""
CASES: Final = (
    ("instances", 5, 0.2, 0.05, True),
    ("instances", 5, 0.2, 0.2, True),
    ("instances", 20, 0.05, 0.05, True),
    ("instances", 20, 0.1, 0.05, True),
    ("instances", 58, 0.05, 0.05, True),
    ("instances", 59, 0.05, 0.05, True),
    ("clusters", 10, 0.1, 0.1, True),
    ("clusters", 40, 0.1, 0.1, True),
    ("sources", 8, 0.1, 0.1, True),
    ("sources", 30, 0.1, 0.1, True),
    ("instances", 59, 0.05, 0.05, False),
)
"""Units, their number, by how much the new model is worse, margin, whether losses are 0 or 1."""


COLUMNS: Final = (
    "units | n | new worse by | margin | range of the loss | "
    "nothing differs: the old rule said both | `not_worse` or `equivalent`, today | power"
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return the shares of samples in which a margin is shown."""
    for unit, n, worse, margin, zero_one in CASES:
        rng = make_random_stream(seed, f"{unit} {n} {worse} {margin} {zero_one}")
        layout = _build_layout(unit, n)
        of_unit = np.arange(n) if unit == "instances" else np.repeat(range(n), layout.n_rows // n)
        differs, fewer = (rng.random((repetitions, n)) < rate for rate in (worse, BETTER * margin))
        said, found = (
            sum(_is_shown(layout, row[of_unit], margin, zero_one=zero_one) for row in drawn)
            for drawn in (differs, fewer)
        )
        identical = float((~differs.any(axis=1)).mean())
        yield (
            unit,
            n,
            f"{worse:g}",
            f"{margin:g}",
            "0 or 1" if zero_one else "unknown",
            format_share(identical, repetitions),
            format_share(said / repetitions, repetitions),
            found / repetitions / compute_oracle_power(n, margin),
        )


def compute_oracle_power(n: int, margin: float) -> float:
    """Return how often the most powerful test shows that fewer units differ than the margin."""
    counts = np.arange(n + 1)
    at_margin, below = (binom.pmf(counts, n, rate) for rate in (margin, BETTER * margin))
    before = np.cumsum(at_margin) - at_margin
    rejects = np.clip((ALPHA - before) / at_margin, 0.0, 1.0)
    return float(rejects @ below)


def _build_layout(unit: str, n: int) -> Layout:
    if unit == "instances":
        return build_layout(BlockKind.HOLDOUT, np.zeros(n, dtype=np.intp))
    if unit == "clusters":
        block = np.zeros(5 * n, dtype=np.intp)
        return build_layout(BlockKind.HOLDOUT, block, cluster=np.repeat(range(n), 5))
    return build_layout(BlockKind.SOURCE, np.repeat(range(n), 20), n_train=0)


def _is_shown(layout: Layout, differs: FloatArray, margin: float, *, zero_one: bool) -> bool:
    """Return whether the library says that the new model is not worse, or equivalent."""
    old = np.zeros(layout.n_rows) if zero_one else np.full(layout.n_rows, 0.25)
    models = {
        "new": BlockLosses(layout, values=old + differs),
        "old": BlockLosses(layout, values=old),
    }
    choices = Choices(margin=margin, tests=(), omnibus=())
    (pair,) = evaluate(LossTable(layout, models), choices, 0).comparisons
    holding = {pair.verdict.decision, *pair.verdict.also}
    return bool(holding & {Decision.NOT_WORSE, Decision.EQUIVALENT})
