from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from thetahat.corrections import CORRECTIONS, DEFAULT_CORRECTION, adjust
from thetahat.values.types import FloatArray

P = [0.01, 0.04, 0.03, 0.005]


def test_exact_the_default_correction_is_the_one_that_says_so() -> None:
    assert CORRECTIONS.defaults() == (DEFAULT_CORRECTION,)


@pytest.mark.about(
    "corrections/holm",
    "corrections/hochberg",
    "corrections/benjamini_hochberg",
    "corrections/bonferroni",
    "corrections/finner",
    "corrections/none",
)
@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        # sorted .005 .01 .03 .04 times 4 3 2 1 is .02 .03 .06 .04; running maximum upwards
        ("holm", [0.03, 0.06, 0.06, 0.02]),
        # the same products, running minimum downwards
        ("hochberg", [0.03, 0.04, 0.04, 0.02]),
        # times 4/1 4/2 4/3 4/4 is .02 .02 .04 .04, running minimum downwards
        ("benjamini_hochberg", [0.02, 0.04, 0.04, 0.02]),
        ("bonferroni", [0.04, 0.16, 0.12, 0.02]),
        # to the power of 4/1, 4/2, 4/3, 4/4: 1 - .995^4, 1 - .99^2, 1 - .97^(4/3), 1 - .96
        ("finner", [0.0199, 0.04, 1 - 0.97 ** (4 / 3), 1 - 0.995**4]),
        ("none", P),
    ],
)
def test_by_hand_four_p_values(correction: str, expected: list[float]) -> None:
    assert_allclose(np.array(adjust(P, correction), float), expected, rtol=1e-13)


# The ten pairs of five classifiers of the scmamp vignette, in the order i < j.
TEN_PAIRS = [
    0.00117485,
    0.3341698,
    2.843421e-10,
    0.01845167,
    0.02265711,
    0.002197407,
    0.3742777,
    9.226472e-08,
    0.1643229,
    7.793722e-05,
]


def adjusted(p_values: list[float], correction: str) -> FloatArray:
    return np.array(adjust(p_values, correction), dtype=np.float64)


@pytest.mark.about("corrections/holm")
# By hand on the raw p-values of the scmamp vignette.
def test_by_hand_ten_pairs_of_a_published_comparison() -> None:
    # Holm by hand: the sorted values times 10, 9, 8, ...; 0.1643229 x 3 = 0.4929687, 0.3341698 x
    # 2 = 0.6683396 and the last, 0.3742777 x 1, is lifted to the one before it.
    expected = [
        0.00117485 * 7,
        0.6683396,
        2.843421e-9,
        0.01845167 * 5,
        0.01845167 * 5,  # 0.02265711 x 4 = 0.0906 is below the one before it
        0.002197407 * 6,
        0.6683396,
        9.226472e-08 * 9,
        0.4929687,
        7.793722e-05 * 8,
    ]

    assert_allclose(adjusted(TEN_PAIRS, "holm"), expected, rtol=1e-12)


@pytest.mark.about("corrections/shaffer", "corrections/bergmann_hommel")
@pytest.mark.outside(
    "scmamp vignette: adjustShaffer and adjustBergmannHommel on these p-values "
    "(vector shaffer_bergmann_hommel)"
)
@pytest.mark.parametrize(
    ("correction", "theirs"),
    [
        (
            "shaffer",
            [
                0.007049103,
                0.6683396,
                2.843421e-09,
                0.0738066768,
                0.09062842,
                0.01318444,
                0.6683396134,
                5.535883e-07,
                0.4929687992,
                0.0004676233,
            ],
        ),
        (
            "bergmann_hommel",
            [
                0.007049103,
                0.6683396,
                2.843421e-09,
                0.0553550076,
                0.06797132,
                0.008789629,
                0.6683396134,
                5.535883e-07,
                0.1643229331,
                0.0003117489,
            ],
        ),
    ],
)
def test_golden_scmamp_logical_relations(correction: str, theirs: list[float]) -> None:
    # raw and adjusted values are printed with seven digits
    assert_allclose(adjusted(TEN_PAIRS, correction), theirs, rtol=1e-6)


def test_property_from_weakest_to_strongest() -> None:
    rng = np.random.default_rng(3_103)
    for k in (3, 4, 6):
        for _ in range(50):
            p = (rng.uniform(size=k * (k - 1) // 2) ** 4).tolist()
            steps = [adjusted(p, c) for c in ("bergmann_hommel", "shaffer", "holm", "bonferroni")]
            for stronger, weaker in itertools.pairwise(steps):
                assert (stronger <= weaker * (1 + 1e-12)).all()
            assert (steps[0] >= p).all()


@pytest.mark.about("corrections/shaffer", "corrections/bergmann_hommel", "corrections/holm")
@pytest.mark.calibration
@pytest.mark.parametrize("correction", ["shaffer", "bergmann_hommel", "holm"])
def test_calibrated_chance_of_any_false_rejection(correction: str) -> None:
    """Five models, two pairs of equal ones, all pairs by z: false rejections at most 10 %.

    2000 tables; a correct procedure fails with probability below 1 in 300 000. With only two true
    equalities of ten Holm is far below its level, and the other two closer to it.
    """
    rng, n_tables, alpha = np.random.default_rng(3_104), 2000, 0.1
    a, b = np.triu_indices(5, 1)
    truth = np.array([0.0, 0.0, 4.0, 4.0, 9.0])
    z = rng.normal(size=(n_tables, 5)) + truth
    p = 2 * special.ndtr(-np.abs(z[:, a] - z[:, b]) / np.sqrt(2))
    null = truth[a] == truth[b]
    wrong = np.mean([(adjusted(row, correction)[null] <= alpha).any() for row in p.tolist()])
    assert wrong < alpha + 4.5 * np.sqrt(alpha * (1 - alpha) / n_tables)


@pytest.mark.about("corrections/finner")
@pytest.mark.calibration
def test_calibrated_finner_holds_where_all_hypotheses_are_true_and_not_elsewhere() -> None:
    """Ten independent p-values at alpha .1, 4000 families; 4.5 Monte-Carlo errors.

    All true: any false rejection has probability .1 at most. Eight certain to be rejected: the
    two true ones meet 1 - .9^(9/10) and .1, so that one is rejected with 1 - .9^(18/10) = .1728.
    """
    rng, n_families, alpha = np.random.default_rng(3_105), 4000, 0.1
    p = rng.uniform(size=(n_families, 10))
    error = np.sqrt(0.1728 * 0.8272 / n_families)

    all_true = np.mean([adjusted(row, "finner").min() <= alpha for row in p.tolist()])
    p[:, :8] = 0
    two_true = np.mean([adjusted(row, "finner")[8:].min() <= alpha for row in p.tolist()])

    assert all_true < alpha + 4.5 * error
    assert abs(two_true - (1 - 0.9**1.8)) < 4.5 * error


@pytest.mark.about("corrections/benjamini_hochberg")
@pytest.mark.outside("scipy.stats.false_discovery_control, run here")
def test_against_scipy_benjamini_hochberg() -> None:
    from scipy.stats import false_discovery_control

    raw = np.random.default_rng(3_101).uniform(size=23) ** 3

    ours = np.array(adjust(raw.tolist(), "benjamini_hochberg"), float)
    assert_allclose(ours, false_discovery_control(raw), rtol=1e-13)


def _holm_rejects(p: list[float], alpha: float) -> list[bool]:
    """The procedure itself: step down, stop at the first failure."""
    order = sorted(range(len(p)), key=p.__getitem__)
    passed = list(itertools.takewhile(lambda r: p[order[r]] < alpha / (len(p) - r), range(len(p))))
    return [order.index(i) in passed for i in range(len(p))]


@pytest.mark.about("corrections/holm")
def test_naive_holm_steps_down() -> None:
    rng = np.random.default_rng(3_102)
    for _ in range(200):
        p = (rng.uniform(size=5) ** 3).tolist()
        adjusted = np.array(adjust(p, "holm"), float)
        assert _holm_rejects(p, 0.1) == (adjusted < 0.1).tolist()


@pytest.mark.about("corrections/hochberg", "corrections/benjamini_hochberg")
@pytest.mark.parametrize("alpha", [0.02, 0.1, 0.3])
@pytest.mark.parametrize(
    ("correction", "share"),
    [("hochberg", lambda i: 1 / (5 - i + 1)), ("benjamini_hochberg", lambda i: i / 5)],
)
def test_naive_stepping_up(correction: str, share: Callable[[int], float], alpha: float) -> None:
    """Reject up to the largest i with p_(i) at most that share of alpha, and all below it."""
    rng = np.random.default_rng(3_106)
    for _ in range(100):
        p = rng.uniform(size=5) ** 3
        order = np.argsort(p)
        last = max([0, *(i for i in range(1, 6) if p[order[i - 1]] <= alpha * share(i))])

        rejected = np.isin(np.arange(5), order[:last])
        assert (adjusted(p.tolist(), correction) <= alpha).tolist() == rejected.tolist()


@pytest.mark.about("corrections/bonferroni")
def test_limit_bonferroni_is_holm_for_the_smallest() -> None:
    p = (np.random.default_rng(3_107).uniform(size=40) ** 3).tolist()

    assert min(adjusted(p, "bonferroni")) == min(adjusted(p, "holm")) == 40 * min(p)


@pytest.mark.about("corrections/none")
@pytest.mark.parametrize("correction", CORRECTIONS)
def test_limit_one_p_value_stays(correction: str) -> None:
    assert_allclose(adjusted([0.2], correction), 0.2, rtol=1e-15)


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_degenerate_missing_p_values_do_not_count(correction: str) -> None:
    first, middle, last = adjust([None, 0.3, None], correction)
    assert (first, last) == (None, None)
    assert middle == pytest.approx(0.3, rel=1e-15)
    assert adjust([None, None], correction) == [None, None]
    assert adjust([], correction) == []


def test_degenerate_adjusted_values_end_at_one() -> None:
    assert adjust([1.0, 0.5], "finner") == [1.0, 0.75]
    assert adjust([0.9, 0.8], "bonferroni") == [1.0, 1.0]
