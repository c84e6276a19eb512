from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.thetahat.paired_tests.pairs import (
    assert_close,
    blocks_pair,
    codes,
    details_of,
    differences_pair,
    rng_of,
)
from thetahat.errors import InvalidParameter
from thetahat.paired_tests import bayesian_signed_rank
from thetahat.paired_tests._posteriors import PLACES, PriorPlace
from thetahat.paired_tests.base import PairedLosses
from thetahat.paired_tests.bayesian_signed_rank import BayesianSignedRank, simulate_probabilities
from thetahat.values.types import Alternative, BlockKind, FloatArray

TWO = Alternative.TWO_SIDED
SHARES = ("p_left", "p_rope", "p_right")

# baycomp tests/test_multiple.py: scores, higher is better; as losses their sign is changed
X = np.array([15, 16, 17, 24, 11, 12, 13, 14.0])
Y = np.array([10, 13, 15, 24, 15, 82, 83, 84.0])


def sources(a: FloatArray, b: FloatArray) -> PairedLosses:
    return blocks_pair(a.reshape(-1, 1), b.reshape(-1, 1), BlockKind.SOURCE)


def details_by(method: BayesianSignedRank, pair: PairedLosses, seed: int = 0) -> dict[str, Any]:
    return details_of(method.test(pair, TWO, rng_of(seed)))


@pytest.mark.outside("baycomp 1.0.3 SignedRankTest.probs(x, y, rope, nsamples=400000), seed 1")
@pytest.mark.parametrize(
    ("rope", "shares"),
    [
        (0, (0.1386875, 0, 0.8613125)),
        (1, (0.1260925, 0.0069175, 0.86699)),
        (3, (0.011765, 0.2349925, 0.7532425)),
    ],
)
def test_golden_baycomp(rope: float, shares: tuple[float, float, float]) -> None:
    # y - x of scores is x - y of losses with x as a
    details = details_by(BayesianSignedRank(rope=rope, n_draws=200_000), sources(-X, -Y))

    for key, share in zip(SHARES, shares, strict=True):
        error = math.sqrt(share * (1 - share) * (1 / 200_000 + 1 / 400_000))
        assert abs(details[key] - share) <= 5 * error  # both are simulated


def test_by_hand_one_difference() -> None:
    # z = (0, 1), w = (1 - u, u), u ~ uniform with s = 1: the sums 0, 1, 1, 2 have weights
    # (1-u)^2, 2u(1-u), u^2; right is 1 - (1-u)^2/2, always above a half
    always = simulate_probabilities(np.array([1.0]), 0.0, 0.0, 1.0, "rope", 2000, rng_of(1))
    # with r = 1 the sum 2 is at the edge and counts half: right u^2/2, below a half
    within = simulate_probabilities(np.array([1.0]), 0.0, 1.0, 1.0, "rope", 2000, rng_of(1))
    # with r = .75 the sum 2 is out: right wins where u^2 > 1/2, P = 1 - sqrt(1/2)
    n = 40_000
    probabilities = simulate_probabilities(np.array([1.0]), 0.0, 0.75, 1.0, "rope", n, rng_of(1))

    assert always == (0, 0, 1)
    assert within == (0, 1, 0)
    truth = 1 - math.sqrt(0.5)
    assert abs(probabilities[2] - truth) < 5 * math.sqrt(truth * (1 - truth) / n)


def naive(
    values: FloatArray, rope: float, prior: float, place: PriorPlace, weights: FloatArray
) -> tuple[float, float]:
    """Theta of left and right of one draw, pair by pair."""
    far = {"left": -math.inf, "rope": 0.0, "right": math.inf}
    z, left, right = [far[place], *values.tolist()], 0.0, 0.0
    for z_i, w_i in zip(z, weights, strict=True):
        for z_j, w_j in zip(z, weights, strict=True):
            left += w_i * w_j * (1.0 if z_i + z_j < -2 * rope else 0.5 * (z_i + z_j == -2 * rope))
            right += w_i * w_j * (1.0 if z_i + z_j > 2 * rope else 0.5 * (z_i + z_j == 2 * rope))
    return left, right


@given(
    values=st.lists(st.integers(-6, 6), min_size=1, max_size=6),
    rope=st.sampled_from([0.0, 1.0, 1.5]),
    place=st.sampled_from(PLACES),
    seed=st.integers(0, 2**32),
)
def test_naive_every_draw_pair_by_pair(
    values: list[int], rope: float, place: PriorPlace, seed: int
) -> None:
    """The same draws, by the sums as they are printed; whole numbers have many ties."""
    z, n_draws, prior = np.array(values, dtype=np.float64), 12, 0.5
    probabilities = simulate_probabilities(z, 0.0, rope, prior, place, n_draws, rng_of(seed))

    rng, wins = rng_of(seed), np.zeros(3)
    gammas = rng.standard_gamma(prior, n_draws)
    drawn = rng.standard_exponential((n_draws, len(z) + 1))
    far = {"left": -np.inf, "rope": 0.0, "right": np.inf}[place]
    order = np.argsort(np.concatenate([[far], z]), kind="stable")
    for gamma, row in zip(gammas, drawn, strict=True):
        weights = np.empty(len(z) + 1)
        weights[order] = row  # in the order of the values
        weights[0] = gamma
        weights /= weights.sum()
        left, right = naive(z, rope, prior, place, weights)
        shares = np.array([left, 1 - left - right, right])
        best = shares >= shares.max() - 1e-9
        wins += best / best.sum()

    assert_close(probabilities, (wins / n_draws).tolist(), rtol=1e-12, atol=1e-12)


def test_exact_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    z = np.random.default_rng(68).standard_normal(30)
    whole = simulate_probabilities(z, 0.0, 0.1, 0.5, "rope", 500, rng_of(2))
    monkeypatch.setattr(bayesian_signed_rank, "NUMBERS_IN_256_KB", 64)

    assert simulate_probabilities(z, 0.0, 0.1, 0.5, "rope", 500, rng_of(2)) == whole


def test_limit_a_heavy_prior_wins() -> None:
    rng = np.random.default_rng(69)
    pair = sources(rng.random(6), rng.random(6) + 5)

    assert details_by(BayesianSignedRank(), pair)["p_left"] > 0.9
    heavy = BayesianSignedRank(prior=1e4, rope=0.1)
    assert details_by(heavy, pair)["p_rope"] == 1
    right = BayesianSignedRank(prior=1e4, prior_place="right")
    assert details_by(right, pair)["p_right"] == 1
    left = BayesianSignedRank(prior=1e4, prior_place="left")
    assert details_by(left, pair)["p_left"] == 1


def test_degenerate_no_difference_is_a_tie() -> None:
    same = np.arange(6.0)
    details = details_by(BayesianSignedRank(), sources(same, same))
    region = details_by(BayesianSignedRank(rope=0.1), sources(same, same))

    assert [details[key] for key in SHARES] == [0.5, 0, 0.5]
    assert [region[key] for key in SHARES] == [0, 1, 0]


def test_degenerate_last_bits_at_the_edge_are_ties() -> None:
    # .3 - .2 and .8 - .7 are .1 but for their last bits: sums of two are at the edge 2r
    a, b = np.array([0.3, 0.8, 0.3]), np.array([0.2, 0.7, 0.2])
    details = details_by(BayesianSignedRank(rope=0.1, prior=0), sources(a, b))

    assert [details[key] for key in SHARES] == [0, 0.5, 0.5]


def test_property_number_of_draws_follows_the_units() -> None:
    rng = np.random.default_rng(70)
    few = details_by(BayesianSignedRank(), sources(rng.random(8), rng.random(8)))
    many = differences_pair(rng.standard_normal(40_000))
    by_instance = details_by(BayesianSignedRank(unit="instance", n_draws=100), many)
    details = details_by(BayesianSignedRank(n_draws=200), sources(rng.random(8), rng.random(8)))

    assert few["n_draws"] == 10_000
    assert by_instance["n_draws"] == 100
    assert BayesianSignedRank()._choose_n_draws(10_000) == 2000  # 2e7 weights in all
    assert BayesianSignedRank()._choose_n_draws(10**6) == 1000
    assert details["n_draws"] == 200
    p = few["p_left"]
    assert few["monte_carlo_error"] >= math.sqrt(p * (1 - p) / 10_000)


def test_property_units_and_cautions() -> None:
    rng = np.random.default_rng(71)
    folds = blocks_pair(rng.random((4, 3)), rng.random((4, 3)))
    outcome = BayesianSignedRank().test(folds, TWO, rng_of())
    holdout = differences_pair([1.0, 2.0]).difference.layout

    assert outcome.unit == "block"
    assert (outcome.statistic, outcome.p_value) == (None, None)
    assert codes(outcome.cautions) == {"few_units", "ignores_training_overlap"}
    assert "by block needs at least two blocks" in str(BayesianSignedRank().inapplicable(holdout))


def test_invalid_parameters() -> None:
    for n_draws in (99, 1_000_001):
        with pytest.raises(
            InvalidParameter, match=f"n_draws must be from 100 to 1000000; got {n_draws}"
        ):
            BayesianSignedRank(n_draws=n_draws)
    with pytest.raises(InvalidParameter, match="prior must be"):
        BayesianSignedRank(prior=-0.5)
    with pytest.raises(InvalidParameter, match="rope must be"):
        BayesianSignedRank(rope=math.nan)
