from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from tests.thetahat.multiple_tests.many import (
    assert_close,
    by_source,
    details_of,
    outcome_of,
    tabled,
)

# Derrac et al. (2011), Table 7: errors of four algorithms on four problems, two of them with ties.
DERRAC = (
    (2.711, 3.147, 2.515, 2.612),
    (7.832, 9.828, 7.832, 7.921),
    (0.012, 0.532, 0.122, 0.005),
    (3.431, 4.111, 3.401, 3.401),
)


def test_by_hand_values() -> None:
    # aligned: (-3, 0, 3), (-5, 4, 1); ranks (2, 3, 5), (1, 6, 4): columns 3, 9, 9, rows 10, 11.
    # T = 2 [171 - (3 * 4 / 4) * 49] / [91 - 221 / 3] = 2 * 24 / (52 / 3) = 36/13
    outcome = outcome_of("aligned_ranks", by_source([[1, 4, 7], [0, 9, 6]]))

    assert_close(outcome.statistic, 36 / 13, rtol=1e-13)
    assert_close(outcome.p_value, math.exp(-18 / 13), rtol=1e-13)
    assert details_of(outcome)["mean_aligned_ranks"] == {"m0": 1.5, "m1": 4.5, "m2": 4.5}


@pytest.mark.outside(
    "StaTDS 1.1.7: no_parametrics.friedman_aligned_ranks(table, 0.05, minimize=True)"
)
def test_golden_statds() -> None:
    outcome = outcome_of("aligned_ranks", by_source(tabled()))

    assert_close(outcome.statistic, 27.368256798930005, rtol=1e-12)
    # theirs is 1 less the distribution function, and so has twelve digits at most
    assert_close(outcome.p_value, 1.674584984057148e-05, rtol=1e-5)
    theirs = [
        11.166666666666666,
        25.916666666666668,
        26.583333333333332,
        39.166666666666664,
        49.666666666666664,
    ]
    assert_close(list(details_of(outcome)["mean_aligned_ranks"].values()), theirs, rtol=1e-13)


@pytest.mark.outside(
    "Derrac et al. (2011), Table 9: mean aligned ranks 7.625, 14.5, 5.5, 6.375; ddmtolab: "
    "friedman_aligned_test, as scmamp's friedmanAlignedRanksTest and StaTDS"
)
def test_golden_derrac_2011_without_correction() -> None:
    outcome = outcome_of("aligned_ranks", by_source(DERRAC), ties="none")

    theirs = [7.625, 14.5, 5.5, 6.375]
    assert_close(list(details_of(outcome)["mean_aligned_ranks"].values()), theirs, rtol=1e-14)
    assert_close(outcome.statistic, 8.365684575389947, rtol=1e-13)
    assert_close(outcome.p_value, 0.03902881721452391, rtol=1e-12)
    assert details_of(outcome)["ties"] == "none"


def test_by_hand_ties() -> None:
    # rows sum to 40, 22, 39, 35, whose squares sum to 4830; the squares of 1 to 16 sum to 1496, and
    # two pairs of ties take 1/2 each: 1495
    corrected, printed = (
        outcome_of("aligned_ranks", by_source(DERRAC), ties=ties) for ties in ("corrected", "none")
    )

    assert printed.statistic is not None
    assert_close(
        corrected.statistic, printed.statistic * (1496 - 1207.5) / (1495 - 1207.5), rtol=1e-13
    )
    for outcome, squares in ((corrected, 1495 - 1207.5), (printed, 1496 - 1207.5)):
        assert outcome.post_hoc is not None
        assert_close(outcome.post_hoc.standard_error, math.sqrt(2 * squares / 3) / 4, rtol=1e-13)


@pytest.mark.parametrize("seed", [321, 322, 323])
def test_naive_formula_of_garcia_2010(seed: int) -> None:
    losses = np.random.default_rng(seed).normal(size=(9, 5))
    n, k = losses.shape
    aligned = losses - losses.mean(axis=1, keepdims=True)
    ranks = stats.rankdata(aligned).reshape(n, k)
    above = (ranks.sum(axis=0) ** 2).sum() - k * n**2 / 4 * (k * n + 1) ** 2
    below = k * n * (k * n + 1) * (2 * k * n + 1) / 6 - (ranks.sum(axis=1) ** 2).sum() / k

    outcome = outcome_of("aligned_ranks", by_source(losses))

    assert_close(outcome.statistic, (k - 1) * above / below, rtol=1e-11)
    printed = outcome_of("aligned_ranks", by_source(losses), ties="none")
    assert_close(printed.statistic, (k - 1) * above / below, rtol=1e-11)


def test_exact_row_effects_do_not_matter() -> None:
    losses = np.random.default_rng(324).integers(0, 64, (8, 4)) / 64
    moved = losses + np.array([[0.0], [1.0], [1024.0], [-7.0], [3.5], [0.25], [-512.0], [99.0]])

    plain, shifted = (outcome_of("aligned_ranks", by_source(x)) for x in (losses, moved))

    assert_close(shifted.statistic, plain.statistic, rtol=1e-12)


def test_exact_centring_leaves_ties_of_different_rows_tied() -> None:
    # centred rows are equal, but 0.1 + 0.2 and 0.3 are not, nor are the means' last bits
    steps = np.array([0.0, 0.1, 0.3])
    losses = np.array([steps, steps + 0.7, steps + 1.1, 0.1 + 0.2 + steps])

    outcome = outcome_of("aligned_ranks", by_source(losses))

    assert details_of(outcome)["mean_aligned_ranks"] == {"m0": 2.5, "m1": 6.5, "m2": 10.5}
