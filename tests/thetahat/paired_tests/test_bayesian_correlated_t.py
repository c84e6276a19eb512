from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import stdtrit

from tests.thetahat.paired_tests.pairs import (
    ALTERNATIVES,
    assert_close,
    blocks_pair,
    codes,
    details_of,
    differences_pair,
    rng_of,
    scores_pair,
)
from tests.thetahat.paired_tests.test_t_tests import LINEAR, RBF, steps
from thetahat.errors import InvalidParameter
from thetahat.paired_tests.base import PairedLosses, TestOutcome
from thetahat.paired_tests.bayesian_correlated_t import BayesianCorrelatedT
from thetahat.paired_tests.nadeau_bengio_t import NadeauBengioT
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, BlockKind
from thetahat.values.words import choose_words

TWO = Alternative.TWO_SIDED

# baycomp docs/code/accuracies.txt: first ten scores of nbc and j48 on sonar
NBC = [94.203, 92.754, 95.652, 91.176, 92.647, 91.176, 92.647, 92.647, 86.765, 91.176]
J48 = [92.754, 92.754, 89.855, 89.706, 95.588, 89.706, 95.588, 94.118, 91.176, 92.647]

# scmamp data_kcv_example, data set 5, in thousandths: 10 x 10 folds of AlgA and AlgB
ALG_A = """
705 823 745 652 807 889 580 810 591 816 707 739 826 707 810 973 517 770 580 849
710 772 842 632 823 946 455 903 614 884 705 856 804 636 804 946 432 830 588 838
715 698 712 620 787 970 426 895 574 834 710 764 793 659 787 921 429 847 540 815
717 764 810 614 813 957 469 798 588 844 705 872 766 614 818 940 500 784 534 869
689 813 842 637 798 978 415 898 538 872 667 764 826 670 791 995 557 824 554 810
"""
ALG_B = """
598 666 658 374 603 418 636 714 707 588 606 573 650 603 584 679 639 824 574 557
578 576 672 538 595 549 517 543 577 520 629 505 505 556 492 601 509 670 585 830
588 592 321 712 702 552 773 588 466 585 646 603 489 584 566 476 574 489 787 673
747 702 503 470 668 620 545 528 643 506 568 620 516 535 476 514 349 722 443 696
601 571 541 337 641 630 568 480 511 702 641 526 370 421 535 522 506 917 625 568
"""


def pair_of_scores(
    a: list[float], b: list[float], *, share: float = 0.1, n_repeats: int = 1
) -> PairedLosses:
    """Scores that are better when higher: as losses their sign is changed."""
    return scores_pair(
        [-x for x in a],
        [-x for x in b],
        n_train=1 - share,
        n_test=share,
        n_repeats=n_repeats,
    )


def posterior_of(method: BayesianCorrelatedT, pair: PairedLosses) -> TestOutcome:
    return method.test(pair, TWO, rng_of())


@pytest.mark.outside("baycomp docs/functions.rst: two_on_single(nbc, j48) on ten folds of sonar")
def test_golden_baycomp_sonar() -> None:
    # baycomp's p_left is nbc's, the first; nbc is a here, and left is a too
    # vector baycomp_sonar_norope
    details = details_of(posterior_of(BayesianCorrelatedT(), pair_of_scores(NBC, J48)))

    assert_close(details["p_left"], 0.4145119975061462, rtol=1e-12)
    assert_close(details["p_right"], 0.5854880024938538, rtol=1e-12)
    assert details["p_rope"] == 0
    assert_close(details["rho"], 0.1)


@pytest.mark.outside("scmamp vignette Bayesian_analysis_of_the_differences, bCorrelatedTtest")
def test_golden_scmamp() -> None:
    # scmamp takes x - y of scores, so that its left is y's: ours the other way round
    # vector scmamp_bcorr_AlgA_AlgB
    a, b = ([int(word) / 1000 for word in text.split()] for text in (ALG_A, ALG_B))
    details = details_of(
        posterior_of(BayesianCorrelatedT(rope=0.01, rho=0.1), pair_of_scores(a, b, n_repeats=10))
    )

    assert_close(details["p_right"], 0.002339103, atol=1e-6, rtol=0)
    assert_close(details["p_rope"], 0.003762019, atol=1e-6, rtol=0)
    assert_close(details["p_left"], 0.993898878, atol=1e-6, rtol=0)


@pytest.mark.outside("scikit-learn 1.9.1 plot_grid_search_stats.py: 77%, 43% and the intervals")
def test_golden_sklearn() -> None:
    # vector sklearn_grid_stats
    pair = pair_of_scores(steps(RBF), steps(LINEAR), n_repeats=10)
    plain = details_of(posterior_of(BayesianCorrelatedT(), pair))
    within = details_of(posterior_of(BayesianCorrelatedT(rope=0.01), pair))

    assert_close(plain["p_left"], 0.7725770289866335, rtol=1e-9)
    assert_close(within["p_rope"], 0.43168245824269996, rtol=1e-9)
    for level, ends in (
        (0.5, (0.0009774152876124223, 0.01902258471238755)),
        (0.75, (-0.005422087500795406, 0.02542208750079538)),
        (0.95, (-0.016445200296138635, 0.03644520029613861)),
    ):
        interval = details_of(posterior_of(BayesianCorrelatedT(credible_level=level), pair))
        lower, upper = (interval["credible_interval"][end] for end in ("lower", "upper"))
        # rbf - linear there, a - b of the losses here
        assert_close([-upper, -lower], list(ends), rtol=1e-9)


@pytest.mark.outside("baycomp tests/test_single.py: mean, variance and degrees of freedom")
def test_golden_baycomp_moments() -> None:
    # y - x of scores there is a - b of losses here; n_2/n_1 = 1/(k - 1)
    # vector baycomp_unit_stats
    one_run = posterior_of(BayesianCorrelatedT(), pair_of_scores([4, 2, 6], [5, 7, 3], share=1 / 3))
    two = posterior_of(
        BayesianCorrelatedT(),
        pair_of_scores([4, 2, 6, 4], [5, 7, 3, 5], share=1 / 2, n_repeats=2),
    )

    assert_close(details_of(one_run)["location"], 1.0)
    assert_close(details_of(one_run)["scale"] ** 2, 13.333333333333332)
    assert one_run.degrees_of_freedom == 2
    assert_close(details_of(two)["scale"] ** 2, 32 / 3 * (1 / 4 + 1))
    assert two.degrees_of_freedom == 3


@pytest.mark.outside("baycomp tests/test_single.py: ones against zeros is (1, 0), a tie (.5, .5)")
def test_degenerate_a_point_mass() -> None:
    # vector baycomp_unit_stats
    ones, zeros = pair_of_scores([1.0] * 10, [0.0] * 10), pair_of_scores([1.0] * 10, [1.0] * 10)

    outcome = posterior_of(BayesianCorrelatedT(), ones)
    assert (details_of(outcome)["p_left"], details_of(outcome)["p_right"]) == (1, 0)
    assert details_of(outcome)["credible_interval"] == {"level": 0.95, "lower": -1, "upper": -1}
    assert "zero_variance" in codes(outcome.cautions)
    tie = details_of(posterior_of(BayesianCorrelatedT(), zeros))
    assert (tie["p_left"], tie["p_rope"], tie["p_right"]) == (0.5, 0, 0.5)


@pytest.mark.parametrize(("rope", "shares"), [(0.5, (1, 0, 0)), (1.0, (0, 1, 0)), (2.0, (0, 1, 0))])
def test_degenerate_a_point_mass_and_a_region(
    rope: float, shares: tuple[float, float, float]
) -> None:
    details = details_of(
        posterior_of(BayesianCorrelatedT(rope=rope), pair_of_scores([1.0] * 10, [0.0] * 10))
    )

    assert (details["p_left"], details["p_rope"], details["p_right"]) == shares


def test_exact_without_a_region_p_left_is_the_one_sided_p_value() -> None:
    rng = np.random.default_rng(61)
    pair = blocks_pair(rng.random((6, 4)), rng.random((6, 4)))

    details = details_of(posterior_of(BayesianCorrelatedT(), pair))

    for way, share in ((Alternative.GREATER, "p_left"), (Alternative.LESS, "p_right")):
        assert_close(details[share], NadeauBengioT().test(pair, way, rng_of()).p_value, rtol=1e-12)


def test_exact_the_credible_interval_holds_its_share() -> None:
    rng = np.random.default_rng(62)
    pair = blocks_pair(rng.random((12, 3)), rng.random((12, 3)))
    details = details_of(posterior_of(BayesianCorrelatedT(credible_level=0.8), pair))

    half = stdtrit(11, 0.9) * details["scale"]
    interval = details["credible_interval"]
    assert interval["level"] == 0.8
    assert_close(interval["lower"], details["location"] - half, rtol=1e-12)
    assert_close(interval["upper"], details["location"] + half, rtol=1e-12)


def test_limit_a_wide_region_holds_everything() -> None:
    rng = np.random.default_rng(63)
    pair = blocks_pair(rng.random((12, 3)), rng.random((12, 3)))

    details = details_of(posterior_of(BayesianCorrelatedT(rope=1e6), pair))

    assert details["p_rope"] > 1 - 1e-12


def test_limit_without_correlation_it_is_the_plain_t() -> None:
    # differences 0, 1, 2: mean 1, S^2/J = 1/3; P(t_2 < -sqrt 3) = (1 - sqrt(3)/sqrt(5))/2
    pair = scores_pair([0, 1, 2], [0, 0, 0], n_train=2, n_test=1)

    details = details_of(posterior_of(BayesianCorrelatedT(rho=0), pair))

    assert_close(details["p_left"], (1 - math.sqrt(3 / 5)) / 2, rtol=1e-12)


def test_property_the_alternative_changes_nothing_and_few_splits_have_a_caution() -> None:
    rng = np.random.default_rng(64)
    few = blocks_pair(rng.random((4, 3)), rng.random((4, 3)))
    outcomes = [BayesianCorrelatedT().test(few, way, rng_of()) for way in ALTERNATIVES]

    assert outcomes[0] == outcomes[1] == outcomes[2] or (
        details_of(outcomes[0]) == details_of(outcomes[1]) == details_of(outcomes[2])
    )
    assert codes(outcomes[0].cautions) == {"few_blocks"}
    assert outcomes[0].unit == "block"


def test_invalid_parameters_and_layouts() -> None:
    with pytest.raises(InvalidParameter, match="rho must be at least 0 and below 1; got 1"):
        BayesianCorrelatedT(rho=1)
    with pytest.raises(InvalidParameter, match="rope must be a finite number of at least 0"):
        BayesianCorrelatedT(rope=-0.1)
    with pytest.raises(InvalidParameter, match="credible_level must be above 0 and below 1"):
        BayesianCorrelatedT(credible_level=1)
    holdout = differences_pair([1.0, 2.0]).difference.layout
    unknown = Layout(
        kind=BlockKind.RANDOM,
        words=choose_words(BlockKind.RANDOM),
        block_labels=(0, 1),
        split_block=np.array([0, 1]),
        split_repeat=np.array([0, 0]),
        n_test=np.array([3.0, 3.0]),
        n_train=None,
    )

    assert "means of at least two splits" in str(BayesianCorrelatedT().inapplicable(holdout))
    assert "n_train" in str(BayesianCorrelatedT().inapplicable(unknown))
    assert BayesianCorrelatedT(rho=0.2).inapplicable(unknown) is None


@pytest.mark.calibration
def test_calibrated_shares_hold_the_truth_as_often_as_they_say() -> None:
    """With the correlation that is assumed, P(mu < 0 | d) is uniform where mu is 0."""
    rng, reps, j, rho = np.random.default_rng(65), 2000, 10, 0.1
    common, own = rng.standard_normal((reps, 1)), rng.standard_normal((reps, j))
    draws = math.sqrt(rho) * common + math.sqrt(1 - rho) * own
    zeros = np.zeros(j)

    shares = np.array(
        [
            details_of(
                posterior_of(BayesianCorrelatedT(), scores_pair(d, zeros, n_train=9, n_test=1))
            )["p_left"]
            for d in draws
        ]
    )

    for level in (0.05, 0.25, 0.5, 0.9):
        error = math.sqrt(level * (1 - level) / reps)
        assert abs((shares < level).mean() - level) < 5 * error  # 1 seed in 1.7 million fails
