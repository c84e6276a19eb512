from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.numerics.judged_samples import VECTORS
from thetahat.analyses.losses.judged_table import Judge, build_judged_table
from thetahat.errors import UnsupportedCombination
from thetahat.values.block_losses import BlockLosses
from thetahat.variances.prediction_powered import PredictionPowered
from thetahat.variances.prediction_powered_clusters import PredictionPoweredClusters


def read_clusters(weight: float | None) -> BlockLosses:
    """Return the losses of the vector ``ppi_clusters``."""
    inputs = VECTORS["ppi_clusters"]["inputs"]
    others = inputs["judge_on_unlabelled"]
    losses = np.array([*inputs["labelled"], *[np.nan] * len(others)])
    judge = Judge(
        losses={"m": np.array([*inputs["judge_on_labelled"], *others])},
        weight="tuned" if weight is None else weight,
    )
    cluster = [*inputs["cluster"], *inputs["cluster_of_unlabelled"]]
    return build_judged_table({"m": losses}, judge, cluster=cluster).models["m"]


@pytest.mark.outside("truescore 0.7.4 ppi_estimate(clusters=...) (ppi_clusters)")
@pytest.mark.parametrize(
    ("weight", "estimate", "error"),
    [
        (1.0, 0.7609517464163, 0.1538892542268),
        (0.4622762324727, 1.093814917826, 0.1190082772816),
    ],
)
def test_golden_mean_over_rows(weight: float, estimate: float, error: float) -> None:
    found: Any = PredictionPoweredClusters().estimate(read_clusters(weight))

    assert_allclose(found.estimate, estimate, rtol=1e-9)
    assert_allclose(found.standard_error, error, rtol=1e-9)
    assert found.degrees_of_freedom == 13
    assert not found.usable  # 14 labelled clusters
    assert "14 labelled clusters, fewer than 20" in found.cautions[0].message


def test_limit_clusters_of_one_row_give_prediction_powered() -> None:
    rng = np.random.default_rng(2)
    labels = np.concatenate([rng.normal(size=40), np.full(160, np.nan)])
    judge = Judge(losses={"m": np.nan_to_num(labels) + rng.normal(size=200)})
    rows = build_judged_table({"m": labels}, judge).models["m"]
    clusters = build_judged_table({"m": labels}, judge, cluster=list(range(200))).models["m"]

    ours: Any
    theirs: Any
    ours, theirs = (
        PredictionPoweredClusters().estimate(clusters),
        PredictionPowered().estimate(rows),
    )

    assert_allclose([ours.estimate, ours.value], [theirs.estimate, theirs.value], rtol=1e-12)
    assert ours.degrees_of_freedom == theirs.degrees_of_freedom


def test_invalid_clusters_of_which_a_part_has_labels() -> None:
    labels = np.array([1.0, 0.0, np.nan, np.nan])
    with pytest.raises(UnsupportedCombination, match=r"1 of the clusters, such as 'b', have rows"):
        build_judged_table(
            {"m": labels}, Judge(losses={"m": np.ones(4)}), cluster=["a", "b", "b", "c"]
        )
