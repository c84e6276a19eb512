"""The study of ratios of costs, and what results are taken for."""

from __future__ import annotations

import math

import numpy as np
import pytest

import thetahat
from tests.architecture.sources import ROOT
from tests.cases import each
from thetahat.analyses.losses.cost_coverage import COSTS, FEW_DEAR, RATIO
from thetahat.values.kept_studies import read_studied_intervals
from thetahat_replications.edges import costs
from thetahat_replications.edges.table import KeptPage

PAGE = KeptPage.read((ROOT / "docs/results/edges/costs.md").read_text())


@each("name", [*costs.DESIGNS, *costs.IN_CLUSTERS])
def test_exact_a_sample_has_the_set_of_an_evaluation(name: str) -> None:
    design = {**costs.DESIGNS, **costs.IN_CLUSTERS}[name]
    clusters = np.arange(200)
    if name in costs.IN_CLUSTERS:
        clusters = np.repeat(np.arange(25), 8)
    sample = costs._judge_sample(design.draw, clusters, np.random.default_rng(7))
    new, old = design.draw(np.random.default_rng(7), clusters)
    result = thetahat.evaluate(
        {"new": np.arange(200) % 2 / 2, "old": np.arange(200) % 3 / 2},
        blocks="holdout",
        cost={"new": new, "old": old},
        cluster=clusters if name in costs.IN_CLUSTERS else None,
    )
    found = result.comparisons[0].cost

    assert found is not None
    assert found.shape == "interval"
    assert sample[:2] == pytest.approx((found.lower, found.upper), rel=1e-12)


@each("name", [*costs.DESIGNS, *costs.IN_CLUSTERS])
def test_calibrated_true_means_are_those_of_the_page(name: str) -> None:
    design = {**costs.DESIGNS, **costs.IN_CLUSTERS}[name]
    n = 400_000
    clusters = np.arange(n) // (1 if name in costs.DESIGNS else 4)
    for drawn, mean in zip(design.draw(np.random.default_rng(3), clusters), (0.5, 1), strict=True):
        n_independent = int(clusters[-1]) + 1
        sums = np.bincount(clusters, weights=drawn)
        error = sums.std() / math.sqrt(n_independent) * n_independent / n
        assert abs(drawn.mean() - mean) < 5 * error


def test_exact_each_size_has_the_shares_of_its_samples() -> None:
    studied = read_studied_intervals("thetahat.analyses.losses", "cost_coverage.json", RATIO)
    for one in studied:
        rows = [
            row
            for row in PAGE.rows
            if float(row["rows"]) == one.numbers["rows"]
            and row["clusters"] == f"{one.numbers.get('clusters', 0):.0f}".removeprefix("0")
            and (float(row["dear"]) >= 0.5) == (one.data == FEW_DEAR)
        ]
        shares = [float(row["ratio"].split()[0]) for row in rows]

        assert one.expected.coverage == pytest.approx(np.mean(shares), abs=1e-4)
        assert (one.expected.least, one.expected.largest) == (min(shares), max(shares))
    assert {one.data for one in studied} == {COSTS, FEW_DEAR}
