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


@pytest.mark.about(
    "corrections/bonferroni",
    "corrections/holm",
    "corrections/hochberg",
    "corrections/benjamini_hochberg",
)
@pytest.mark.outside(SOURCE)
@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        ("bonferroni", BONFERRONI),
        ("holm", HOLM),
        ("hochberg", HOCHBERG),
        ("benjamini_hochberg", BENJAMINI_HOCHBERG),
    ],
)
def test_golden_ten_p_values(correction: str, expected: list[float]) -> None:
    adjusted = np.array(adjust(P_VALUES, correction), dtype=np.float64)

    assert_allclose(adjusted[np.argsort(P_VALUES)], expected, rtol=1e-12)
