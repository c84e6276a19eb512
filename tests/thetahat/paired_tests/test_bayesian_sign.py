from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.thetahat.paired_tests.pairs import (
    assert_close,
    blocks_pair,
    codes,
    details_of,
    differences_pair,
    rng_of,
)
from thetahat.errors import InvalidParameter
from thetahat.paired_tests._posteriors import PriorPlace
from thetahat.paired_tests.base import PairedLosses
from thetahat.paired_tests.bayesian_sign import (
    BayesianSign,
    _compute_probability_of_largest,
    probabilities_of_largest,
)
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind

# baycomp tests/test_multiple.py: scores, higher is better; as losses their sign is changed
X = np.array([15, 16, 17, 24, 11, 12, 13, 14.0])
Y = np.array([10, 13, 15, 24, 15, 82, 83, 84.0])


def sources(differences: np.ndarray) -> PairedLosses:
    """One source for each difference."""
    column = differences.reshape(-1, 1)
    return blocks_pair(column, np.zeros_like(column), BlockKind.SOURCE)


def details_by(method: BayesianSign, pair: PairedLosses) -> dict[str, Any]:
    return details_of(method.test(pair, Alternative.TWO_SIDED, rng_of()))


@pytest.mark.outside("baycomp tests/test_multiple.py, SignTestTest.test_sample")
@pytest.mark.parametrize(
    ("prior", "rope", "place", "alpha"),
    [
        (0, 0, "rope", [3, 1, 4]),
        (0, 1, "rope", [3, 1, 4]),
        (0, 2, "rope", [2, 2, 4]),
        (0, 3, "rope", [1, 3, 4]),
        (0, 4, "rope", [1, 4, 3]),
        (0, 5, "rope", [0, 5, 3]),
        (0.5, 1, "rope", [3, 1.5, 4]),
        (0.5, 1, "left", [3.5, 1, 4]),
        (0.5, 1, "right", [3, 1, 4.5]),
    ],
)
def test_golden_baycomp_alphas(
    prior: float, rope: float, place: PriorPlace, alpha: list[float]
) -> None:
    # y - x of scores is x - y of losses with x as a; a difference as wide as the region is inside
    # vector baycomp_sign_alphas
    pair = blocks_pair(-X.reshape(-1, 1), -Y.reshape(-1, 1), BlockKind.SOURCE)
    method = BayesianSign(rope=rope, prior=prior, prior_place=place)

    assert_close(details_by(method, pair)["alpha"], alpha, rtol=1e-9)


@pytest.mark.outside("baycomp docs/classes.rst: SignTest.probs(nbc, j48, rope=1) on 54 data sets")
def test_golden_baycomp_54_data_sets() -> None:
    # the page prints the shares and not the scores: of all counts that sum to 54, (18, 15, 21)
    # are the only ones whose shares are within .008 of these
    # vector baycomp_sign_54
    counts = np.repeat([-2.0, 0.0, 2.0], [18, 15, 21])
    details = details_by(BayesianSign(rope=1), sources(counts))

    shares = [details[key] for key in ("p_left", "p_rope", "p_right")]
    assert_close(shares, [0.26344, 0.13722, 0.59934], atol=0.008, rtol=0)
    assert details["counts"] == [18, 15, 21]


def test_by_hand_two_outcomes() -> None:
    # Beta(2, 1) has density 2x: below 1/2 with probability 1/4
    assert_close(probabilities_of_largest((2, 0, 1)), (0.75, 0, 0.25))
    # all three with one: by symmetry
    assert_close(probabilities_of_largest((1, 1, 1)), (1 / 3, 1 / 3, 1 / 3))
    # gamma(2) against the larger of two exponentials: 1 - 2 (3/4 ... ) done in one line:
    # P = int x e^-x (1 - e^-x)^2 dx = 1 - 2/4 + 1/9 = 11/18
    assert_close(probabilities_of_largest((2, 1, 1))[0], 11 / 18, rtol=1e-12)


@pytest.mark.parametrize(
    "weights",
    [(1, 1.5, 4), (18, 16, 21), (300, 1, 280), (0.01, 5, 4), (1e5, 1e5 + 300, 2), (1, 1e6, 1)],
)
def test_exact_the_three_integrals_sum_to_1(weights: tuple[float, float, float]) -> None:
    a, b, c = weights

    # the log density at a = 1e6 is what is left of numbers of 1e7: seven digits go
    assert_close(
        _compute_probability_of_largest(a, b, c)
        + _compute_probability_of_largest(b, a, c)
        + _compute_probability_of_largest(c, a, b),
        1.0,
        rtol=1e-8,
    )


def test_naive_shares_of_random_draws() -> None:
    weights, n = (3.0, 1.5, 4.0), 200_000
    draws = np.random.default_rng(66).dirichlet(weights, n)

    for i, share in enumerate(probabilities_of_largest(weights)):
        error = math.sqrt(share * (1 - share) / n)
        assert abs((draws.argmax(axis=1) == i).mean() - share) < 5 * error


def test_limit_many_units_leave_no_doubt() -> None:
    assert_close(probabilities_of_largest((1000, 10, 1)), (1.0, 0.0, 0.0), atol=1e-12)


def test_degenerate_no_difference_is_all_within() -> None:
    details = details_by(BayesianSign(), sources(np.zeros(6)))

    assert (details["p_left"], details["p_rope"], details["p_right"]) == (0, 1, 0)


def test_degenerate_last_bits_at_the_edge_are_inside() -> None:
    # .3 - .2 is below .1 and .8 - .7 above it, by their last bits
    a, b = np.array([[0.3], [0.8], [0.9]]), np.array([[0.2], [0.7], [0.1]])
    details = details_by(BayesianSign(rope=0.1), blocks_pair(a, b, BlockKind.SOURCE))

    assert details["counts"] == [0, 2, 1]


def test_property_units_and_cautions() -> None:
    rng = np.random.default_rng(67)
    folds = blocks_pair(rng.random((4, 3)), rng.random((4, 3)))
    few = BayesianSign().test(folds, Alternative.TWO_SIDED, rng_of())
    holdout = differences_pair([1.0, -2.0, 0.5, 3.0, 2.0, 1.0])

    assert few.unit == "block"
    assert codes(few.cautions) == {"few_units", "ignores_training_overlap"}
    assert "by block needs at least two blocks" in str(
        BayesianSign().inapplicable(holdout.difference.layout)
    )
    by_instance = BayesianSign(unit="instance")
    assert by_instance.inapplicable(holdout.difference.layout) is None
    assert details_by(by_instance, holdout)["counts"] == [1, 0, 5]


def test_invalid_parameters_and_layouts() -> None:
    for bad in (-1.0, math.inf):
        with pytest.raises(InvalidParameter, match="prior must be a finite number"):
            BayesianSign(prior=bad)
    with pytest.raises(
        InvalidParameter, match="prior_place must be left, rope or right; got 'middle'"
    ):
        BayesianSign(prior_place="middle")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="unit must be instance, cluster or block"):
        BayesianSign(unit="row")  # type: ignore[arg-type]
    repeated = build_layout(BlockKind.RANDOM, [0, 1, 0, 1], repeat=[0, 0, 1, 1])
    assert "contain the same instances" in str(BayesianSign().inapplicable(repeated))
