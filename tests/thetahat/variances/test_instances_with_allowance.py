"""instances_with_allowance: the variance of independent losses and a share of it for training."""

from __future__ import annotations

import re

import numpy as np
from numpy.testing import assert_allclose
from scipy.stats import f_oneway, sem, skew

import thetahat
from tests.cases import each
from tests.thetahat.naive.loss_matrices import losses_of, repeats_of
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind, Target
from thetahat.variances.instances_with_allowance import InstancesWithAllowance
from thetahat.variances.nadeau_bengio import NadeauBengio

RNG = np.random.default_rng(12)
FOLDS = RNG.gamma(2.0, size=(5, 8)).tolist()


def test_by_hand_four_losses_in_two_folds() -> None:
    estimate = InstancesWithAllowance().estimate(losses_of([[1, 3], [2, 6]]))

    # S^2 = (4 + 0 + 1 + 9) / 3 = 14/3; (1/4 + .52/3) S^2 = 5.08/12 * 14/3
    assert_allclose(estimate.value, 5.08 / 12 * 14 / 3, rtol=1e-12)
    assert estimate.degrees_of_freedom == 3
    assert (estimate.estimate, estimate.target) == (3, Target.THESE_SOURCES)


@each("of", ["model", "difference", "tail"])
def test_against_scipy_it_is_the_squared_standard_error_of_the_mean_and_a_share(of: str) -> None:
    values = np.array(FOLDS)
    values[1, 2] += 60.0 if of == "tail" else 0.0
    losses = losses_of(values.tolist())
    losses = losses.minus(losses_of(np.zeros((5, 8)).tolist())) if of == "difference" else losses

    estimate = InstancesWithAllowance().estimate(losses)

    share = {"model": 0.52, "difference": 0.6, "tail": 1.0}[of]
    assert_allclose(estimate.value, sem(values.ravel()) ** 2 * (1 + share * 40 / 39), rtol=1e-12)
    assert_allclose(estimate.details["multiple_of_independent"], 1 + share * 40 / 39)
    assert estimate.usable
    codes = {caution.code for caution in estimate.cautions}
    assert codes == ({"longer_for_heavy_tails"} if of == "tail" else set())


def test_limit_nadeau_bengio_of_leave_one_out_where_the_share_is_all() -> None:
    values = np.array(FOLDS)
    values[1, 2] += 60.0
    ours = InstancesWithAllowance().estimate(losses_of(values.tolist()))
    apart = NadeauBengio().estimate(losses_of([[loss] for loss in values.ravel()]))

    assert_allclose(ours.value, apart.value, rtol=1e-12)
    assert ours.degrees_of_freedom == apart.degrees_of_freedom


def test_naive_folds_of_unequal_size_have_the_variance_of_the_macro_mean() -> None:
    rows = [[0.1, 0.9], [0.4, 0.2, 0.7, 0.5], [0.3, 0.8, 0.6]]

    estimate = InstancesWithAllowance().estimate(losses_of(rows))

    values = np.concatenate(rows)
    n = len(values)
    of_mean = sum(values.var(ddof=1) / len(row) for row in rows) / 9
    assert_allclose(estimate.value, of_mean * (1 + 0.52 * n / (n - 1)), rtol=1e-12)
    assert_allclose(estimate.estimate, np.mean([np.mean(row) for row in rows]), rtol=1e-12)


@each("shift", [0.0, 0.8, 1.2, 1.6, 2.0, 2.8])
def test_against_scipy_folds_that_differ_carry_no_interval(shift: float) -> None:
    rows = RNG.standard_normal((5, 8))
    rows[0] += shift
    losses = losses_of(rows.tolist())

    ours, theirs = InstancesWithAllowance().estimate(losses), NadeauBengio().estimate(losses)

    differ = f_oneway(*rows).pvalue < 0.001
    for estimate in (ours, theirs):
        found = [c.message for c in estimate.cautions if c.code == "folds_differ"]
        assert bool(found) == differ
        for message in found:
            (p_value,) = re.findall(r"p = ([0-9.e-]+)\)", message)
            assert_allclose(float(p_value), f_oneway(*rows).pvalue, rtol=1e-3)  # as it is shown
    assert ours.usable != differ
    assert theirs.usable


def test_degenerate_folds_that_are_each_constant_differ() -> None:
    estimate = InstancesWithAllowance().estimate(losses_of([[1, 1], [1, 1], [2, 2]]))

    assert not estimate.usable
    assert estimate.value > 0


def test_degenerate_equal_losses_do_not_differ() -> None:
    estimate = InstancesWithAllowance().estimate(losses_of([[0.1, 0.1], [0.1, 0.1]]))

    assert {c.code for c in estimate.cautions} == {"zero_variance"}


def test_degenerate_instances_in_clusters_carry_no_interval() -> None:
    estimate = InstancesWithAllowance().estimate(
        losses_of(FOLDS, cluster=[i % 9 for i in range(40)])
    )

    assert estimate.value == InstancesWithAllowance().estimate(losses_of(FOLDS)).value
    assert not estimate.usable


def test_exact_a_large_zero_one_loss_is_no_tail() -> None:
    binary = (np.arange(40).reshape(5, 8) == 19).astype(float)

    estimate = InstancesWithAllowance().estimate(losses_of(binary.tolist()))

    assert skew(binary.ravel()) / np.sqrt(40) > 0.3
    assert estimate.details["multiple_of_independent"] == 1 + 0.52 * 40 / 39


@each("n", [16, 20])
def test_exact_fewer_than_twenty_instances_carry_no_interval(n: int) -> None:
    rows = RNG.standard_normal((4, n // 4)).tolist()

    assert InstancesWithAllowance().estimate(losses_of(rows)).usable == (n >= 20)


def test_invalid_several_partitions() -> None:
    layout = repeats_of([[[1, 2], [3, 4]], [[1, 3], [2, 4]]], BlockKind.RANDOM).layout

    assert "is for one partition, and there are 2" in str(
        InstancesWithAllowance().inapplicable(layout)
    )


def test_invalid_models_that_were_trained_on_fewer_instances() -> None:
    layout = build_layout(BlockKind.RANDOM, [0, 0, 1, 1], n_train=1)

    assert "trained on all other folds" in str(InstancesWithAllowance().inapplicable(layout))


def test_exact_it_is_recommended_over_one_partition_and_nadeau_bengio_where_folds_differ() -> None:
    block = [i % 5 for i in range(60)]
    losses = {"a": RNG.gamma(2.0, size=60), "b": RNG.gamma(2.0, size=60)}
    sorted_losses = {"a": losses["a"] + 5 * (np.array(block) == 0), "b": losses["b"]}

    alike, apart = (thetahat.evaluate(values, block=block) for values in (losses, sorted_losses))

    for result, variance in ((alike, "instances_with_allowance"), (apart, "nadeau_bengio")):
        interval = (result.models["a"].recommended or {})[Target.THESE_SOURCES]
        assert (interval.method, interval.variance) == ("skewness_corrected", variance)
        assert result.comparisons[0].interval is not None
        assert result.comparisons[0].interval.variance == variance
        codes = {caution.code for caution in interval.cautions}
        assert ("folds_differ" in codes) == (variance == "nadeau_bengio")
    other = (apart.models["b"].recommended or {})[Target.THESE_SOURCES]
    assert other.variance == "instances_with_allowance"
