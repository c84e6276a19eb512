"""How often intervals of the ratio of costs covered in the nearest studied design.

``cost_coverage.json`` has the numbers of ``docs/results/edges/costs.md``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from thetahat.analyses.losses.cost_result import CostOfPair
from thetahat.analyses.losses.expected_coverage import is_too_low
from thetahat.cautions import COVERS_TOO_RARELY, FEWEST_FOR_A_TAIL, HEAVY_TAILED_LOSSES
from thetahat.values.block_losses import BlockLosses
from thetahat.values.clusters import compute_imbalance
from thetahat.values.kept_studies import (
    NOT_STUDIED,
    explain_imbalance,
    find_expected_coverage,
    read_studied_intervals,
)
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_percent
from thetahat.values.skewness import compute_skewness_of_mean
from thetahat.values.types import BlockKind, FloatArray

RATIO: Final = "ratio of costs"
COSTS: Final = "costs"
FEW_DEAR: Final = "costs of which few are dear in one model"
ROWS: Final = "rows"
CLUSTERS: Final = "clusters"


def add_expected_coverage(
    found: CostOfPair, a: FloatArray, b: FloatArray, layout: Layout
) -> CostOfPair:
    """Return a pair with how often such intervals of a ratio covered, where it has one.

    Parameters
    ----------
    found : CostOfPair
        The pair, with the interval of its ratio.
    a, b : ndarray of float
        (n,) costs of both models.
    layout : Layout
        The layout of the costs. Only a test set without an order of time was studied.
    """
    if found.shape != "interval" or found.ratio is None:
        return found
    if layout.kind is not BlockKind.HOLDOUT or layout.time is not None:
        return replace(found, expected_coverage_missing=NOT_STUDIED)
    numbers = {ROWS: len(a)}
    if layout.cluster is not None:
        sizes = np.bincount(layout.cluster)
        numbers[CLUSTERS] = len(sizes)
        if unequal := explain_imbalance(CLUSTERS, len(sizes), compute_imbalance(sizes)):
            return replace(found, expected_coverage_missing=unequal)
    expected, missing = find_expected_coverage(
        read_studied_intervals(__package__, "cost_coverage.json", RATIO),
        name_data(BlockLosses(layout, values=a - found.ratio * b)),
        numbers,
    )
    if expected is None:
        return replace(found, expected_coverage_missing=missing)
    cautions = found.cautions
    if is_too_low(expected):
        caution = COVERS_TOO_RARELY(
            interval="The interval of the ratio of costs",
            coverage=format_percent(round(expected.coverage, 2)),
            design=expected.design,
        )
        cautions = (*cautions, caution)
    return replace(found, expected_coverage=expected, cautions=cautions)


def name_data(deviations: BlockLosses) -> str:
    """Return what costs are like, from those of a minus the ratio times those of b.

    The set of ratios is that for which their mean may be 0, so it covers too rarely where they are
    skewed: where few rows are dear in one of the models. Dear rows of both balance each other.
    """
    cluster = deviations.layout.cluster
    n = len(deviations.rows) if cluster is None else int(cluster.max()) + 1
    if n < FEWEST_FOR_A_TAIL:
        return COSTS
    skewness = compute_skewness_of_mean(deviations) or 0.0
    return FEW_DEAR if abs(skewness) >= HEAVY_TAILED_LOSSES.threshold else COSTS
