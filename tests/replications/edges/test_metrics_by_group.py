"""The study of metrics in all groups at once."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from thetahat_replications.edges import metrics_by_group
from thetahat_replications.edges.metrics_by_group import DESIGNS, MetricDesign, list_rows
from thetahat_replications.edges.simulated_intervals import measure_power_of_all


def test_exact_the_truth_is_that_of_normal_scores() -> None:
    """Means 1 to 2 apart: recall is Phi(d/2), the area Phi(d/sqrt 2); r2 is the share explained."""
    step = np.array([0, 0.5, 1])
    two = MetricDesign("two", (10,) * 3, 0.3)
    numbers = MetricDesign("numbers", (10,) * 3, None)
    rng = np.random.default_rng(5)
    truth = metrics_by_group.compute_truth(two, rng)

    assert_allclose(truth["recall"], stats.norm.cdf((1 + step) / 2), atol=0.005)
    assert_allclose(truth["specificity"], stats.norm.cdf((1 + step) / 2), atol=0.005)
    assert_allclose(truth["roc_auc"], stats.norm.cdf((1 + step) / 2**0.5), atol=0.005)
    assert_allclose(
        metrics_by_group.compute_truth(numbers, rng)["r2"], 0.5 + 0.3 * step, atol=0.005
    )
    skewed = MetricDesign("skewed", (10,) * 3, None, 0, skewed=True)
    of_skewed = metrics_by_group.compute_truth(skewed, rng)["r2"]
    assert_allclose(of_skewed, 0.5 + 0.3 * step, atol=0.008)
    of_one = metrics_by_group.compute_truth(MetricDesign("one", (10,), None), rng)["r2"]
    assert_allclose(of_one, [0.8], atol=0.005)


def test_exact_clusters_leave_the_spread_of_scores() -> None:
    design = next(each for each in DESIGNS if each.n_clusters and each.rate is not None)
    codes = np.zeros(200_000, dtype=np.intp)
    cluster = np.arange(len(codes)) // 4
    judged = design.draw(np.random.default_rng(6), codes, cluster)
    assert judged.scores is not None
    error = judged.scores - (judged.truth - 0.5)
    pairs = error.reshape(-1, 4)

    assert_allclose(error.var(), 1, atol=0.02)
    assert_allclose((pairs[:, 0] * pairs[:, 1]).mean(), metrics_by_group.SHARED, atol=0.02)
    sizes = np.bincount(metrics_by_group._assign_clusters(240, 40))
    assert len(sizes) == 40
    assert sizes.sum() == 240


def test_hand_power_is_averaged_over_groups_and_possible_values() -> None:
    """The truth is 0.8 and 0.4, and the estimates have SDs of 0.1 and 0.0816.

    Of four samples one has a lower end above 0.5, and none is asked about 1.1; three have a lower
    end above 0.155, two an upper one below 0.645. The normal quantile of Sidak's level is 2.2365.
    """
    first = [[0.7, 0.4, 0.9], [0.9, 0.6, 0.95], [np.nan] * 3, [0.8, np.nan, np.nan]]
    second = [[0.3, 0.2, 0.8], [0.5, 0.2, 0.6], [0.4, 0.2, 0.6], [0.4, np.nan, np.nan]]
    found = np.array([first, second]).transpose(1, 0, 2)
    sd = [np.nanstd(found[:, g, 0], ddof=1) for g in (0, 1)]
    power = measure_power_of_all(found, np.array([0.8, 0.4]), (0.0, 1.0))

    assert_allclose(sd, [0.1, np.sqrt(0.02 / 3)])
    oracle = stats.norm.sf(2.2365 - 3) + stats.norm.cdf(-2.2365 - 3)
    assert_allclose(power, (1 / 4 + (3 / 4 + 2 / 4) / 2) / 2 / oracle, rtol=1e-4)


def test_exact_rows_of_a_design_depend_on_the_seed_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(metrics_by_group, "N_FOR_TRUTH", 1000)
    monkeypatch.setattr(metrics_by_group, "DESIGNS", DESIGNS[:4])
    first = list(list_rows(2, 3))

    monkeypatch.setattr(metrics_by_group, "DESIGNS", DESIGNS[:2])
    again = list(list_rows(2, 3))
    assert 0 < len(again) < len(first)
    assert again == first[: len(again)]
    quick = next(design for design in DESIGNS if design.name == "five groups of 40, numbers")
    monkeypatch.setattr(metrics_by_group, "DESIGNS", (quick,))
    of_seeds = [list(list_rows(8, seed)) for seed in (3, 4)]
    assert of_seeds[0] != of_seeds[1]
