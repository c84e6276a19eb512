"""Faults of other packages in intervals of a mean."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.thetahat.analyses.losses.tables import evaluated, scores_of, table_of
from thetahat.analyses.losses import Choices
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind

K = 6


def interval_of(result: dict[str, object], method: str, variance: str) -> dict[str, float]:
    intervals = result["models"]["a"]["intervals"]  # type: ignore[index]
    (interval,) = (i for i in intervals if (i["method"], i["variance"]) == (method, variance))
    return dict(interval)


def test_exact_mlj_divides_by_k_minus_one_and_takes_two_digits_of_z() -> None:
    """MLJ: radius 1.96 sd / sqrt(k - 1).

    The variance of a mean of k scores is sd^2 / k, and the quantile depends on the level.
    """
    scores = [0.21, 0.18, 0.25, 0.19, 0.22, 0.30]
    sd = float(np.std(scores, ddof=1))
    result = evaluated(scores_of({"a": scores}), Choices(level=0.95), seed=1)
    normal = interval_of(result, "normal", "theta_3")

    radius = (normal["upper"] - normal["lower"]) / 2
    assert radius == pytest.approx(1.959963984540054 * sd / math.sqrt(K), rel=1e-12)
    assert abs(radius / (1.96 * sd / math.sqrt(K - 1)) - math.sqrt((K - 1) / K)) < 1e-4
    at_90 = evaluated(scores_of({"a": scores}), Choices(level=0.9), seed=1)
    narrower = interval_of(at_90, "normal", "theta_3")
    assert narrower["upper"] - normal["upper"] == pytest.approx(
        (1.6448536269514722 - 1.959963984540054) * sd / math.sqrt(K), rel=1e-9
    )


@pytest.mark.parametrize("value", [0.0, 1.0, 0.37])
def test_degenerate_inspect_ai_interval_of_one_score_is_a_point(value: float) -> None:
    """inspect_ai: the interval of fewer than two scores collapses to a point.

    One score says nothing of its spread: what needs it is left out with its reason, and what is
    left is the interval of a share, which is anything but a point.
    """
    layout = build_layout(BlockKind.HOLDOUT, ["test"])

    result = evaluated(table_of(layout, {"a": [value]}, loss_range=(0.0, 1.0)), Choices(), seed=1)

    intervals = result["models"]["a"]["intervals"]
    assert all(i["upper"] - i["lower"] > 0.5 for i in intervals)
    assert {i["method"] for i in intervals} <= {"wilson", "clopper_pearson"}
    assert "iid" in {entry["name"] for entry in result["not_applicable"]}
    assert result["models"]["a"]["variances"] == {}
