"""How often statements about all groups held in the nearest studied design.

``groups_coverage.json`` has the numbers of ``docs/results/edges/groups.md``: a test set, whose
groups have common clusters or independent rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

import numpy as np

from thetahat.analyses.groups.result import GroupGaps, SimultaneousLevel, WorstGroup
from thetahat.analyses.groups.rows import GroupRows
from thetahat.analyses.thresholds import MOST_SCORE_GROUPS
from thetahat.cautions import SKEWED_GROUPS, Caution
from thetahat.values.clusters import compute_imbalance
from thetahat.values.kept_studies import (
    NOT_STUDIED,
    StudiedInterval,
    explain_imbalance,
    find_expected_coverage,
    read_studied_intervals,
)
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind, FloatArray

MEANS: Final = "means of all groups"
DIFFERENCES: Final = "differences in all groups"
GAPS: Final = "gaps between all groups"
PAIR_GAPS: Final = "gaps of differences between all groups"
WORST: Final = "bound of the worst group"

RATES: Final = "rates"
MANY_RATES: Final = "rates of many groups"
"""Of more than ``MOST_SCORE_GROUPS``, which have other intervals."""
EXACT_RATES: Final = "rates with exact limits"
"""Of at most so many groups, where a request asks for such limits; they were not studied."""
NUMBERS: Final = "numbers"
SKEWED: Final = "skewed numbers"

GROUPS: Final = "groups"
SMALLEST: Final = "rows in the smallest group"
DIFFER: Final = "rows on which the models differ"
RARER: Final = "rows of the rarer value"
SHARED_CLUSTERS: Final = "clusters with rows in several groups"
OWN_CLUSTERS: Final = "clusters within groups"
STUDIED_IMBALANCE: Final = 1.4
"""That of the clusters of the studies of groups and metrics, from 2 to 20 rows evenly on the log
scale: (20 + 2) ln(20 / 2) / (2 (20 - 2))."""


Studied = TypeVar("Studied", SimultaneousLevel, WorstGroup, GroupGaps)


def add_expected_coverage(  # noqa: PLR0913 - what a design is compared with
    statement: Studied,
    interval: str,
    values: FloatArray,
    rows: GroupRows,
    layout: Layout,
    data: str,
) -> Studied:
    """Return a statement about all groups with how often such statements held.

    Parameters
    ----------
    statement : SimultaneousLevel, WorstGroup or GroupGaps
        The level of the intervals of all groups, the bound of the worst one, or the gaps.
    interval : str
        ``MEANS``, ``DIFFERENCES``, ``GAPS``, ``PAIR_GAPS`` or ``WORST``.
    values : ndarray of float
        (n,) losses of the instances, or differences of two models.
    rows : GroupRows
        The groups of the instances.
    layout : Layout
        The layout of the losses. Only a test set without an order of time was studied.
    data : str
        ``RATES``, ``NUMBERS`` or ``SKEWED``.
    """
    numbers: dict[str, int] = {}
    if data == RATES:
        data = name_rates(rows.n_groups)
        differing = int(np.count_nonzero(values))
        if interval in {DIFFERENCES, PAIR_GAPS}:
            numbers[DIFFER] = differing
        else:
            numbers[RARER] = min(differing, len(values) - differing)
    studied = read_studied_intervals(__package__, "groups_coverage.json", interval)
    return add_coverage_of_study(statement, studied, rows, layout, data, numbers)


def add_coverage_of_study(  # noqa: PLR0913 - what a design is compared with
    statement: Studied,
    studied: Sequence[StudiedInterval],
    rows: GroupRows,
    layout: Layout,
    data: str,
    numbers: Mapping[str, int],
) -> Studied:
    """Return a statement about all groups with how often such ones held in a study of test sets.

    Parameters
    ----------
    studied : sequence of StudiedInterval
        The statement in all designs in which it was studied.
    data : str
        What the values are like.
    numbers : mapping of str to int
        The numbers that are compared beside those of groups and clusters.
    """
    if layout.kind is not BlockKind.HOLDOUT or layout.time is not None or rows.averages:
        return replace(statement, expected_coverage_missing=NOT_STUDIED)
    sizes = [len(rows.get_members(group)) for group in range(rows.n_groups)]
    compared = {GROUPS: rows.n_groups, SMALLEST: min(sizes), **numbers}
    if rows.cluster is not None:
        noun = SHARED_CLUSTERS if rows.are_dependent else OWN_CLUSTERS
        counts = np.unique(rows.cluster, return_counts=True)[1]
        compared[noun] = len(counts)
        unequal = explain_imbalance(
            "clusters", len(counts), compute_imbalance(counts), STUDIED_IMBALANCE
        )
        if unequal is not None:
            return replace(statement, expected_coverage_missing=unequal)
    expected, missing = find_expected_coverage(studied, data, compared)
    return replace(statement, expected_coverage=expected, expected_coverage_missing=missing)


def name_rates(n_groups: int) -> str:
    """Return what rates of so many groups are called."""
    return RATES if n_groups <= MOST_SCORE_GROUPS else MANY_RATES


def classify(*, are_rates: bool, cautions: Iterable[Caution]) -> str:
    """Return what the values are like; those with the caution ``skewed_groups`` are skewed."""
    if are_rates:
        return RATES
    is_skewed = any(caution.code == SKEWED_GROUPS.code for caution in cautions)
    return SKEWED if is_skewed else NUMBERS
