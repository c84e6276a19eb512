"""Means from labels and grades, beside the outputs of three packages and plain loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.naive import prediction_powered as naive
from tests.thetahat.numerics.judged_samples import draw_sample, to_lists
from thetahat.numerics.prediction_powered import (
    compute_labels_needed,
    compute_variance,
    estimate_mean,
    tune_weight,
)


@pytest.mark.parametrize("seed", range(5))
def test_naive_loops_over_the_definition(seed: int) -> None:
    sample = draw_sample(np.random.default_rng(seed), 9, 31)
    rows = to_lists(sample)
    weight = naive.tune(rows)

    found = estimate_mean(sample)

    assert_allclose(found.weights, weight, rtol=1e-12)
    assert_allclose(
        [found.estimate, found.variance], naive.estimate(rows, weight), rtol=1e-10, atol=1e-14
    )


def test_naive_loops_over_clusters() -> None:
    sample = draw_sample(np.random.default_rng(6), 12, 20)
    mine, others = np.arange(12) // 4, np.arange(20) // 5
    clustered = replace(sample, cluster=mine, cluster_unlabelled=others)
    rest = (sample.labels - 0.4 * sample.grades).tolist()

    found = compute_variance(clustered, 0.4)

    of_others = naive.cr1(sample.unlabelled.tolist(), others.tolist())
    assert_allclose(found, naive.cr1(rest, mine.tolist()) + 0.16 * of_others, rtol=1e-12)


def test_limit_clusters_of_one_row_are_rows() -> None:
    sample = draw_sample(np.random.default_rng(7), 11, 40)
    clustered = replace(sample, cluster=np.arange(11), cluster_unlabelled=np.arange(40))

    rows, clusters = estimate_mean(sample), estimate_mean(clustered)

    assert_allclose(clusters.weights, rows.weights, rtol=1e-12)
    assert_allclose(clusters.variance, rows.variance, rtol=1e-12)
    assert clusters.degrees_of_freedom == rows.degrees_of_freedom


def test_limit_one_stratum_is_no_stratum() -> None:
    sample = draw_sample(np.random.default_rng(8), 11, 40)
    stratified = replace(
        sample,
        stratum=np.zeros(11, dtype=np.intp),
        stratum_unlabelled=np.zeros(40, dtype=np.intp),
    )

    assert estimate_mean(stratified) == estimate_mean(sample)


def test_exact_a_shift_of_the_grades_changes_nothing() -> None:
    sample = draw_sample(np.random.default_rng(9), 20, 50)
    shifted = replace(sample, grades=sample.grades + 3, unlabelled=sample.unlabelled + 3)

    assert_allclose(estimate_mean(shifted).estimate, estimate_mean(sample).estimate, rtol=1e-12)
    assert_allclose(estimate_mean(shifted).variance, estimate_mean(sample).variance, rtol=1e-12)


def test_degenerate_no_other_rows_and_equal_grades_leave_the_labels() -> None:
    sample = draw_sample(np.random.default_rng(10), 20, 50)
    alone = estimate_mean(sample, 0.0)

    for changed in (
        replace(sample, unlabelled=np.empty(0)),
        replace(sample, unlabelled=np.ones(1)),
        replace(sample, grades=np.ones(20), unlabelled=np.ones(50)),
        replace(sample, grades=-sample.grades),
    ):
        assert estimate_mean(changed) == alone
    assert tune_weight(replace(sample, grades=-sample.grades)) < 0
    assert np.isnan(tune_weight(replace(sample, unlabelled=np.ones(1))))


def test_exact_labels_needed_give_the_half_width() -> None:
    variance, gain, n_rows, z, half_width = 0.25, 0.6, 2000, 1.96, 0.04
    n = compute_labels_needed(half_width, z, variance, gain, n_rows)

    assert n is not None
    left = z**2 * variance * (1 - gain * (n_rows - n) / n_rows) / n
    assert_allclose(left, half_width**2, rtol=1e-12)
    assert compute_labels_needed(0.001, z, variance, gain, n_rows) is None
    assert compute_labels_needed(half_width, z, variance, 0.0, n_rows) == pytest.approx(
        z**2 * variance / half_width**2
    )
