"""How often a gate finds a model not worse in a group, with skewed differences, and its power."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from thetahat.analyses.groups.columns import Grouping
from thetahat.analyses.groups.pair_groups import allow_for_skewness
from thetahat.analyses.groups.rows import GroupRows
from thetahat.analyses.groups.statements import estimate_mean
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind, FloatArray
from thetahat_replications.edges.margins_of_skewed_losses import ALPHA, DESIGNS
from thetahat_replications.edges.simulated_intervals import SHIFT, compute_power_of_bounds
from thetahat_replications.edges.table import TableRow, format_share

EQUAL: Final[dict[str, tuple[int, ...]]] = {
    f"five of {n}": (n,) * 5 for n in (10, 20, 50, 100, 200)
}
SIZES: Final[dict[str, tuple[int, ...]]] = {
    **EQUAL,
    "two of 20": (20, 20),
    "15, 30, 60, 120": (15, 30, 60, 120),
}
"""Rows of each group; the first group is judged."""
SPREADS: Final[dict[str, float]] = {"": 1.0, ", others half as spread": 0.5, ", others twice": 2.0}
"""Factor of the differences in the other groups."""

TITLE: Final = "Gates by group"
ABOUT: Final = f"""
Two models on a test set of independent rows in groups. In the first group the new model is worse by
exactly the margin, so that `no_group_worse` is false, and that it is not worse in this group may be
found in at most 5 % of the samples. The old rule is the end of t in this group, or of Hall where
the values of all groups together are clearly skewed. Today's is then, on the side of the rare large
values, the farthest of the end of t, that of Hall, and Hall's with the spread and the skewness of
all groups. Power is how often a model is found not worse in this group that is better than the
margin there by {SHIFT:g} standard deviations of the group's mean, as a share of the power of the
one-sided normal test that knows that standard deviation. Differences are those of
margins_of_skewed_losses; those of the other groups may be half or twice as spread.
"""
COLUMNS: Final = "differences | groups | old rule | today | power, old rule | power, today"
_Draw = Callable[[np.random.Generator, tuple[int, int]], FloatArray]


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return error rates and power of the old rule and of today's."""
    for number, (name, draw) in enumerate(DESIGNS.items()):
        for place, (words, sizes) in enumerate(SIZES.items()):
            for spread, factor in SPREADS.items():
                if factor != 1 and words != "five of 50":
                    continue
                rng = np.random.default_rng([seed, number, place, round(10 * factor)])
                errs, found = _judge(draw, sizes, factor, repetitions, rng)
                shares = (format_share(float(each), repetitions) for each in errs)
                powers = found / compute_power_of_bounds(SHIFT, 1 - ALPHA)
                yield (f"{name}{spread}", words, *shares, *powers)


def _judge(
    draw: _Draw,
    sizes: tuple[int, ...],
    factor: float,
    repetitions: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return how often both rules find the model not worse at the margin, and below it."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    layout = build_layout(BlockKind.HOLDOUT, np.zeros(len(codes), dtype=np.intp))
    grouping = Grouping("g", ("g",), codes, tuple((g,) for g in range(len(sizes))))
    rows = GroupRows.build(grouping, layout)
    sd = float(draw(rng, (2000, sizes[0])).std()) / math.sqrt(sizes[0])
    found = np.zeros((2, 2))
    for _ in range(repetitions):
        difference = draw(rng, (1, len(codes)))[0]
        difference[codes > 0] *= factor
        bounds = np.array(find_bounds(difference, rows))
        found += (bounds < 0, bounds < SHIFT * sd)
    return found / repetitions


def find_bounds(difference: FloatArray, rows: GroupRows) -> tuple[float, float]:
    """Return by how much the model is worse at most in the first group; inf where unknown."""
    moments = rows.compute_moments(difference)
    old = estimate_mean(moments, 0)
    today = allow_for_skewness(old, moments, 0)
    if old is None or today is None:
        return math.inf, math.inf
    return old.compute_ends(ALPHA)[1], today.compute_bounds(ALPHA)[1]
