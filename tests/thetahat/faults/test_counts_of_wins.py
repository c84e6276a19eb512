"""Faults of other packages in tests and intervals that count wins."""

from __future__ import annotations

import math

import pytest

from tests.thetahat.paired_tests.pairs import differences_pair, holdout_pair, rng_of
from thetahat.paired_tests.base import PairedLosses
from thetahat.paired_tests.mcnemar import McNemar
from thetahat.paired_tests.sign import Sign
from thetahat.paired_tests.theta_t import ThetaT
from thetahat.values.types import Alternative

TWO, LESS, GREATER = Alternative.TWO_SIDED, Alternative.LESS, Alternative.GREATER


def counted(both_right: int, only_a: int, only_b: int, both_wrong: int) -> PairedLosses:
    """Two models over one test set, from who is right how often."""
    a = [0.0] * (both_right + only_a) + [1.0] * (only_b + both_wrong)
    b = [0.0] * both_right + [1.0] * only_a + [0.0] * only_b + [1.0] * both_wrong
    return holdout_pair(a, b)


def unpaired_z(right_a: int, right_b: int, n: int, *, ddof: int, pooled: bool) -> float:
    a, b = right_a / n, right_b / n
    if pooled:
        p = (a + b) / 2
        return (a - b) / math.sqrt(2 * p * (1 - p) / n)
    return (a - b) / math.sqrt((a * (1 - a) + b * (1 - b)) / (n - ddof))


def two_sided(z: float) -> float:
    return math.erfc(abs(z) / math.sqrt(2))


def test_by_hand_mlxtend_documentation_prints_another_mcnemar_p() -> None:
    """mlxtend docs McNemar: 0.005859375 for [[9959, 11], [1, 29]].

    Of 12 discordant instances 1 is the other way: 2 (1 + 12) / 2^12 = 0.00634765625. What the
    page prints is 2 (1 + 11) / 2^12.
    """
    p_value = McNemar("exact").test(counted(9959, 11, 1, 29), TWO, rng_of()).p_value

    assert p_value == 2 * (1 + 12) / 2**12 == 0.00634765625
    assert p_value != 2 * (1 + 11) / 2**12 == 0.005859375


def test_by_hand_mlxtend_proportion_difference_is_one_sided_and_unpaired() -> None:
    """mlxtend proportion_difference: z = -1.754 and Phi(z) = .04 for 84 and 92 right of 100.

    Twice that is the unpaired two-sided p; the pairs (10 and 2 discordant) say more.
    """
    z = unpaired_z(84, 92, 100, ddof=0, pooled=False)
    assert z == pytest.approx(-1.754, abs=5e-4)
    assert two_sided(z) / 2 == pytest.approx(0.04, abs=5e-4)

    pair = counted(82, 2, 10, 6)
    two, greater = (McNemar("exact").test(pair, way, rng_of()).p_value for way in (TWO, GREATER))

    assert two == pytest.approx(0.03857421875, rel=1e-12)
    assert greater == pytest.approx(0.03857421875 / 2, rel=1e-12)


def test_exact_lm_eval_compares_paired_items_as_if_they_were_unpaired() -> None:
    """lm-eval model_comparator: pull request 3868 shows unpaired z p .080 and McNemar p .008.

    It prints no table; this is one of 220 items that gives both numbers.
    """
    pair = counted(133, 27, 10, 50)
    z = unpaired_z(160, 143, 220, ddof=1, pooled=False)
    assert round(two_sided(z), 3) == 0.080

    mcnemar = McNemar("exact").test(pair, TWO, rng_of()).p_value
    paired_t = ThetaT().test(pair, TWO, rng_of()).p_value

    assert mcnemar is not None
    assert paired_t is not None
    assert round(mcnemar, 3) == 0.008
    assert paired_t < 0.01  # the variance of the difference knows the pairs as well


@pytest.mark.parametrize(("wins", "rejects"), [(17, True), (18, False), (32, False), (33, True)])
def test_by_hand_autorank_median_ci_is_too_wide_by_root_two(*, wins: int, rejects: bool) -> None:
    """autorank median CI: z sqrt(n / 2) in the place of z sqrt(n) / 2.

    The interval of a median holds what the sign test does not reject. With n = 50 that is 18 to
    32 wins, 25 +- 1.96 sqrt(50) / 2 = 25 +- 6.9; with sqrt(25) in its place it is 25 +- 9.8,
    which is the README's (0.692, 1) and not (0.755, 1).
    """
    values = [-1.0] * wins + [1.0] * (50 - wins)
    p_value = Sign().test(differences_pair(values), TWO, rng_of()).p_value

    assert p_value is not None
    assert (p_value < 0.05) == rejects
    z, continuity = 1.959963984540054, 0.5
    assert (abs(wins - 25) - continuity > z * math.sqrt(50) / 2) == rejects
    assert abs(wins - 25) < z * math.sqrt(50 / 2)  # the other's would not reject any of these
