"""Gaps of metrics between groups of rows: how often the intervals of all of them hold."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

import numpy as np

from thetahat.analyses.groups.model_groups import GroupOptions
from thetahat.analyses.groups.result import GroupGaps
from thetahat.analyses.metrics.by_group import measure_groups
from thetahat.analyses.metrics.group_coverage import GAPS, GAPS_TO_WHOLE
from thetahat.values.types import FloatArray
from thetahat_replications.edges.groups import read_groups
from thetahat_replications.edges.metrics_by_group import (
    DESIGNS,
    LEVEL,
    N_FOR_TRUTH,
    MetricDesign,
    compute_truth,
    count_rows,
    measure_many,
)
from thetahat_replications.edges.simulated_intervals import SHIFT, is_inside, measure_power_of_all
from thetahat_replications.edges.studied_shares import StudiedShare
from thetahat_replications.edges.table import KeptPage, TableRow, format_share

STUDIED: Final = (
    "four groups of 15, rate .4",
    "five groups of 100, rate .1",
    "25 to 200 rows, rate .3",
    "four groups of 60 in 40 shared clusters, rate .4",
    "200 in 50 shared clusters, rate .1",
    "five groups of 40, numbers",
    "five groups of 40, skewed numbers",
    "four groups of 60 in 40 shared clusters, numbers",
)
"""The designs of ``metrics_by_group`` whose gaps are studied."""

TITLE: Final = "Gaps of metrics between groups"
ABOUT: Final = f"""
The designs are those of `metrics_by_group`. Each cell is the share of samples in which the
intervals of all gaps hold, with its standard error; that is to be in {LEVEL:g} or more. `all pairs`
are the gaps between any two groups, and `from all rows` those of each group from all rows. What has
no interval, because a group has a single class, say, counts as no failure; `none` is the share of
samples in which a gap of a pair has none. Power is how often the interval of a gap excludes a value
that is {SHIFT:g} standard deviations of the gap above or below the true one, averaged over the
gaps, as a share of the power of normal tests that know the standard deviation and hold for all gaps
at {LEVEL:g}. Values that a gap cannot have are left out.
"""

COLUMNS: Final = (
    "design | metric | all pairs | from all rows | none | all pairs, power | from all rows, power"
)
_SHIPPED: Final = {"all pairs": GAPS, "from all rows": GAPS_TO_WHOLE}


def collect_shares(page: KeptPage) -> Iterator[tuple[StudiedShare, ...]]:
    """Yield how often the intervals of all gaps held, by design and metric."""
    designs = {design.name: design for design in DESIGNS}
    for row in page.rows:
        design = designs[row["design"]]
        for column, what in _SHIPPED.items():
            yield (
                StudiedShare(
                    interval=f"{what} of {row['metric']}",
                    data=design.data,
                    numbers=count_rows(design),
                    population=design.name,
                    share=float(row[column].split()[0]),
                    repetitions=page.repetitions,
                ),
            )


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return how often the gaps of each metric hold in each design, and their power."""
    designs = {design.name: design for design in DESIGNS}
    for number, name in enumerate(STUDIED):
        yield from _judge(designs[name], repetitions, np.random.default_rng([seed, number]))


def _judge(design: MetricDesign, repetitions: int, rng: np.random.Generator) -> Iterator[TableRow]:
    codes, cluster, layout, rows, metrics = design.prepare()
    truth = compute_truth(design, rng)
    whole = measure_many(design, rng, np.sort(rng.choice(codes, N_FOR_TRUTH)))
    n_groups = len(design.sizes)
    n_pairs = n_groups * (n_groups - 1) // 2
    pairs, to_whole, missing = (dict.fromkeys(design.metrics, 0) for _ in range(3))
    places = [
        *((b, a) for a, b in combinations(range(n_groups), 2)),
        *((g, None) for g in range(n_groups)),
    ]
    found = {
        key: np.full((repetitions, len(places), 3), np.nan, dtype=np.float64)
        for key in design.metrics
    }
    for place in range(repetitions):
        judged = {"m": design.draw(rng, codes, cluster)}
        options = GroupOptions(level=LEVEL, margin=None, seed=place)
        measured = measure_groups(metrics, judged, layout, rows, options)["m"]
        for key, against_whole in (measured.against_whole or {}).items():
            pairs[key] += _hold(measured.gaps[key], truth[key], whole[key])
            to_whole[key] += _hold(against_whole, truth[key], whole[key])
            missing[key] += len(measured.gaps[key].items or ()) < n_pairs
            for gap in (*(measured.gaps[key].items or ()), *(against_whole.items or ())):
                found[key][place, places.index(read_groups(gap))] = (
                    gap.estimate,
                    gap.lower,
                    gap.upper,
                )
    for key, metric in design.metrics.items():
        shares = (
            format_share(counts[key] / repetitions, repetitions) for counts in (pairs, to_whole)
        )
        true_gaps = np.array(
            [truth[key][a] - (whole[key] if b is None else truth[key][b]) for a, b in places]
        )
        largest = metric.value_range[1] - metric.value_range[0]
        powers = (
            measure_power_of_all(found[key][:, part], true_gaps[part], (-largest, largest))
            for part in (slice(n_pairs), slice(n_pairs, None))
        )
        yield (design.name, key, *shares, missing[key] / repetitions, *powers)


def _hold(gaps: GroupGaps, truth: FloatArray, whole: float) -> bool:
    """Return whether all gaps that there are cover the differences of the true values."""
    for gap in gaps.items or ():
        group, against = read_groups(gap)
        other = whole if against is None else float(truth[against])
        if not is_inside(gap.lower, gap.upper, float(truth[group]) - other):
            return False
    return True
