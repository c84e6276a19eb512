from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.weighted_risks.drawn_losses import codes, draw_losses_and_weights
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.references import REFERENCES
from thetahat.values.types import Target
from thetahat.weighted_risks import WEIGHTED_RISKS
from thetahat.weighted_risks.controlled import Controlled
from thetahat.weighted_risks.weighted import Weighted

LOSSES = np.array([1.0, 2.0, 0.0, 3.0])
WEIGHTS = np.array([0.5, 1.0, 1.5, 2.0])
# weighted losses 0.5, 2, 0, 6: mean 17/8, deviations -13, -1, -17, 31 eighths, squares 1420/64;
# weights: mean 5/4, deviations -3, -1, 1, 3 quarters, squares 20/16; products (39 + 1 - 17 + 93)
# = 116 over 32, so beta = (116/32) / (20/16) = 29/10


@pytest.mark.about("weighted_risks/weighted")
# By hand, beside LOSSES and WEIGHTS.
def test_by_hand_weighted() -> None:
    estimate = Weighted().estimate(LOSSES, WEIGHTS)

    assert_allclose(estimate.estimate, 17 / 8, rtol=1e-14)
    assert_allclose(estimate.variance, 1420 / 64 / 3 / 4, rtol=1e-14)
    assert estimate.beta == ()
    assert estimate.target is Target.NEW_POPULATION
    assert codes(estimate) == []


@pytest.mark.about("weighted_risks/controlled")
# By hand, beside LOSSES and WEIGHTS.
def test_by_hand_controlled() -> None:
    # 17/8 - 2.9 (5/4 - 1) = 1.4; (S^2(lw) - S(lw, w)^2 / S^2(w)) / 4 with sums over 3
    estimate = Controlled().estimate(LOSSES, WEIGHTS)

    assert_allclose(estimate.estimate, 1.4, rtol=1e-14)
    assert_allclose(estimate.beta, [2.9], rtol=1e-14)
    assert_allclose(estimate.variance, (1420 / 64 - (116 / 32) ** 2 / (20 / 16)) / 12, rtol=1e-13)
    assert codes(estimate) == ["control_from_few_rows"]


@pytest.mark.about("weighted_risks/controlled")
def test_by_hand_controlled_about_one() -> None:
    # sum (w - 1)^2 = 1/4 + 0 + 1/4 + 1 = 3/2, so beta = (116/32) / (3/2) = 29/12
    estimate = Controlled(about_one=True).estimate(LOSSES, WEIGHTS)

    assert_allclose(estimate.beta, [29 / 12], rtol=1e-14)
    assert_allclose(estimate.estimate, 17 / 8 - 29 / 48, rtol=1e-14)


def test_by_hand_controlled_by_fold() -> None:
    # folds {0, 2} and {1, 3}: lw 0.5, 0 on w 0.5, 1.5: slope -1/2; lw 2, 6 on w 1, 2: slope 4
    estimate = Controlled(beta_from="fold").estimate(LOSSES, WEIGHTS, np.array([0, 1, 0, 1]))
    terms = [0.5 - 0.25, 2 - 0, 0 + 0.25, 6 - 4]

    assert_allclose(estimate.beta, [-0.5, 4], rtol=1e-14)
    assert_allclose(estimate.estimate, np.mean(terms), rtol=1e-14)
    assert_allclose(estimate.variance, np.var(terms, ddof=1) / 4, rtol=1e-14)
    assert codes(estimate) == ["beta_within_folds", "control_from_few_rows"]
    assert "2 folds, the smallest of which has 2 points" in estimate.cautions[0].message


@pytest.mark.about("weighted_risks/controlled")
def test_naive_loops() -> None:
    losses, weights = draw_losses_and_weights(5)
    n = len(losses)
    lw = [float(l * w) for l, w in zip(losses, weights, strict=True)]
    mean_lw, mean_w = sum(lw) / n, sum(weights) / n
    covariance = sum((x - mean_lw) * (w - mean_w) for x, w in zip(lw, weights, strict=True))
    beta = covariance / sum((w - mean_w) ** 2 for w in weights)
    terms = [x - beta * (w - 1) for x, w in zip(lw, weights, strict=True)]
    centre = sum(terms) / n

    estimate = Controlled().estimate(losses, weights)

    assert_allclose(estimate.estimate, centre, rtol=1e-12)
    assert_allclose(
        estimate.variance, sum((t - centre) ** 2 for t in terms) / (n - 1) / n, rtol=1e-12
    )


@pytest.mark.about("weighted_risks/controlled")
def test_exact_controlled_is_the_intercept_of_a_regression() -> None:
    losses, weights = draw_losses_and_weights(6)
    design = np.column_stack([np.ones(len(weights)), weights - 1])
    (intercept, slope), *_ = np.linalg.lstsq(design, losses * weights)

    estimate = Controlled().estimate(losses, weights)

    assert_allclose(estimate.estimate, intercept, rtol=1e-10)
    assert_allclose(estimate.beta, [slope], rtol=1e-10)


@pytest.mark.about("weighted_risks/controlled")
def test_exact_variance_falls_by_the_squared_correlation() -> None:
    losses, weights = draw_losses_and_weights(7)
    rho = np.corrcoef(losses * weights, weights)[0, 1]
    plain, controlled = (m.estimate(losses, weights).variance for m in (Weighted(), Controlled()))

    assert_allclose(controlled, plain * (1 - rho**2), rtol=1e-10)


@pytest.mark.about("weighted_risks/weighted", "weighted_risks/controlled")
@pytest.mark.parametrize("name", WEIGHTED_RISKS)
def test_limit_weights_of_one_give_the_mean_loss(name: str) -> None:
    losses, _ = draw_losses_and_weights(8)
    estimate = WEIGHTED_RISKS[name]().estimate(losses, np.ones(len(losses)))

    assert_allclose(estimate.estimate, losses.mean(), rtol=1e-14)
    assert_allclose(estimate.variance, losses.var(ddof=1) / len(losses), rtol=1e-13)
    assert set(estimate.beta) <= {0.0}


def test_limit_one_fold_is_all() -> None:
    losses, weights = draw_losses_and_weights(9)
    fold = np.zeros(len(losses), dtype=np.intp)

    by_fold = Controlled(beta_from="fold").estimate(losses, weights, fold)

    assert by_fold.estimate == Controlled().estimate(losses, weights).estimate


def test_limit_about_one_is_about_the_mean_where_that_is_one() -> None:
    losses, weights = draw_losses_and_weights(10)
    weights /= weights.mean()

    about_one = Controlled(about_one=True).estimate(losses, weights)

    assert_allclose(about_one.estimate, Controlled().estimate(losses, weights).estimate, rtol=1e-12)


def test_degenerate_fold_whose_weights_do_not_vary() -> None:
    weights = np.array([0.1, 0.1, 0.1, 1.0, 2.0])
    losses = np.array([1.0, 2.0, 4.0, 1.0, 2.0])
    fold = np.array([0, 0, 0, 2, 2])  # code 1 is not used

    estimate = Controlled(beta_from="fold").estimate(losses, weights, fold)

    assert_allclose(estimate.beta, [0, 0, 3], rtol=1e-13)
    assert "the smallest of which has 2 points" in estimate.cautions[0].message


def test_degenerate_equal_terms() -> None:
    estimate = Weighted().estimate(np.full(3, 0.1), np.ones(3))

    assert estimate.variance == 0
    assert codes(estimate) == ["zero_variance"]


def test_exact_far_from_zero() -> None:
    """A mean loss 1e8 times its spread costs no digits of a difference between models."""
    losses, weights = draw_losses_and_weights(11)
    small = np.round(losses * 64) / 64
    weights = np.round(weights * 64) / 64
    estimate = Controlled().estimate(small, np.full(len(small), 1.0))
    far = Controlled().estimate(small + 2.0**27, np.full(len(small), 1.0))

    assert_allclose(far.variance, estimate.variance, rtol=1e-12)
    # with beta of order 1e8 the summands are the losses' again, up to its own rounding
    varied = Controlled().estimate(small + 2.0**27, weights)
    assert_allclose(varied.estimate, 2.0**27 + small.mean(), rtol=1e-7)


@pytest.mark.parametrize("name", WEIGHTED_RISKS)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.25, 2.0, 16.0]))
def test_property_units_and_order(name: str, seed: int, factor: float) -> None:
    losses, weights = draw_losses_and_weights(seed, 12)
    method = WEIGHTED_RISKS[name]()
    plain, scaled = (method.estimate(c * losses, weights) for c in (1.0, factor))
    order = np.random.default_rng(seed).permutation(12)
    shuffled = method.estimate(losses[order], weights[order])

    assert_allclose(scaled.estimate, factor * plain.estimate, rtol=1e-12)
    assert_allclose(scaled.variance, factor**2 * plain.variance, rtol=1e-10)
    assert_allclose(shuffled.estimate, plain.estimate, rtol=1e-10)
    assert_allclose(shuffled.variance, plain.variance, rtol=1e-9)


@pytest.mark.parametrize("name", WEIGHTED_RISKS)
def test_property_describes_itself_and_leaves_its_input_alone(name: str) -> None:
    info = WEIGHTED_RISKS[name].info
    losses, weights = draw_losses_and_weights(12)
    before = losses.copy(), weights.copy()
    losses.setflags(write=False)
    weights.setflags(write=False)

    WEIGHTED_RISKS[name]().estimate(losses, weights)

    assert_array_equal(losses, before[0])
    assert_array_equal(weights, before[1])
    assert set(info.references) <= set(REFERENCES)
    for text in (info.title, info.summary, info.formula, info.assumptions, info.errs):
        assert text.strip()
    assert info.targets == (Target.NEW_POPULATION,)


@pytest.mark.parametrize("name", WEIGHTED_RISKS)
@pytest.mark.parametrize(
    ("bad", "at", "match"),
    [
        (-0.5, 2, "Weight 2 is -0.5"),
        (float("nan"), 2, "Weight 2 is nan"),
        (float("inf"), 2, "Weight 2 is inf"),
        (1e200, 2, r"Weight 2 is 1e\+200"),
        (1e140, 2, "Loss 2 times its weight is larger than"),
    ],
)
def test_invalid_weight(name: str, bad: float, at: int, match: str) -> None:
    weights = WEIGHTS.copy()
    weights[at] = bad

    with pytest.raises(InvalidParameter, match=match) as caught:
        WEIGHTED_RISKS[name]().estimate(np.array([1.0, 2.0, 3.0, 4.0]), weights)
    assert caught.value.loc == ("weights", at)
    assert caught.value.value == str(bad)


@pytest.mark.parametrize("name", WEIGHTED_RISKS)
def test_invalid_weights(name: str) -> None:
    method = WEIGHTED_RISKS[name]()

    with pytest.raises(InvalidParameter, match="All weights are zero") as caught:
        method.estimate(LOSSES, np.zeros(4))
    assert caught.value.loc == ("weights",)
    with pytest.raises(InvalidParameter, match="3 weights for 4 losses"):
        method.estimate(LOSSES, WEIGHTS[:3])
    with pytest.raises(InsufficientData, match="needs at least two losses"):
        method.estimate(LOSSES[:1], WEIGHTS[:1])


def test_invalid_beta_from() -> None:
    with pytest.raises(InvalidParameter, match="must be all or fold") as caught:
        Controlled(beta_from="fol")  # type: ignore[arg-type]
    assert caught.value.loc == ("beta_from",)
    with pytest.raises(InsufficientData, match="needs the fold"):
        Controlled(beta_from="fold").estimate(LOSSES, WEIGHTS)
    with pytest.raises(InvalidParameter, match="3 fold codes for 4 losses"):
        Controlled(beta_from="fold").estimate(LOSSES, WEIGHTS, np.array([0, 1, 0]))


@pytest.mark.about("weighted_risks/weighted", "weighted_risks/controlled")
@pytest.mark.calibration
def test_calibrated_on_the_example_setting() -> None:
    """Source N(-1/2, 1), target N(0, 1), so w = exp(x/2 + 1/8): unbiased, and the control helps.

    With loss x^2 the target risk is 1.
    """
    rng = np.random.default_rng(1905)
    repetitions, n = 4000, 200
    x = rng.standard_normal((repetitions, n)) - 0.5
    losses, weights = x**2, np.exp(x / 2 + 0.125)
    estimate = {
        name: [WEIGHTED_RISKS[name]().estimate(l, w) for l, w in zip(losses, weights, strict=True)]
        for name in WEIGHTED_RISKS
    }
    plain = np.array([e.estimate for e in estimate["weighted"]])
    controlled = np.array([e.estimate for e in estimate["controlled"]])
    variances = np.array([e.variance for e in estimate["weighted"]])

    # E_S[l^2 w^2] = E_T[x^4 w], and w tilts the target to N(1/2, 1): it is e^(1/4) times
    # the fourth moment there, which is 1/16 + 6/4 + 3
    truth = (np.exp(0.25) * 4.5625 - 1) / n
    assert abs(plain.mean() - 1) < 4 * np.sqrt(truth / repetitions)
    error = variances.std(ddof=1) / np.sqrt(repetitions)
    assert abs(variances.mean() - truth) < 4 * error
    assert controlled.var() < 0.8 * plain.var()
    # bias of order 1/n: less than the standard error of one estimate
    assert abs(controlled.mean() - 1) < np.sqrt(controlled.var())


@pytest.mark.about("weighted_risks/controlled")
@pytest.mark.parametrize(("n", "is_few"), [(99, True), (100, False)])
def test_exact_a_control_that_few_rows_carry_has_a_caution(n: int, is_few: bool) -> None:  # noqa: FBT001 - the expectation
    # one row of weight 0 and n of weight 1 have the effective size n
    weights = np.append(np.ones(n), 0.0)
    estimate = Controlled().estimate(np.arange(n + 1.0), weights)
    assert ("control_from_few_rows" in codes(estimate)) is is_few
    assert codes(Controlled().estimate(np.arange(5.0), np.ones(5))) == []  # nothing to control


@pytest.mark.about("weighted_risks/weighted")
@pytest.mark.outside("scipy.stats.sem of the products, run here")
def test_against_scipy_error_of_weighted_losses() -> None:
    from scipy import stats

    losses, weights = draw_losses_and_weights(33)
    estimate = Weighted().estimate(losses, weights)

    assert_allclose(estimate.estimate, np.mean(losses * weights), rtol=1e-13)
    assert_allclose(estimate.variance, stats.sem(losses * weights) ** 2, rtol=1e-12)


@pytest.mark.about("weighted_risks/controlled")
@pytest.mark.outside("scipy.stats.linregress of weighted losses on weights less one, run here")
def test_against_scipy_intercept_of_a_regression() -> None:
    from scipy import stats

    losses, weights = draw_losses_and_weights(34)
    line = stats.linregress(weights - 1, losses * weights)
    estimate = Controlled().estimate(losses, weights)

    assert_allclose(estimate.beta, [line.slope], rtol=1e-11)
    assert_allclose(estimate.estimate, line.intercept, rtol=1e-11)
