"""Risks beside the weighted and the controlled one."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.weighted_risks.drawn_losses import codes, draw_losses_and_weights
from thetahat.errors import InvalidParameter
from thetahat.weighted_risks import WEIGHTED_RISKS, average_by_source, estimate_paired_difference
from thetahat.weighted_risks.controlled import Controlled
from thetahat.weighted_risks.doubly import Doubly
from thetahat.weighted_risks.self_normalised import SelfNormalised
from thetahat.weighted_risks.truncated import Truncated
from thetahat.weighted_risks.weighted import Weighted

LOSSES = np.array([1.0, 2.0, 0.0, 3.0])
WEIGHTS = np.array([0.5, 1.0, 1.5, 2.0])


@pytest.mark.about("weighted_risks/self_normalised")
def test_by_hand_self_normalised() -> None:
    # sum l w = 8.5 over sum w = 5: 1.7; w (l - 1.7) = -.35, .3, -2.55, 2.6, squares 13.475,
    # over the squared mean weight 25/16, over n - 1 = 3 and n = 4
    estimate = SelfNormalised().estimate(LOSSES, WEIGHTS)

    assert_allclose(estimate.estimate, 1.7, rtol=1e-14)
    assert_allclose(estimate.variance, 13.475 / (25 / 16) / 12, rtol=1e-13)


@pytest.mark.about("weighted_risks/self_normalised")
def test_exact_a_factor_of_the_weights_and_a_constant_loss_fall_out() -> None:
    losses, weights = draw_losses_and_weights(1)
    estimate = SelfNormalised().estimate(losses, weights)
    other = SelfNormalised().estimate(losses + 1e6, 7 * weights)

    assert_allclose(other.estimate - 1e6, estimate.estimate, rtol=1e-8)
    assert_allclose(other.variance, estimate.variance, rtol=1e-6)
    assert losses.min() <= estimate.estimate <= losses.max()


@pytest.mark.about("weighted_risks/self_normalised")
def test_degenerate_one_weight_that_is_not_zero() -> None:
    estimate = SelfNormalised().estimate(LOSSES, np.array([0, 0, 0, 2.0]))

    assert estimate.estimate == 3
    assert estimate.variance == 0
    assert codes(estimate) == ["zero_variance"]


@pytest.mark.about("weighted_risks/truncated")
def test_by_hand_truncated() -> None:
    # cut at 1: l min(w, 1) = .5, 2, 0, 3, mean 5.5/4 and squares about it 13.25 - 30.25/4; what is
    # cut is l x (0, 0, .5, 1) = 0, 0, 0, 3
    estimate = Truncated(cut=1).estimate(LOSSES, WEIGHTS)

    assert_allclose(estimate.estimate, 5.5 / 4, rtol=1e-14)
    assert_allclose(estimate.variance, (13.25 - 30.25 / 4) / 12, rtol=1e-13)
    assert estimate.bias == -3 / 4
    assert codes(estimate) == ["weights_truncated"]
    assert "2 weights are truncated at 1" in estimate.cautions[0].message
    truncated = Truncated(cut=1.8).estimate(LOSSES, WEIGHTS)
    assert "1 weight is truncated at 1.8" in truncated.cautions[0].message


@pytest.mark.about("weighted_risks/truncated")
def test_exact_with_its_bias_taken_off_it_is_the_weighted_risk() -> None:
    losses, weights = draw_losses_and_weights(2)
    estimate = Truncated(cut=1).estimate(losses, weights)
    uncut = Truncated().estimate(losses, weights)
    weighted = Weighted().estimate(losses, weights)

    assert estimate.bias is not None
    assert_allclose(estimate.estimate - estimate.bias, weighted.estimate, rtol=1e-13)
    assert uncut.estimate == weighted.estimate
    assert uncut.bias == 0
    assert codes(uncut) == []


@pytest.mark.about("weighted_risks/truncated")
def test_invalid_cut() -> None:
    for cut in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(InvalidParameter, match="cut must be a finite number above 0"):
            Truncated(cut=cut)


@pytest.mark.about("weighted_risks/doubly")
@pytest.mark.outside("numpy.linalg.lstsq: the intercept of a regression on both control variates")
def test_against_numpy_lstsq_doubly() -> None:
    losses, weights = draw_losses_and_weights(3)
    design = np.column_stack([np.ones(40), weights - 1, weights**2 - 1.8])
    (intercept, *slopes), residuals, *_ = np.linalg.lstsq(design, losses * weights)

    estimate = Doubly(second_moment=1.8).estimate(losses, weights)

    assert_allclose(estimate.estimate, intercept, rtol=1e-9)
    assert_allclose(estimate.beta, slopes, rtol=1e-9)
    assert_allclose(estimate.variance, residuals[0] / 39 / 40, rtol=1e-9)


@pytest.mark.about("weighted_risks/doubly")
def test_exact_the_variance_of_the_second_moment_adds() -> None:
    losses, weights = draw_losses_and_weights(4)
    known = Doubly(second_moment=2.0).estimate(losses, weights)
    controlled = Controlled().estimate(losses, weights)
    # half of what the squares take off
    half = (controlled.variance - known.variance) / known.beta[1] ** 2 / 2
    guessed = Doubly(second_moment=2.0, second_moment_variance=half).estimate(losses, weights)

    assert_allclose(guessed.variance - known.variance, known.beta[1] ** 2 * half, rtol=1e-9)
    assert guessed.estimate == known.estimate
    assert codes(guessed) == ["control_from_few_rows"]
    assert known.variance < controlled.variance


@pytest.mark.about("weighted_risks/doubly")
def test_limit_with_a_second_moment_that_is_too_uncertain_it_is_the_controlled_risk() -> None:
    losses, weights = draw_losses_and_weights(4)
    known = Doubly(second_moment=2.0).estimate(losses, weights)
    controlled = Controlled().estimate(losses, weights)
    twice = 2 * (controlled.variance - known.variance) / known.beta[1] ** 2
    estimate = Doubly(second_moment=1e4, second_moment_variance=twice).estimate(losses, weights)

    assert_allclose(estimate.estimate, controlled.estimate, rtol=1e-10)
    assert_allclose(estimate.variance, controlled.variance, rtol=1e-10)
    assert_allclose(estimate.beta, [controlled.beta[0], 0], rtol=1e-9)
    assert codes(estimate) == ["second_moment_too_uncertain", "control_from_few_rows"]


@pytest.mark.about("weighted_risks/doubly")
def test_limit_without_a_second_moment_it_is_the_controlled_risk() -> None:
    losses, weights = draw_losses_and_weights(5)
    controlled = Controlled().estimate(losses, weights)
    unknown = Doubly().estimate(losses, weights)
    # two distinct weights: the squares are a linear function of the weights
    two = np.where(np.arange(40) % 3 == 0, 0.5, 2.0)
    of_two = Doubly(second_moment=2.0).estimate(losses, two)

    assert_allclose(unknown.estimate, controlled.estimate, rtol=1e-12)
    assert codes(unknown) == ["second_moment_unknown", "control_from_few_rows"]
    assert of_two.beta[1] == 0
    assert_allclose(of_two.estimate, Controlled().estimate(losses, two).estimate, rtol=1e-10)


@pytest.mark.about("weighted_risks/doubly")
def test_degenerate_weights_that_vary_by_rounding_only() -> None:
    losses, _ = draw_losses_and_weights(6)
    nearly = np.asarray(1 + 1e-16 * np.arange(40), dtype=np.float64)

    for method in (Doubly(second_moment=1.0), Controlled()):
        estimate = method.estimate(losses, nearly)
        assert set(estimate.beta) == {0.0}
        assert_allclose(estimate.estimate, losses.mean(), rtol=1e-12)


@pytest.mark.about("weighted_risks/doubly")
def test_invalid_second_moment() -> None:
    with pytest.raises(InvalidParameter, match="second_moment must be"):
        Doubly(second_moment=-1.0)
    with pytest.raises(InvalidParameter, match="second_moment_variance must be"):
        Doubly(second_moment=1.0, second_moment_variance=float("nan"))


@pytest.mark.about(*(f"weighted_risks/{name}" for name in WEIGHTED_RISKS))
@pytest.mark.parametrize("name", WEIGHTED_RISKS)
def test_exact_the_terms_are_what_is_averaged(name: str) -> None:
    losses, weights = draw_losses_and_weights(7)
    estimate = WEIGHTED_RISKS[name]().estimate(losses, weights)

    assert estimate.terms is not None
    assert_allclose(estimate.terms.mean(), estimate.estimate, rtol=1e-12)
    assert_allclose(estimate.terms.var(ddof=1) / 40, estimate.variance, rtol=1e-10)


@pytest.mark.parametrize("name", [name for name in WEIGHTED_RISKS if name != "doubly"])
def test_exact_a_paired_difference_is_the_risk_of_the_differences(name: str) -> None:
    """Each risk is linear in the losses, so two learners may be compared by their differences."""
    (a, weights), (b, _) = draw_losses_and_weights(8), draw_losses_and_weights(9)
    method = WEIGHTED_RISKS[name]()
    estimate = estimate_paired_difference(method.estimate(a, weights), method.estimate(b, weights))
    direct = method.estimate(a - b, weights)

    assert_allclose(estimate.difference, direct.estimate, rtol=1e-10)
    assert_allclose(estimate.variance, direct.variance, rtol=1e-9)


def test_by_hand_two_risks_of_one_learner() -> None:
    # l w - (2.9 (w - 1) taken off) differ by 2.9 (w - 1) = -1.45, 0, 1.45, 2.9
    estimate = estimate_paired_difference(
        Weighted().estimate(LOSSES, WEIGHTS), Controlled().estimate(LOSSES, WEIGHTS)
    )

    assert_allclose(estimate.difference, 2.9 / 4, rtol=1e-13)
    assert_allclose(estimate.variance, 2.9**2 * 1.25 / 12, rtol=1e-13)


def test_by_hand_by_source() -> None:
    # l w = .5, 2 in the one source, 0, 6 in the other
    estimate = Weighted().estimate(LOSSES, WEIGHTS)

    means, variances = average_by_source(estimate, np.array([0, 0, 1, 1]))

    assert_allclose(means, [1.25, 3], rtol=1e-14)
    assert_allclose(variances, [1.125 / 2, 18 / 2], rtol=1e-14)
    _, alone = average_by_source(estimate, np.array([0, 0, 1, 0]))
    assert np.isnan(alone[1])


def test_invalid_risks_of_different_instances() -> None:
    first, other = (Weighted().estimate(LOSSES[:k], WEIGHTS[:k]) for k in (3, 4))

    with pytest.raises(InvalidParameter, match="3 and 4 instances"):
        estimate_paired_difference(first, other)


@pytest.mark.about("weighted_risks/self_normalised")
@pytest.mark.outside("numpy.average with weights, run here")
def test_against_numpy_weighted_average() -> None:
    losses, weights = draw_losses_and_weights(31)

    theirs = np.average(losses, weights=weights)
    assert_allclose(SelfNormalised().estimate(losses, weights).estimate, theirs, rtol=1e-13)


@pytest.mark.about("weighted_risks/truncated")
@pytest.mark.outside("numpy.clip and scipy.stats.sem of the products, run here")
def test_against_scipy_error_of_truncated_products() -> None:
    from scipy import stats

    losses, weights = draw_losses_and_weights(32)
    products = losses * np.clip(weights, None, 1.5)

    estimate = Truncated(cut=1.5).estimate(losses, weights)
    assert_allclose(estimate.estimate, products.mean(), rtol=1e-13)
    assert_allclose(estimate.variance, stats.sem(products) ** 2, rtol=1e-12)
