from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.evaluation.corrections import CORRECTIONS, adjust

P = [0.01, 0.04, 0.03, 0.005]


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
        ("none", P),
    ],
)
def test_golden_four_p_values(correction: str, expected: list[float]) -> None:
    assert_allclose(np.array(adjust(P, correction), float), expected, rtol=1e-14)


def test_golden_ten_pairs_of_a_published_comparison() -> None:
    # Raw p-values of the scmamp vignette (ten pairs of five classifiers). Holm by hand: the
    # sorted values times 10, 9, 8, ...; 0.1643229 x 3 = 0.4929687, 0.3341698 x 2 = 0.6683396 and
    # the last, 0.3742777 x 1, is lifted to the one before it.
    raw = [
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

    assert_allclose(np.array(adjust(raw, "holm"), float), expected, rtol=1e-12)


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


def test_naive_holm_steps_down() -> None:
    rng = np.random.default_rng(3_102)
    for _ in range(200):
        p = (rng.uniform(size=5) ** 3).tolist()
        adjusted = np.array(adjust(p, "holm"), float)
        assert _holm_rejects(p, 0.1) == (adjusted < 0.1).tolist()


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_limit_one_p_value_stays(correction: str) -> None:
    assert adjust([0.2], correction) == [0.2]


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_degenerate_missing_p_values_do_not_count(correction: str) -> None:
    assert adjust([None, 0.3, None], correction) == [None, 0.3, None]
    assert adjust([None, None], correction) == [None, None]
    assert adjust([], correction) == []


def test_degenerate_adjusted_values_end_at_one() -> None:
    assert adjust([0.9, 0.8], "bonferroni") == [1.0, 1.0]
