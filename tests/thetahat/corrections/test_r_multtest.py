"""Adjusted p-values of R's multtest, which statsmodels keeps in its tests."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.corrections import adjust

SOURCE = "R package multtest, mt.rawp2adjp, as statsmodels/stats/tests/test_multi.py keeps it"

P_VALUES = [
    0.838541367553,
    0.642193923795,
    0.680845947633,
    0.967833824309,
    0.71626938238,
    0.177096952723,
    5.23656777208e-005,
    0.0202732688798,
    0.00028140506198,
    0.0149877310796,
]

# In ascending order of the p-values.
BONFERRONI = [
    *(5.2365677720800005e-04, 2.8140506197999998e-03, 1.4987731079600001e-01),
    *(2.0273268879799999e-01, 1, 1, 1, 1, 1, 1),
]
HOLM = [
    *(5.2365677720800005e-04, 2.5326455578199999e-03, 1.1990184863680001e-01),
    *(1.4191288215860001e-01, 1, 1, 1, 1, 1, 1),
]
HOCHBERG = [*HOLM[:4], *[9.6783382430900000e-01] * 6]
BENJAMINI_HOCHBERG = [
    *(5.2365677720800005e-04, 1.4070253098999999e-03, 4.9959103598666670e-02),
    *(5.0683172199499998e-02, 3.5419390544599999e-01, *[8.9533672797500008e-01] * 3),
    *(9.3171263061444454e-01, 9.6783382430900000e-01),
]
SIDAK_STEP_DOWN = [
    *(5.2353339704891422e-04, 2.5297966317768816e-03, 1.1379719679449507e-01),
    *(1.3356756197485375e-01, 6.8947825122356643e-01, *[9.9413539782557070e-01] * 5),
]
BENJAMINI_YEKUTIELI = [
    *(1.5337740764175588e-03, 4.1211324652269442e-03, 1.4632862843720582e-01),
    *(1.4844940238274187e-01, *[1.0] * 6),
]


@pytest.mark.about(
    "corrections/bonferroni",
    "corrections/holm",
    "corrections/hochberg",
    "corrections/benjamini_hochberg",
    "corrections/benjamini_yekutieli",
    "corrections/sidak",
)
@pytest.mark.outside(SOURCE)
@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        ("bonferroni", BONFERRONI),
        ("holm", HOLM),
        ("hochberg", HOCHBERG),
        ("benjamini_hochberg", BENJAMINI_HOCHBERG),
        ("benjamini_yekutieli", BENJAMINI_YEKUTIELI),
        ("sidak", SIDAK_STEP_DOWN),
    ],
)
def test_golden_ten_p_values(correction: str, expected: list[float]) -> None:
    adjusted = np.array(adjust(P_VALUES, correction), dtype=np.float64)

    assert_allclose(adjusted[np.argsort(P_VALUES)], expected, rtol=1e-12)


@pytest.mark.about("corrections/benjamini_yekutieli")
@pytest.mark.outside("scipy.stats.false_discovery_control(method='by'), run here")
def test_against_scipy_benjamini_yekutieli() -> None:
    from scipy import stats

    p_values = np.random.default_rng(3).random(37) ** 3

    ours = np.array(adjust(p_values.tolist(), "benjamini_yekutieli"), dtype=np.float64)
    assert_allclose(ours, stats.false_discovery_control(p_values, method="by"), rtol=1e-13)


@pytest.mark.about("corrections/benjamini_yekutieli")
def test_naive_benjamini_yekutieli_steps_up() -> None:
    """The largest i with p_(i) <= i alpha / (m c(m)) and all below it are rejected."""
    ordered = sorted((np.random.default_rng(4).random(12) ** 4).tolist())
    adjusted = adjust(ordered, "benjamini_yekutieli")
    constant = sum(1 / i for i in range(1, 13))

    for alpha in (0.01, 0.05, 0.2):
        within = [i for i in range(12) if ordered[i] <= (i + 1) * alpha / (12 * constant)]
        rejected = range(max(within) + 1) if within else range(0)
        ours = [i for i, q in enumerate(adjusted) if q is not None and q <= alpha]
        assert ours == list(rejected)


@pytest.mark.about("corrections/sidak")
def test_naive_sidak_steps_down() -> None:
    """Reject from the smallest on while 1 - (1 - p)^(number left) <= alpha."""
    p_values = (np.random.default_rng(5).random(12) ** 4).tolist()
    adjusted = adjust(p_values, "sidak")

    for alpha in (0.01, 0.05, 0.2):
        left, rejected = sorted(p_values), set()
        while left and 1 - (1 - left[0]) ** len(left) <= alpha:
            rejected.add(left.pop(0))
        ours = {p for p, q in zip(p_values, adjusted, strict=True) if q is not None and q <= alpha}
        assert ours == rejected


@pytest.mark.about("corrections/sidak")
def test_limit_tiny_p_values_are_those_of_holm() -> None:
    p_values = [1e-18, 3e-17, 2e-20]

    assert_allclose(
        np.array(adjust(p_values, "sidak"), dtype=np.float64),
        np.array(adjust(p_values, "holm"), dtype=np.float64),
        rtol=1e-12,
    )
    assert adjust([1.0, 0.5], "sidak") == [1.0, 0.75]
