from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.analyses.metrics.readings import known
from tests.thetahat.naive.loss_matrices import FIVE_BY_NINE, RAGGED, losses_of, repeats_of
from thetahat.errors import InvalidParameter
from thetahat.values.types import BlockKind
from thetahat.variances import VARIANCES
from thetahat.variances.quadratic import Coefficients, Quadratic

K = 5
TABLE = {
    "theta_1": (0.0, 0.0, 0.0),
    "theta_2": (0.0, -1.0, 0.0),
    "theta_3": (0.0, 0.0, -1.0),
    "theta_4": (0.0, -1 / K, -(K - 1) / K),
    "theta_5": (0.0, 1.0, -2.0),
}
# Table 1 and equations 11 and 12 for K = 5 sources of M = 9
PLUG = (1 / (K**2 * 9), 8 / (K**2 * 9), 1 / K**2)
SOURCES = {
    "theta_omega": (PLUG[0], PLUG[1] - 1 / K, PLUG[2]),
    "theta_gamma": (PLUG[0], PLUG[1], PLUG[2] - 1 / (K * (K - 1))),
    "theta_A": (PLUG[0], -PLUG[0], 0.0),
    "theta_B": (2 * PLUG[0], -2 * PLUG[0], 0.0),
}


def alike(k: int, a: float, b: float, c: float) -> Coefficients:
    return Coefficients(a=(a,) * k, b=(b,) * k, c=((c,) * k,) * k)


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("rows", [FIVE_BY_NINE, [*RAGGED, [1, 2], [0, 5, 5]]])
def test_exact_the_biases_of_the_table_give_its_estimators(
    name: str, rows: list[list[float]]
) -> None:
    estimate = Quadratic(bias=TABLE[name]).estimate(losses_of(rows))
    named = VARIANCES[name]().estimate(losses_of(rows))

    assert_allclose(estimate.value, named.value, rtol=1e-12)
    assert estimate.usable == named.usable
    if name != "theta_1":
        assert estimate.degrees_of_freedom == named.degrees_of_freedom


@pytest.mark.parametrize("name", SOURCES)
def test_exact_the_coefficients_of_table_1_give_its_estimators(name: str) -> None:
    losses = losses_of(FIVE_BY_NINE, BlockKind.SOURCE)
    estimate = Quadratic(coefficients=alike(K, *SOURCES[name])).estimate(losses)
    named = VARIANCES[name]().estimate(losses)

    assert_allclose(estimate.value, named.value, rtol=1e-12)
    assert estimate.usable == named.usable
    assert_allclose(known(estimate.degrees_of_freedom), known(named.degrees_of_freedom), rtol=1e-14)


# By hand: geras2013, the definition of theta_5 with N = 45 and M = 9.
def test_by_hand_details_of_theta_5() -> None:
    # on s1, s2, s3: 1/N, (N + M - 1)/N, -(N + M)/N with N = 45, M = 9
    details = Quadratic(bias=(0, 1, -2)).estimate(losses_of(FIVE_BY_NINE)).details

    assert details["bias"] == {"sigma_squared": 0, "omega": 1, "gamma": -2, "mu_squared": 0}
    assert details["bias_in_words"] == "omega - 2 gamma"
    coefficients = details["coefficients"]
    assert_allclose(
        [coefficients["s1"], coefficients["s2"], coefficients["s3"]], [1 / 45, 53 / 45, -54 / 45]
    )


def test_by_hand_details_of_unequal_folds() -> None:
    # plug: 1/(9 M_k) on s2_k, (M_k - 1)/(9 M_k) on w_k, 2/3 on s3; bias sigma^2 adds 1/3 to s2_k
    estimate = Quadratic(bias=(1, 0, -2)).estimate(losses_of(RAGGED))
    coefficients = estimate.details["coefficients"]

    assert_allclose(coefficients["s2_k"], [1 / 3 + 1 / 18, 1 / 3 + 1 / 27, 1 / 3 + 1 / 36])
    assert_allclose(coefficients["w_k"], [1 / 18, 2 / 27, 3 / 36])
    assert_allclose(coefficients["s3"], -4 / 3)
    assert estimate.details["bias_in_words"] == "sigma^2 - 2 gamma"


@pytest.mark.parametrize(
    ("bias", "words"),
    [
        ((0.0, 0.0, -1.0), "-gamma"),
        ((0.5, 0.0, 0.0), "0.5 sigma^2 + 1.5 mu^2"),
        ((0.1, 0.2, -1.3), "0.1 sigma^2 + 0.2 omega - 1.3 gamma"),  # a4 is rounding
    ],
)
def test_exact_bias_in_words(bias: tuple[float, float, float], words: str) -> None:
    estimate = Quadratic(bias=bias).estimate(losses_of(FIVE_BY_NINE))

    assert estimate.details["bias_in_words"] == words
    assert ("depends_on_the_mean" in {c.code for c in estimate.cautions}) == ("mu^2" in words)


# By hand: geras2013, Table 1, the bias of theta_B with K = M = 2.
def test_by_hand_bias_of_theta_b() -> None:
    # (1/K^2)(sum sigma_k^2/M_k - sum (M_k + 1)/M_k omega_k - sum gamma_kl), K = 2, M = 2
    estimate = Quadratic(coefficients=alike(2, 1 / 4, -1 / 4, 0)).estimate(
        losses_of([[1, 2], [3, 5]], BlockKind.SOURCE)
    )
    bias: dict[str, Any] = dict(estimate.details["bias"])

    assert_allclose(bias["sigma_squared"], [1 / 8, 1 / 8])
    assert_allclose(bias["omega"], [-3 / 8, -3 / 8])
    assert bias["gamma"] == [[None, -0.25], [-0.25, None]]
    assert bias["mu_squared"] == [0, 0]
    assert bias["mu_mu"] == [[None, 0], [0, None]]
    assert estimate.details["bias_in_words"] == (
        "0.125 sigma^2[0] + 0.125 sigma^2[1] - 0.375 omega[0] - 0.375 omega[1] - 0.5 gamma[0, 1]"
    )
    assert estimate.details["sources"] == [0, 1]


def test_by_hand_plug_in_has_no_bias_but_the_means() -> None:
    # bias (1/K^2) sum mu_k mu_l, K = 2, sizes 2 and 3; the value is the squared mean
    losses = losses_of(RAGGED[:2], BlockKind.SOURCE)
    plug = Coefficients(a=(1 / 8, 1 / 12), b=(1 / 8, 2 / 12), c=((9, 1 / 4), (1 / 4, 9)))
    estimate = Quadratic(coefficients=plug).estimate(losses)

    assert_allclose(estimate.value, 2.5**2, rtol=1e-13)
    assert not estimate.usable
    assert estimate.details["bias_in_words"] == "0.25 mu[0]^2 + 0.25 mu[1]^2 + 0.5 mu[0] mu[1]"


def test_by_hand_many_terms_are_cut_short() -> None:
    losses = losses_of(FIVE_BY_NINE, BlockKind.SOURCE)
    words = Quadratic(coefficients=alike(5, 1, 1, 1)).estimate(losses).details["bias_in_words"]

    assert words.endswith(" and 23 more terms")  # 5 + 5 + 10 + 5 + 10, less 12


def test_limit_no_bias_at_all_is_called_none() -> None:
    from thetahat.variances.quadratic import describe_bias

    assert describe_bias([(0.0, "omega")]) == "none"


def test_limit_coefficients_that_cancel_to_their_last_bits() -> None:
    # a + b = 0 on paper: only the spread within sources counts; 0.3 V_k with 1, 2 and 3 degrees
    method = Quadratic(coefficients=alike(3, 0.1 + 0.2, -0.3, 0))
    estimate = method.estimate(losses_of(RAGGED, BlockKind.SOURCE))

    assert 0.1 + 0.2 - 0.3 != 0
    assert_allclose(estimate.value, 0.3 * (2 + 3 + 2 / 3), rtol=1e-13)
    degrees = (2 + 3 + 2 / 3) ** 2 / (4 + 9 / 2 + 4 / 9 / 3)
    assert_allclose(known(estimate.degrees_of_freedom), degrees, rtol=1e-13)
    assert estimate.usable
    assert "mu" not in estimate.details["bias_in_words"]


def test_exact_linear_in_the_mean_where_rows_sum_differently() -> None:
    # theta_omega_k of source 2 of RAGGED is 8: plug less w_2
    b = (1 / 18, 2 / 27 - 1, 3 / 36)
    a = (1 / 18, 1 / 27, 1 / 36)
    estimate = Quadratic(coefficients=Coefficients(a=a, b=b, c=((1 / 9,) * 3,) * 3)).estimate(
        losses_of(RAGGED, BlockKind.SOURCE)
    )

    assert_allclose(estimate.value, 8, rtol=1e-13)
    assert not estimate.usable


def test_exact_repeats_are_averaged() -> None:
    other = [[0.0, 4.0], [9.0, 2.0, 1.0], [3.0, 3.0, 5.0, 6.0]]
    both = Quadratic(bias=(0, 1, -2)).estimate(repeats_of([RAGGED, other]))
    first, two = (
        Quadratic(bias=(0, 1, -2)).estimate(losses_of(rows)).value for rows in (RAGGED, other)
    )

    assert_allclose(both.value, (first + two) / 2, rtol=1e-13)
    assert "variance_of_one_repeat" in {c.code for c in both.cautions}


def test_degenerate_equal_losses() -> None:
    assert Quadratic(bias=(0, 1, -2)).estimate(losses_of([[2, 2], [2, 2]])).value == 0
    assert Quadratic(bias=(0, 1, -1)).estimate(losses_of([[2, 2], [2, 2]])).value == 4


def test_invalid_which_parameter() -> None:
    for both in ({}, {"bias": (0, 1, -2), "coefficients": alike(2, 1, -1, 0)}):
        with pytest.raises(
            InvalidParameter, match="either bias, for random folds, or coefficients"
        ) as caught:
            Quadratic(**both)  # type: ignore[arg-type]
        assert caught.value.loc == ("bias",)


def test_invalid_bias() -> None:
    with pytest.raises(InvalidParameter, match="bias must have 3 entries, and has 2"):
        Quadratic(bias=(0, 1))  # type: ignore[arg-type]
    with pytest.raises(
        InvalidParameter, match=r"bias\[1\] must be at most .* and is nan"
    ) as caught:
        Quadratic(bias=(0, float("nan"), 1))
    assert caught.value.loc == ("bias", 1)


def test_limit_largest_numbers_stay_finite() -> None:
    rows = [[1e140, -1e140], [1e140, 1e140]]
    compute_with_bias = Quadratic(bias=(1e9, 1e9, -1e9)).estimate(losses_of(rows)).value
    by_numbers = Quadratic(coefficients=alike(2, 1e9, 1e9, -1e9)).estimate(
        losses_of(rows, BlockKind.SOURCE)
    )

    assert np.isfinite(compute_with_bias)
    assert np.isfinite(by_numbers.value)
    with pytest.raises(InvalidParameter, match=r"must be at most 1e\+09 in absolute value"):
        Quadratic(bias=(2e9, 0, 0))


def test_invalid_coefficients() -> None:
    with pytest.raises(InvalidParameter, match="b must have 2 entries, and has 1"):
        Coefficients(a=(1, 1), b=(1,), c=((0, 0), (0, 0)))
    with pytest.raises(
        InvalidParameter, match="c must have one row for each of the 2 entries of a, and has 1"
    ):
        Coefficients(a=(1, 1), b=(1, 1), c=((0, 0),))
    with pytest.raises(InvalidParameter, match=r"c\[1\] must have 2 entries, and has 3") as caught:
        Coefficients(a=(1, 1), b=(1, 1), c=((0, 0), (0, 0, 0)))
    assert caught.value.loc == ("coefficients", "c", 1)
    with pytest.raises(InvalidParameter, match=r"a\[0\] must be at most .* and is inf"):
        Coefficients(a=(float("inf"),), b=(1,), c=((0,),))


def test_invalid_for_the_blocks() -> None:
    compute_with_bias, by_numbers = (
        Quadratic(bias=(0, 1, -2)),
        Quadratic(coefficients=alike(2, 1, -1, 0)),
    )
    random, source = losses_of(RAGGED), losses_of(RAGGED, BlockKind.SOURCE)

    assert (
        by_numbers.inapplicable(random.layout)
        == "quadratic takes bias and not coefficients for random blocks"
    )
    assert (
        compute_with_bias.inapplicable(source.layout)
        == "quadratic takes coefficients and not bias for source blocks"
    )
    with pytest.raises(InvalidParameter, match="for 2 sources, and there are 3") as caught:
        by_numbers.estimate(source)
    assert caught.value.loc == ("coefficients",)
    with pytest.raises(InvalidParameter, match="takes coefficients and not bias") as caught:
        compute_with_bias.estimate(source)
    assert caught.value.loc == ("bias",)
