from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.numerics.judged_samples import VECTORS
from thetahat.analyses.losses.judged_table import Judge, build_judged_table
from thetahat.paired_tests.base import PairedLosses
from thetahat.paired_tests.theta_t import ThetaT
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind
from thetahat.variances.iid import Iid
from thetahat.variances.prediction_powered import PredictionPowered


def read_pair() -> dict[str, BlockLosses]:
    """Return the losses of the vector ``ppi_paired_difference``."""
    inputs = VECTORS["ppi_paired_difference"]["inputs"]
    empty = [np.nan] * len(inputs["judge_on_unlabelled"]["a"])
    losses = {m: np.array([*inputs["labelled"][m], *empty]) for m in "ab"}
    grades = {
        m: np.array(inputs["judge_on_labelled"][m] + inputs["judge_on_unlabelled"][m], float)
        for m in "ab"
    }
    return dict(build_judged_table(losses, Judge(losses=grades)).models)


@pytest.mark.outside("glide 0.10.0 PPIMeanEstimator and ppi-python 0.2.3 (ppi_paired_difference)")
def test_golden_difference_is_tuned_for_the_difference() -> None:
    models, expected = read_pair(), VECTORS["ppi_paired_difference"]["expected"]["tuned"]

    found: Any = PredictionPowered().estimate(models["a"].minus(models["b"]))

    assert_allclose(found.estimate, expected["estimate"], rtol=1e-9)
    assert_allclose(found.standard_error, expected["standard_error"], rtol=1e-9)
    assert_allclose(found.details["lambda"], expected["lambda"], rtol=1e-9)
    assert found.degrees_of_freedom == 69
    assert found.usable


def test_exact_the_t_test_takes_it_by_default() -> None:
    models = read_pair()
    difference = models["a"].minus(models["b"])
    pair = PairedLosses(models["a"], models["b"], difference, higher_is_better=False)

    outcome = ThetaT().test_pair(pair, Alternative.TWO_SIDED)

    found: Any = PredictionPowered().estimate(difference)
    assert found.standard_error is not None
    assert outcome.statistic == pytest.approx(found.estimate / found.standard_error, rel=1e-12)
    assert outcome.details["variance"] == "prediction_powered"


def test_limit_equal_grades_give_the_variance_of_the_labels() -> None:
    rng = np.random.default_rng(1)
    labels = np.concatenate([rng.normal(size=60), np.full(200, np.nan)])
    (losses,) = build_judged_table({"m": labels}, Judge(losses={"m": np.ones(260)})).models.values()

    ours, theirs = PredictionPowered().estimate(losses), Iid().estimate(losses)

    assert_allclose(ours.value, theirs.value, rtol=1e-12)
    assert_allclose(ours.estimate, theirs.estimate, rtol=1e-12)


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ([0.0, 1.0] * 9, "There are 18 labelled rows, fewer than 20"),
        ([0.0] * 95 + [1.0] * 5, "Only 5 labelled rows differ from the commonest loss"),
        ([0.0] * 60, "Only 0 labelled rows differ"),
    ],
)
def test_degenerate_few_labels_carry_no_interval(labels: list[float], reason: str) -> None:
    column = np.array([*labels, *[np.nan] * 100])
    grades = np.nan_to_num(column, nan=1.0)
    (losses,) = build_judged_table({"m": column}, Judge(losses={"m": grades})).models.values()

    found: Any = PredictionPowered().estimate(losses)

    assert not found.usable
    assert found.cautions[0].code == "labels_alone"
    assert reason in found.cautions[0].message


def test_invalid_layouts_without_grades_or_with_clusters() -> None:
    plain = build_layout(BlockKind.HOLDOUT, [0, 0, 0])
    assert PredictionPowered().inapplicable(plain) == (
        "prediction_powered needs the grades of a judge in the field judge"
    )
    labels = np.array([1.0, 0.0, 1.0, np.nan])
    clusters: Any = ["a", "b", "c", "d"]
    table = build_judged_table({"m": labels}, Judge(losses={"m": np.ones(4)}), cluster=clusters)
    reason = PredictionPowered().inapplicable(table.layout)
    assert reason is not None
    assert "use prediction_powered_clusters" in reason
