from __future__ import annotations

import math

import numpy as np
import pytest

import thetahat
from tests.thetahat.paired_tests.pairs import (
    ALTERNATIVES,
    assert_close,
    blocks_pair,
    codes,
    differences_pair,
    holdout_pair,
    rng_of,
)
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.paired_tests.base import PairedLosses
from thetahat.paired_tests.mcnemar import McNemar, Variant
from thetahat.paired_tests.sign import Sign
from thetahat.values.layout import build_layout, build_score_layout
from thetahat.values.types import Alternative, BlockKind

TWO, LESS, GREATER = Alternative.TWO_SIDED, Alternative.LESS, Alternative.GREATER
VARIANTS: list[Variant] = ["exact", "mid_p", "chi_squared", "chi_squared_corrected"]


def table_pair(both_right: int, b: int, c: int, both_wrong: int) -> PairedLosses:
    """b: only b's model wrong; c: only a's model wrong."""
    losses_a = [0.0] * both_right + [0.0] * b + [1.0] * c + [1.0] * both_wrong
    losses_b = [0.0] * both_right + [1.0] * b + [0.0] * c + [1.0] * both_wrong
    return holdout_pair(losses_a, losses_b)


# rasbt/mlxtend test_mcnemar_test.py and R's mcnemar.test; Fagerland, Lydersen and Laake (2013)
GOLDEN: list[tuple[tuple[int, int, int, int], Variant, float, float]] = [
    ((101, 121, 59, 33), "exact", 59, 4.43444926375551e-06),
    ((101, 121, 59, 33), "chi_squared", 21.355555555555554, 3.815135865112594e-06),
    ((101, 121, 59, 33), "chi_squared_corrected", 20.67222222222222, 5.450094825427117e-06),
    ((1, 1, 7, 12), "exact", 1, 0.0703125),
    ((1, 1, 7, 12), "mid_p", 1, 0.0390625),
    ((1, 1, 7, 12), "chi_squared", 4.5, 0.033894853524689295),
    ((1, 1, 7, 12), "chi_squared_corrected", 3.125, 0.07709987174354202),
    # mlxtend's documentation prints 0.005859375 here, its code gives this
    ((9959, 11, 1, 29), "exact", 1, 0.00634765625),
]


@pytest.mark.outside(
    "rasbt/mlxtend test_mcnemar_test.py and R's mcnemar.test (vector mcnemar_101_121_59_33); "
    "fagerland2013 (vector mcnemar_midp_fagerland)"
)
@pytest.mark.parametrize(("table", "variant", "statistic", "p_value"), GOLDEN)
def test_golden_published_tables(
    table: tuple[int, int, int, int], variant: Variant, statistic: float, p_value: float
) -> None:
    outcome = McNemar(variant=variant).test(table_pair(*table), TWO, rng_of())

    assert_close(outcome.statistic, statistic, rtol=1e-13)
    assert_close(outcome.p_value, p_value, rtol=1e-11)
    assert outcome.details == {"variant": variant, "a_better": table[1], "b_better": table[2]}


def test_by_hand_mid_p_of_equal_cells() -> None:
    # 1 - pmf/2 with pmf = C(4, 2)/16
    outcome = McNemar(variant="mid_p").test(table_pair(3, 2, 2, 0), TWO, rng_of())

    assert_close(outcome.p_value, 1 - 6 / 32, rtol=1e-14)


def test_by_hand_one_sided_mid_p() -> None:
    # c = 1 of 4: P(X < 1) + P(X = 1)/2 = 1/16 + 2/16; the other side 1 minus it
    pair = table_pair(0, 3, 1, 0)

    less, greater = (McNemar(variant="mid_p").test(pair, way, rng_of()) for way in (LESS, GREATER))

    assert_close(less.p_value, 3 / 16, rtol=1e-14)
    assert_close(greater.p_value, 13 / 16, rtol=1e-14)


def test_by_hand_one_sided_chi_squared() -> None:
    # b = 7, c = 2: root -5/3; Phi(-5/3); corrected root -4/3
    pair = table_pair(0, 7, 2, 0)

    plain = McNemar(variant="chi_squared").test(pair, LESS, rng_of())
    corrected = McNemar(variant="chi_squared_corrected").test(pair, GREATER, rng_of())

    assert_close(plain.p_value, math.erfc(5 / 3 / math.sqrt(2)) / 2, rtol=1e-12)
    assert_close(corrected.p_value, 1 - math.erfc(4 / 3 / math.sqrt(2)) / 2, rtol=1e-12)
    assert plain.degrees_of_freedom == 1


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_limit_exact_is_the_sign_test(alternative: Alternative) -> None:
    pair = table_pair(4, 9, 3, 2)

    ours, sign = (m.test(pair, alternative, rng_of()) for m in (McNemar("exact"), Sign()))

    assert ours.p_value == sign.p_value


@pytest.mark.parametrize(
    ("n", "only_a", "only_b", "variant"),
    [(5, 0, 5, "exact"), (16, 4, 12, "exact"), (12, 1, 8, "exact"), (13, 1, 8, "mid_p")],
)
def test_exact_by_default_it_has_the_p_value_of_the_verdict(
    n: int, only_a: int, only_b: int, variant: Variant
) -> None:
    """Three quarters or more of the first three tables differ, where mid-p rejects too often."""
    losses = {"a": np.zeros(n), "b": np.zeros(n)}
    losses["a"][:only_a] = 1
    losses["b"][only_a : only_a + only_b] = 1
    (pair,) = thetahat.evaluate(losses, blocks="holdout", include=["tests"]).comparisons
    (named,) = thetahat.evaluate(
        losses, blocks="holdout", tests=[McNemar(variant=variant)]
    ).comparisons

    assert pair.tests is not None
    assert named.tests is not None
    assert pair.verdict is not None
    assert pair.tests["mcnemar"].details["variant"] == variant
    assert pair.tests["mcnemar"].p_value == named.tests["mcnemar"].p_value
    assert pair.verdict.p_value == pytest.approx(pair.tests["mcnemar"].p_value, rel=1e-12)


@pytest.mark.parametrize("variant", VARIANTS)
def test_degenerate_no_discordant_instance(variant: Variant) -> None:
    outcome = McNemar(variant=variant).test(table_pair(3, 0, 0, 2), TWO, rng_of())

    assert outcome.p_value == 1
    assert codes(outcome.cautions) == {"no_difference"}
    assert (outcome.statistic is None) == variant.startswith("chi")


def test_degenerate_corrected_numerator_stops_at_zero() -> None:
    pair = table_pair(3, 2, 2, 2)
    outcome = McNemar(variant="chi_squared_corrected").test(pair, TWO, rng_of())

    assert (outcome.statistic, outcome.p_value) == (0, 1)


def test_exact_random_folds_carry_their_caution() -> None:
    outcome = McNemar().test(blocks_pair([[0, 1], [1, 0]], [[1, 1], [0, 0]]), TWO, rng_of())

    assert codes(outcome.cautions) == {"ignores_training_variance"}


def test_invalid_losses_layouts_and_variants() -> None:
    with pytest.raises(UnsupportedCombination, match="all 0 or 1"):
        McNemar().test(differences_pair([0.5, 1]), TWO, rng_of())
    with pytest.raises(
        InvalidParameter, match="variant must be exact, mid_p, chi_squared or chi_squared_corrected"
    ):
        McNemar(variant="bowker")  # type: ignore[arg-type]
    of = McNemar().inapplicable
    kind = BlockKind.RANDOM
    scores = build_score_layout(kind, [9.0, 9.0], [3.0, 3.0], None, 1)  # type: ignore[arg-type]
    assert "source" in str(of(build_layout(BlockKind.SOURCE, [0, 1])))
    assert "one score per split" in str(of(scores))
    assert "clusters" in str(of(build_layout(kind, [0, 1, 1], cluster=[0, 0, 1])))
    assert "2 repeats" in str(of(build_layout(kind, [0, 1, 0, 1], repeat=[0, 0, 1, 1])))
    assert of(build_layout(kind, [0, 1])) is None


def test_exact_sizes_of_the_variants() -> None:
    """The sum over all tables of 20 discordant pairs; no simulation is needed."""
    sizes = dict.fromkeys(VARIANTS, 0.0)
    for variant in VARIANTS:
        for c in range(21):
            outcome = McNemar(variant=variant).test(table_pair(0, 20 - c, c, 0), TWO, rng_of())
            assert outcome.p_value is not None
            sizes[variant] += (outcome.p_value <= 0.05) * math.comb(20, c) / 2**20

    # exact rejects up to 5 of the 20, and from 15 on
    assert_close(sizes["exact"], 2 * sum(math.comb(20, c) for c in range(6)) / 2**20)
    assert sizes["chi_squared_corrected"] <= 0.05
    assert sizes["exact"] <= sizes["mid_p"] <= 0.055
