"""How often intervals from labels and a judge's grades covered in the nearest studied design.

``judge_coverage.json`` has the numbers of ``docs/results/edges/judge_labels.md``: of recommended
intervals for the designs in which they mostly rest on the grades, and of others for all.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.values.block_losses import BlockLosses
from thetahat.values.coverage import ExpectedCoverage
from thetahat.values.judge import JudgeDesign
from thetahat.values.kept_studies import NOT_STUDIED, find_expected_coverage, read_studied_intervals
from thetahat.values.types import FloatArray

INTERVAL: Final = "mean from labels and grades"
TUNED: Final = "t interval from labels and grades"
ALONE: Final = "t interval from labels"

RATES: Final = "rates"
DIFFERENCES: Final = "differences of rates"
NUMBERS: Final = "numbers"

LABELS: Final = "labels"
OTHERS: Final = "rows without a label"
RARER: Final = "labels of the rarer value"
STRATA: Final = "strata"
RARER_OF_STRATUM: Final = "labels of the rarer value in a stratum"
CLUSTERS: Final = "labelled clusters"
OTHER_CLUSTERS: Final = "clusters without a label"
LARGEST: Final = "rows in its largest cluster"


def find_judge_coverage(
    losses: BlockLosses, interval: str = INTERVAL
) -> tuple[ExpectedCoverage | None, str | None]:
    """Return the coverage of the t interval of a model or difference, or why there is none.

    It is the recommended one, ``TUNED`` where that rests on the labels alone, or ``ALONE``. The
    weight of the judge was tuned in all studied designs.
    """
    design, labels = losses.layout.judge, losses.rows
    if design is None or losses.layout.time is not None or design.sampled == "chosen":
        return None, NOT_STUDIED
    if design.weight is not None and interval != ALONE:
        return None, NOT_STUDIED
    data = _classify(labels)
    numbers = _count(losses, design, data)
    if interval == ALONE:
        numbers = {noun: n for noun, n in numbers.items() if noun not in {OTHERS, OTHER_CLUSTERS}}
    studied = read_studied_intervals(__package__, "judge_coverage.json", interval)
    return find_expected_coverage(studied, data, numbers)


def _classify(labels: FloatArray) -> str:
    if ((labels == 0) | (labels == 1)).all():
        return RATES
    return DIFFERENCES if ((labels == 0) | (np.abs(labels) == 1)).all() else NUMBERS


def _count(losses: BlockLosses, design: JudgeDesign, data: str) -> dict[str, int]:
    """Return the numbers that are compared with those of the designs."""
    cluster, labels = losses.layout.cluster, losses.rows
    numbers = {LABELS: len(labels), OTHERS: design.n_unlabelled}
    if cluster is not None:
        sizes, others = np.bincount(cluster), design.cluster_unlabelled
        numbers = {
            CLUSTERS: int(np.count_nonzero(sizes)),
            OTHER_CLUSTERS: 0 if others is None else len(np.unique(others)),
            LARGEST: int(sizes.max()),
        }
    if design.stratum is not None:
        numbers[STRATA] = len(design.stratum_labels)
        if data == RATES:
            parts = [labels[design.stratum == code] for code in np.unique(design.stratum)]
            numbers[RARER_OF_STRATUM] = min(_count_rarer(part) for part in parts)
    elif data == RATES:
        numbers[RARER] = _count_rarer(labels)
    return numbers


def _count_rarer(labels: FloatArray) -> int:
    ones = int(labels.sum())
    return min(ones, len(labels) - ones)
