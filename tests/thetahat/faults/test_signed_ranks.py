"""Faults of other packages in Wilcoxon's test and in F tests of many models."""

from __future__ import annotations

import math

import pytest
from scipy.special import fdtrc, ndtr

from tests.thetahat.multiple_tests.many import DEMSAR_AUC, demsar, outcome_of
from tests.thetahat.paired_tests.pairs import assert_close, differences_pair, rng_of, swapped
from tests.thetahat.paired_tests.test_wilcoxon import C45, C45_M
from thetahat.paired_tests.wilcoxon import Wilcoxon
from thetahat.values.types import Alternative

TWO, LESS, GREATER = Alternative.TWO_SIDED, Alternative.LESS, Alternative.GREATER


@pytest.mark.outside("Demsar (2006), section 3.1.3: T = 12 on 14 data sets, z = -2.54")
def test_golden_scmamp_halves_the_two_sided_p() -> None:
    """scmamp wilcoxonSignedTest: p = pnorm(z) with z never above 0, given as two-sided."""
    pair = differences_pair([a - b for a, b in zip(C45, C45_M, strict=True)])
    outcome = Wilcoxon(zeros="demsar_split", method="normal").test(pair, TWO, rng_of())

    z = (12 - 52.5) / math.sqrt(14 * 15 * 29 / 24)
    assert abs(z - -2.54) < 0.005
    assert_close(outcome.p_value, 2 * float(ndtr(z)), rtol=1e-12)
    assert outcome.p_value is not None
    assert outcome.p_value > 1.9 * float(ndtr(z))


def test_exact_autorank_looks_which_is_larger_and_tests_that_side() -> None:
    """autorank rank_two: wilcoxon(larger, smaller, alternative="greater").

    It gives .4054 where the two-sided p is .8109. Ours is two-sided unless it is asked otherwise,
    and does not depend on which of the two comes first.
    """
    # R+ = 1 + 4 + 5, R- = 2 + 3: of the 32 subsets of ranks these sum to at most 5: none, 1, 2,
    # 3, 4, 5, 1 + 2, 1 + 3, 1 + 4, 2 + 3
    pair = differences_pair([1.0, -2.0, -3.0, 4.0, 5.0])
    outcome = Wilcoxon(method="exact").test(pair, TWO, rng_of())
    other = Wilcoxon(method="exact").test(swapped(pair), TWO, rng_of())
    one_sided = Wilcoxon(method="exact").test(pair, GREATER, rng_of())

    assert_close(one_sided.p_value, 10 / 32, rtol=1e-13)
    assert_close(outcome.p_value, 20 / 32, rtol=1e-13)
    assert other.p_value == outcome.p_value
    outcome_of_greater = Wilcoxon(method="exact").test(swapped(pair), GREATER, rng_of())
    assert outcome_of_greater.p_value is not None
    assert outcome_of_greater.p_value > 0.5  # what is asked is tested, whichever is larger


def test_exact_mlxtend_ftest_takes_other_degrees() -> None:
    """mlxtend ftest: p from (L - 1) N denominator degrees in the place of (L - 1)(N - 1)."""
    n, k = len(DEMSAR_AUC), len(DEMSAR_AUC[0])
    outcome = outcome_of("iman_davenport", demsar())

    assert outcome.degrees_of_freedom == (k - 1, (k - 1) * (n - 1))
    assert outcome.statistic is not None
    ours, theirs = (
        float(fdtrc(k - 1, degrees, outcome.statistic))
        for degrees in ((k - 1) * (n - 1), (k - 1) * n)
    )
    assert_close(outcome.p_value, ours, rtol=1e-12)
    assert theirs < 0.96 * outcome.p_value
