"""How often sets of ratios and intervals of win rates covered in the nearest studied design.

``relative_difference_coverage.json`` and ``win_rate_coverage.json`` have the numbers of
``docs/results/edges/relative_differences.md`` and ``win_rates.md``: independent rows of a test set.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from thetahat.analyses.losses.cautions import has_heavy_tails
from thetahat.analyses.losses.optional_results import RelativeDifference, WinRate
from thetahat.paired_tests.base import PairedLosses
from thetahat.values.kept_studies import NOT_STUDIED, find_expected_coverage, read_studied_intervals
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind

RATIOS: Final = "relative differences"
WIN_RATES: Final = "win rates"
NUMBERS: Final = "numbers"
RATES: Final = "rates"

ROWS: Final = "rows"
DIFFER: Final = "rows on which the models differ"
FEWER_ONES: Final = "ones of the model with fewer"
FEWER_WINS: Final = "wins of the model with fewer"

OTHER_ROWS: Final = (
    "Relative differences and win rates were studied on one test set of independent rows."
)


def add_coverage_of_ratios(found: RelativeDifference, losses: PairedLosses) -> RelativeDifference:
    """Return a relative difference with how often such sets had the ratio, if it has a set.

    A test set of independent rows has no other variance than the studied one.
    """
    if found.shape is None:
        return found
    a, b = losses.a, losses.b
    are_rates = a.are_zero_one and b.are_zero_one
    if not _has_independent_rows(a.layout):
        return replace(found, expected_coverage_missing=OTHER_ROWS)
    if has_heavy_tails(a) or has_heavy_tails(b):
        return replace(found, expected_coverage_missing=NOT_STUDIED)
    numbers = {ROWS: a.layout.n_rows}
    if are_rates:
        ones = [round(each.moments.pooled_mean * each.layout.n_rows) for each in (a, b)]
        numbers[FEWER_ONES] = max(1, min(ones))
        numbers[DIFFER] = int(np.count_nonzero(losses.difference.rows))
    expected, missing = find_expected_coverage(
        read_studied_intervals(__package__, "relative_difference_coverage.json", RATIOS),
        RATES if are_rates else NUMBERS,
        numbers,
    )
    return replace(found, expected_coverage=expected, expected_coverage_missing=missing)


def add_coverage_of_win_rate(wins: WinRate, layout: Layout) -> WinRate:
    """Return a win rate with how often such intervals covered, if it has an interval."""
    if wins.method is None:
        return wins
    if not _has_independent_rows(layout):
        return replace(wins, expected_coverage_missing=OTHER_ROWS)
    numbers = {
        ROWS: layout.n_rows,
        DIFFER: max(1, wins.a + wins.b),
        FEWER_WINS: max(1, min(wins.a, wins.b)),
    }
    expected, missing = find_expected_coverage(
        read_studied_intervals(__package__, "win_rate_coverage.json", WIN_RATES), "", numbers
    )
    return replace(wins, expected_coverage=expected, expected_coverage_missing=missing)


def _has_independent_rows(layout: Layout) -> bool:
    """Return whether it is one test set without clusters, an order of time or grades of a judge."""
    return (
        layout.kind is BlockKind.HOLDOUT
        and layout.cluster is None
        and layout.time is None
        and layout.judge is None
    )
