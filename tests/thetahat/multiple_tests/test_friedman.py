"""Friedman, Iman-Davenport and Nemenyi: all three rest on the same ranks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from tests.thetahat.multiple_tests.many import (
    assert_close,
    by_source,
    codes,
    demsar,
    details_of,
    outcome_of,
)
from thetahat.errors import InvalidParameter
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.multiple_tests.nemenyi import find_tied_groups


@pytest.mark.about("multiple_tests/friedman", "multiple_tests/iman_davenport")
@pytest.mark.outside("demsar2006, section 3.2.2: chi2 = 9.28, F_F = 3.69 with 3 and 39 degrees")
def test_golden_demsar_2006_without_correction() -> None:
    friedman = outcome_of("friedman", demsar(), ties="none")
    iman = outcome_of("iman_davenport", demsar(), ties="none")

    # printed there: mean ranks 3.143, 2.000, 2.893, 1.964; 9.28; F_F = 3.69 with 3 and 39
    assert_close(
        list(details_of(friedman)["mean_ranks"].values()), [44 / 14, 28 / 14, 40.5 / 14, 27.5 / 14]
    )
    assert_close(friedman.statistic, 9.278571428571437, rtol=1e-12)
    assert_close(friedman.p_value, 0.025807496707063185, rtol=1e-11)
    assert friedman.degrees_of_freedom == 3
    assert_close(iman.statistic, 3.686313032089068, rtol=1e-12)
    assert_close(iman.p_value, 0.019823006192249054, rtol=1e-11)
    assert iman.degrees_of_freedom == (3, 39)
    assert friedman.unit == "block"


@pytest.mark.about("multiple_tests/friedman")
@pytest.mark.outside("scipy's test of friedmanchisquare, said there to agree with Matlab and R")
def test_golden_demsar_2006_corrected_for_ties() -> None:
    outcome = outcome_of("friedman", demsar())

    # scipy's own test of friedmanchisquare, said there to agree with Matlab and R
    assert_close(outcome.statistic, 10.2283464566929, rtol=1e-12)
    assert_close(outcome.p_value, 0.0167215803284414, rtol=1e-12)


@pytest.mark.about("multiple_tests/nemenyi")
@pytest.mark.outside("demsar2006, Table 5 and section 3.2.2: q = 2.569, CD = 1.25 and 1.12")
def test_golden_demsar_2006_critical_difference() -> None:
    at_5, at_10 = (outcome_of("nemenyi", demsar(), alpha=alpha) for alpha in (0.05, 0.1))

    # printed there: q = 2.569 and 2.291 for four classifiers; CD = 1.25 and 1.12; at .10 C4.5
    # differs from C4.5+m (1.143) and from C4.5+m+cf (1.179), and nothing else does
    assert_close(details_of(at_5)["q_alpha"], 2.569031772546482, rtol=1e-12)
    assert_close(details_of(at_5)["critical_difference"], 1.2535591471176057, rtol=1e-12)
    assert_close(details_of(at_10)["critical_difference"], 1.1180601669815278, rtol=1e-12)
    assert details_of(at_5)["groups"] == [["m3", "m1", "m2", "m0"]]
    assert details_of(at_10)["groups"] == [["m3", "m1", "m2"], ["m2", "m0"]]
    assert_close(at_5.statistic, 2.4153526805476195, rtol=1e-12)
    assert 0.05 < at_5.p_value < 0.1


def test_against_scipy_friedmanchisquare() -> None:
    rng = np.random.default_rng(301)
    for n, k, values in ((5, 3, 4), (12, 6, 3), (40, 4, 1000)):
        losses = rng.integers(0, values, (n, k)) / 8
        theirs = stats.friedmanchisquare(*losses.T)
        ours = outcome_of("friedman", by_source(losses))

        assert_close(ours.statistic, theirs.statistic, rtol=1e-11)
        assert_close(ours.p_value, theirs.pvalue, rtol=1e-11)


@pytest.mark.about("multiple_tests/friedman")
def test_exact_ties_by_rounding_are_ties() -> None:
    losses = np.array([[0.3, 0.1 + 0.2, 0.9], [0.5, 0.2, 0.9], [0.1, 0.7, 0.9]])
    equal = losses.copy()
    equal[0, 1] = 0.3

    assert outcome_of("friedman", by_source(losses)) == outcome_of("friedman", by_source(equal))


@pytest.mark.about("multiple_tests/iman_davenport")
def test_exact_f_is_the_two_way_analysis_of_variance_of_the_ranks() -> None:
    losses = np.random.default_rng(302).integers(0, 5, (9, 4)) / 4
    ranks = stats.rankdata(losses, axis=1)
    columns = 9 * ((ranks.mean(axis=0) - 2.5) ** 2).sum()
    rest = ((ranks - 2.5) ** 2).sum() - columns

    outcome = outcome_of("iman_davenport", by_source(losses))

    f = (columns / 3) / (rest / 24)
    assert_close(outcome.statistic, f, rtol=1e-12)
    assert_close(outcome.p_value, stats.f.sf(f, 3, 24), rtol=1e-11)


def test_degenerate_rows_that_all_agree() -> None:
    table = by_source(np.arange(4)[:, np.newaxis] + np.array([0.0, 1.0, 2.0]))

    friedman, iman = (outcome_of(name, table) for name in ("friedman", "iman_davenport"))

    assert friedman.statistic == 8  # N (k - 1), the most there can be
    assert_close(friedman.p_value, math.exp(-4), rtol=1e-14)
    assert iman.statistic is None
    assert_close(iman.p_value, 6**-3, rtol=1e-13)  # 3 rows more in the first one's order
    assert "rows_agree" in codes(iman)


def test_degenerate_agreeing_rows_with_ties_have_fewer_orders() -> None:
    table = by_source(np.tile([0.0, 1.0, 1.0], (4, 1)))

    corrected, printed = (
        outcome_of("iman_davenport", table, ties=ties) for ties in ("corrected", "none")
    )

    assert_close(corrected.p_value, 3**-3, rtol=1e-13)
    # 12 * 4 / 12 * (1 + 1/4 + 1/4) = 6 of at most 8: F = 3 * 6 / 2 = 9
    assert_close(printed.statistic, 9, rtol=1e-13)
    assert "rows_agree" not in codes(printed)


@pytest.mark.parametrize("name", ["friedman", "iman_davenport"])
def test_degenerate_flat_rows_without_the_correction(name: str) -> None:
    outcome = outcome_of(name, by_source(np.ones((5, 3))), ties="none")

    assert (outcome.statistic, outcome.p_value) == (0, 1)
    assert "no_difference" in codes(outcome)


@pytest.mark.about("multiple_tests/nemenyi")
def test_exact_groups_of_a_chain() -> None:
    names = ("a", "b", "c", "d", "e")
    ranks = np.array([5.5, 1.0, 1.9, 2.8, 3.4])

    assert find_tied_groups(ranks, 1.0, names) == [["b", "c"], ["c", "d"], ["d", "e"], ["a"]]
    assert find_tied_groups(ranks, 1.6, names) == [["b", "c"], ["c", "d", "e"], ["a"]]
    assert find_tied_groups(ranks, 9.0, names) == [["b", "c", "d", "e", "a"]]
    assert find_tied_groups(np.array([1.0, 2.0]), 1.0, ("x", "y")) == [["x"], ["y"]]  # CD apart


@pytest.mark.parametrize("alpha", [0.0, 1.0, -1.0, math.nan])
def test_invalid_alpha(alpha: float) -> None:
    with pytest.raises(InvalidParameter, match="alpha"):
        MULTIPLE_TESTS["nemenyi"](alpha=alpha)  # type: ignore[call-arg]


@pytest.mark.parametrize("name", ["friedman", "iman_davenport"])
def test_invalid_ties(name: str) -> None:
    with pytest.raises(InvalidParameter, match="ties"):
        MULTIPLE_TESTS[name](ties="some")  # type: ignore[call-arg]
