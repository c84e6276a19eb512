from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from tests.thetahat.paired_tests.pairs import assert_close
from thetahat.analyses.losses.effect_sizes import compute_effect_size
from thetahat.values.json_values import to_json


def test_by_hand_five_differences() -> None:
    # mean .6, sum of squares about it 13.2, sd sqrt(3.3); with 4 degrees the factor is
    # gamma(2)/(sqrt(2) gamma(3/2)) = sqrt(2/pi); a is ahead in 2 and half of the tie: 2.5 of 5;
    # ranks of 1, 2, 3, 1: 1.5, 3, 4, 1.5, R+ = 7, R- = 3
    effect = compute_effect_size("instance", np.array([-1.0, 2, 3, 0, -1]))

    d = 0.6 / math.sqrt(3.3)
    assert_close(effect.value, d, rtol=1e-14)
    assert_close(effect.hedges_g, d * math.sqrt(2 / math.pi), rtol=1e-13)
    assert effect.probability_of_superiority == 0.5
    assert_close(effect.rank_biserial, 0.4, rtol=1e-14)
    assert (effect.name, effect.unit, effect.n) == ("cohen_d", "instance", 5)


@pytest.mark.outside("pingouin documentation of wilcoxon: W 20.5, RBC -0.378788")
def test_golden_pingouin_rank_biserial() -> None:
    x = np.array([20.0, 22, 19, 20, 22, 18, 24, 20, 19, 24, 26, 13])
    y = np.array([38.0, 37, 33, 29, 14, 12, 20, 22, 17, 25, 26, 16])

    effect = compute_effect_size("instance", x - y)
    assert effect.rank_biserial is not None
    assert_close(effect.rank_biserial, -0.378788, rtol=0, atol=5e-7)


@pytest.mark.parametrize("m", [2, 10, 100, 1000])
def test_limit_the_correction_is_near_its_approximation(m: int) -> None:
    effect = compute_effect_size("instance", np.arange(m + 1.0))
    assert effect.hedges_g is not None
    assert effect.value is not None
    factor = effect.hedges_g / effect.value

    # Hedges (1981): c(m) is close to 1 - 3/(4m - 1), which is 1 - 3/(4m) - 6/(32 m^2) ...;
    # Stirling's series of c(m) is 1 - 3/(4m) - 7/(32 m^2) ...
    assert_close(factor, 1 - 3 / (4 * m - 1), rtol=0, atol=0.04 / m**2)


def test_naive_superiority_and_ranks_pair_by_pair() -> None:
    rng = np.random.default_rng(72)
    d = rng.integers(-4, 5, 40).astype(np.float64)
    effect = compute_effect_size("instance", d)

    assert effect.probability_of_superiority == np.mean([(x < 0) + 0.5 * (x == 0) for x in d])
    # r is the mean sign of all Walsh averages of the non-zero differences, those with themselves
    # among them: R+ counts the positive ones, and ties of opposite sign count half
    kept = d[d != 0].tolist()
    walsh = [x + y for x, y in itertools.combinations_with_replacement(kept, 2)]
    assert_close(effect.rank_biserial, float(np.mean(np.sign(walsh))), rtol=1e-12)


def test_property_swapping_the_models_turns_the_sizes_round() -> None:
    d = np.random.default_rng(73).standard_normal(30)
    first, other = (to_json(compute_effect_size("instance", x)) for x in (d, -d))

    assert_close(other["hedges_g"], -first["hedges_g"])
    assert_close(other["rank_biserial"], -first["rank_biserial"])
    assert_close(
        other["probability_of_superiority"], 1 - first["probability_of_superiority"], rtol=1e-12
    )
    assert abs(first["hedges_g"]) < abs(first["value"])


def test_degenerate_no_difference_and_few_units() -> None:
    none = compute_effect_size("instance", np.zeros(4))
    assert (none.value, none.hedges_g, none.rank_biserial) == (None, None, None)
    assert none.probability_of_superiority == 0.5
    alone = compute_effect_size("block", np.array([-2.0]))
    assert (alone.value, alone.hedges_g) == (None, None)
    assert (alone.probability_of_superiority, alone.rank_biserial) == (1, -1)
    assert compute_effect_size("block", np.array([1.0, 3.0])).hedges_g is None


def test_degenerate_last_bits_are_no_differences() -> None:
    d = np.array([1.0, 2e-16, -2e-16, 1.0 + 4e-16, -1.0])
    effect = compute_effect_size("instance", d)

    assert_close(effect.probability_of_superiority, 2 / 5)
    assert_close(effect.rank_biserial, 1 / 3)  # three tied ranks of 2
