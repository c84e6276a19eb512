"""What was estimated beforehand joins the result like any other estimate."""

from __future__ import annotations

import numpy as np
import pytest

from tests.thetahat.analyses.losses.tables import evaluated
from thetahat.analyses.losses import Choices
from thetahat.analyses.losses.parts import Parts
from thetahat.analyses.losses.refit_estimates import RefitEstimate
from thetahat.intervals.base import Interval
from thetahat.refit_estimators import REFIT_ESTIMATORS
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind, MeanKind, Target
from thetahat.variances.base import VarianceEstimate


def _table() -> LossTable:
    rng = np.random.default_rng(7)
    layout = build_layout(BlockKind.RANDOM, np.repeat(np.arange(4), 5))
    return LossTable(layout, {m: BlockLosses(layout, values=rng.random(20)) for m in "ab"})


def _variance(estimate: float, value: float) -> VarianceEstimate:
    return VarianceEstimate(
        value=value,
        target=Target.THESE_SOURCES,
        mean=MeanKind.POOLED,
        estimate=estimate,
        degrees_of_freedom=None,
        usable=True,
    )


def test_exact_an_own_estimate_is_reported_apart_with_its_intervals() -> None:
    """0.5 -+ 1.959964 x 0.1, by hand."""
    estimate = RefitEstimate(
        key="oob",
        method=REFIT_ESTIMATORS["out_of_bag"].info,
        estimate=_variance(0.5, 0.01),
        is_own_estimate=True,
    )
    model = evaluated(_table(), Choices(), 1, Parts(refits={"a": [estimate]}))["models"]["a"]
    out_of_bag = model["estimates"]["oob"]
    assert (out_of_bag["estimate"], out_of_bag["variance"]) == (0.5, 0.01)
    assert out_of_bag["standard_error"] == pytest.approx(0.1, rel=1e-15)
    (interval,) = out_of_bag["intervals"]
    assert interval["lower"] == pytest.approx(0.3040036015459946, rel=1e-12)
    assert interval["upper"] == pytest.approx(0.6959963984540054, rel=1e-12)
    assert "oob" not in model["variances"]
    assert interval in model["intervals"]


def test_exact_a_variance_joins_the_variances_of_models_and_pairs() -> None:
    estimate = RefitEstimate(
        key="nested", method=REFIT_ESTIMATORS["bates_nested_cv"].info, estimate=_variance(0.1, 0.04)
    )
    result = evaluated(_table(), Choices(), 1, Parts(refits={("a", "b"): [estimate]}))
    assert "estimates" not in result["models"]["a"]
    assert "nested" not in result["models"]["a"]["variances"]
    (pair,) = result["comparisons"]
    assert pair["variances"]["nested"]["value"] == 0.04
    assert any(i["variance"] == "nested" and i["method"] == "normal" for i in pair["intervals"])


def test_exact_an_interval_of_its_own_is_shown_and_one_per_target_recommended() -> None:
    own = Interval(
        method="two_stage_bootstrap",
        variance=None,
        target=Target.THESE_SOURCES,
        mean=MeanKind.POOLED,
        estimate=0.5,
        standard_error=None,
        level=0.95,
        alternative=Alternative.TWO_SIDED,
        lower=0.4,
        upper=1.7,
        degrees_of_freedom=None,
    )
    estimate = RefitEstimate(
        key="two_stage_bootstrap",
        method=REFIT_ESTIMATORS["two_stage_bootstrap"].info,
        intervals=(own,),
    )
    choices = Choices(clip=True, range=(0.0, 1.0))
    model = evaluated(_table(), choices, 1, Parts(refits={"a": [estimate]}))["models"]["a"]
    (interval,) = (i for i in model["intervals"] if i["method"] == "two_stage_bootstrap")
    assert (interval["lower"], interval["upper"], interval["recommended"]) == (0.4, 1.0, False)
    assert [c["code"] for c in interval["cautions"]] == ["interval_clipped_to_range"]
    recommended = [i for i in model["intervals"] if i["recommended"]]
    assert [i["target"] for i in recommended].count("these_sources") == 1
