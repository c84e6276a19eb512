"""The table of gaps of metrics between groups."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from thetahat.analyses.groups.result import GroupGap, GroupGaps
from thetahat_replications.edges import metric_gaps
from thetahat_replications.edges.metric_gaps import STUDIED
from thetahat_replications.edges.metrics_by_group import DESIGNS

GAP = GroupGap(
    group={"g": 2},
    against={"g": 0},
    estimate=0.1,
    standard_error=None,
    degrees_of_freedom=None,
    method="square_and_add",
    lower=0.0,
    upper=0.2,
)
TRUTH = np.array([0.5, 0.1, 0.6])


@pytest.mark.parametrize(("ends", "holds"), [((0.0, 0.2), 1), ((0.11, 0.2), 0), ((0.0, 0.09), 0)])
def test_hand_a_gap_holds_if_it_has_the_difference_of_the_true_values(
    ends: tuple[float, float], holds: int
) -> None:
    lower, upper = ends
    gaps = GroupGaps(
        level=0.95,
        critical_value=2.0,
        items=(GAP, replace(GAP, lower=lower, upper=upper)),
        largest=GAP,
    )
    assert metric_gaps._hold(gaps, TRUTH, 0.55) == holds
    to_whole = replace(GAP, against=None, lower=lower - 0.05, upper=upper - 0.05)
    assert metric_gaps._hold(replace(gaps, items=(to_whole,)), TRUTH, 0.55) == holds


def test_exact_a_row_for_each_metric_of_a_design() -> None:
    design = next(each for each in DESIGNS if each.name == "five groups of 40, numbers")
    (row,) = metric_gaps._judge(design, 3, np.random.default_rng(1))

    assert row[:2] == (design.name, "r2")
    assert row[4] == 0.0
    assert {each.name for each in DESIGNS} >= set(STUDIED)
